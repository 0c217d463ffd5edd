"""`oacp init`: makes a project with its agents' mailboxes."""

import argparse
import json
import os
import time
from collections.abc import Sequence

from waypost.carriers.folders.home import Home, check_name
from waypost.commands.console import Console, Parser
from waypost.errors import ConflictError, UsageError
from waypost.mailbox import place

_EXAMPLES = """\
  oacp init my-app
  oacp init my-app --agents claude,codex,reviewer --repo .
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Make a project's tree; with --fail-if-exists an existing one is refused."""
    parser = Parser("oacp init", "Make a project and its agents' mailboxes.", _EXAMPLES)
    parser.add_argument("project", help="the project's name")
    parser.add_argument("--agents", default="claude,codex,cursor", help="names, with commas")
    parser.add_argument("--repo", help="the repository that it belongs to; gets a .oacp link")
    parser.add_argument(
        "--link",
        action="append",
        default=[],
        metavar="SRC:DST",
        help="make artifacts/DST a link to SRC in the repository",
    )
    parser.add_argument("--oacp-dir", metavar="DIR", help="the home; else OACP_HOME or ~/oacp")
    parser.add_argument("--fail-if-exists", action="store_true", help="refuse an existing project")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be made")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    home = place.find_home(arguments.oacp_dir, os.environ, os.getcwd())
    agents = [name.strip() for name in arguments.agents.split(",") if name.strip()]
    root = f"{home.path}/projects/{arguments.project}"
    _check(arguments, agents)
    exists = arguments.project in home.projects()
    if exists and arguments.fail_if_exists:
        raise ConflictError(f"the project is there already: {root}", hint="choose another name")
    if not arguments.dry_run:
        _make(home, arguments.project, agents, arguments.repo)
        _link(root, arguments.repo, arguments.link)
    repo = os.path.abspath(arguments.repo) if arguments.repo else None
    if console.as_json:
        console.json(
            {
                "project_root": root,
                "workspace_path": f"{root}/workspace.json",
                "repo_dir": repo,
                "agents": agents,
                "dry_run": arguments.dry_run,
            }
        )
    else:
        verb = "would make" if arguments.dry_run else "made"
        console.data(f"{verb} {root}\nagents: {', '.join(agents) or 'none'}")
        console.talk(
            "next: oacp send --from claude --to codex --type question -s Hello -b 'Are you there?'"
        )
    return 0


def _make(home: Home, name: str, agents: Sequence[str], repo: str | None) -> None:
    project = home.create_project(name)
    for agent in agents:
        project.add_agent(agent)
    path = f"{project.path}/workspace.json"
    if not os.path.exists(path):
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        known = {
            "project_name": name,
            "repo_path": os.path.abspath(repo) if repo else None,
            "created_at": now,
            "updated_at": now,
        }
        with open(path, "x", encoding="utf-8") as file:
            json.dump(known, file, indent=2)
    if repo and not os.path.lexists(f"{repo}/.oacp"):
        os.symlink(path, f"{repo}/.oacp")


def _check(arguments: argparse.Namespace, agents: Sequence[str]) -> None:
    """Refuse what can't be made before anything is made."""
    check_name(arguments.project, "project")
    folded = [agent.casefold() for agent in agents]
    for agent in agents:
        check_name(agent, "agent")
        if folded.count(agent.casefold()) > 1:
            raise UsageError(f'the agent "{agent}" is named twice', hint="name each agent once")
    if arguments.repo and not os.path.isdir(arguments.repo):
        raise UsageError(f"there is no folder {arguments.repo}", hint="--repo names a folder")
    for link in arguments.link:
        source, colon, target = link.partition(":")
        parts = target.split("/")
        if not (arguments.repo and source and colon and target) or ".." in parts or not parts[0]:
            raise UsageError(f'"{link}" is no link', hint="--link SRC:DST, together with --repo")


def _link(root: str, repo: str | None, links: Sequence[str]) -> None:
    for link in links:
        source, _, target = link.partition(":")
        path = f"{root}/artifacts/{target}"
        if repo and not os.path.lexists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(os.path.abspath(f"{repo}/{source}"), path)

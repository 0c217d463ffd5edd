"""`oacp init`: makes a project with its agents' mailboxes."""

import json
import os
import time
from collections.abc import Sequence

from waypost.carriers.folders.home import Home
from waypost.commands.console import Console, Parser
from waypost.errors import ConflictError
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
    parser.add_argument("--oacp-dir", metavar="DIR", help="the home; else OACP_HOME or ~/oacp")
    parser.add_argument("--fail-if-exists", action="store_true", help="refuse an existing project")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be made")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    home = place.find_home(arguments.oacp_dir, os.environ, os.getcwd())
    agents = [name.strip() for name in arguments.agents.split(",") if name.strip()]
    root = f"{home.path}/projects/{arguments.project}"
    exists = arguments.project in home.projects()
    if exists and arguments.fail_if_exists:
        raise ConflictError(f"the project is there already: {root}", hint="choose another name")
    if not arguments.dry_run:
        _make(home, arguments.project, agents, arguments.repo)
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
        os.symlink(project.path, f"{repo}/.oacp")

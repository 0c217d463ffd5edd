"""`oacp init`: makes a project with its agents' mailboxes."""

import argparse
import os
import shlex
from collections.abc import Sequence

from waypost.carriers.folders.home import WORKSPACE, Home, check_name
from waypost.commands.console import Console, Parser
from waypost.errors import AlreadyThereError, UsageError, WaypostError, visible
from waypost.mailbox import place

_EXAMPLES = """\
  oacp init my-app
  oacp init my-app --agents claude,codex,reviewer --repo .
"""


def _parser() -> Parser:
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
    parser.add_argument(
        "--fail-if-exists", action="store_true", help="the default; kept for scripts"
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be made")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run(console: Console, argv: Sequence[str]) -> int:
    """Make a project's tree; one that is there already is refused."""
    arguments = _parser().parse_args(argv)
    home = place.find_home(arguments.oacp_dir, os.environ, place.here())
    agents = [name.strip() for name in arguments.agents.split(",") if name.strip()]
    root = f"{home.path}/projects/{arguments.project}"
    _check(arguments, agents)
    home.future_project(arguments.project)
    if os.path.lexists(f"{root}/{WORKSPACE}"):  # it comes last, so without it a try was cut short
        raise AlreadyThereError(
            f"the project is there already: {root}",
            hint=f"oacp agent add {arguments.project} NAME gives it another agent",
        )
    repo = os.path.abspath(arguments.repo) if arguments.repo else None
    if not arguments.dry_run:
        project = home.create_project(arguments.project, repo)
        for agent in agents:
            project.add_agent(agent)
        _link(root, repo, arguments.link)
    if console.as_json:
        console.json(
            {
                "project_root": root,
                "workspace_path": f"{root}/{WORKSPACE}",
                "repo_dir": repo,
                "agents": agents,
                "dry_run": arguments.dry_run,
            }
        )
    else:
        verb = "would make" if arguments.dry_run else "made"
        console.data(f"{verb} {root}\nagents: {', '.join(agents) or 'none'}")
        _show_next(console, home, arguments, agents)
    return 0


def _show_next(
    console: Console, home: Home, arguments: argparse.Namespace, agents: Sequence[str]
) -> None:
    """Name the command that comes next, as it works from here."""
    name = arguments.project
    there = f" --oacp-dir {shlex.quote(arguments.oacp_dir)}" if arguments.oacp_dir else ""
    if len(agents) < 2:
        console.talk(f"next: oacp agent add{visible(there)} {name} NAME")
        return
    try:
        is_clear = place.find_project(home, None, os.environ, place.here()).name == name
    except WaypostError:
        is_clear = False
    who = f"{'' if is_clear else ' ' + name}{there} --from {agents[0]} --to {agents[1]}"
    console.talk(f"next: oacp send{visible(who)} --type question -s Hello -b 'Are you there?'")


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

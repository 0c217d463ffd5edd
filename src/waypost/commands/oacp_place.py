"""The options that every `oacp` command shares, and what they come to."""

import argparse
import os
from typing import NamedTuple

from waypost.carriers.folders.home import Mailbox, Project
from waypost.commands.console import Parser
from waypost.letters.words import word
from waypost.mailbox import place


class Place(NamedTuple):
    """The project and the mailbox that a command works on."""

    project: Project
    mailbox: Mailbox


def add_options(parser: Parser) -> None:
    """Add `--project`, `--oacp-dir`, `--json` and the option that says who speaks."""
    parser.add_argument("--project", dest="project_option", metavar="PROJECT", help="which project")
    parser.add_argument(
        "--agent", "--from", dest="agent", metavar="AGENT", help="who you are; else OACP_AGENT"
    )
    parser.add_argument("--oacp-dir", metavar="DIR", help="the home; else OACP_HOME or ~/oacp")
    parser.add_argument("--json", action="store_true", help="print JSON")


def same_place(arguments: argparse.Namespace) -> str:
    """The options that lead another command to where this one was led by its own."""
    named = getattr(arguments, "project", None) or arguments.project_option
    told = (("project", named), ("agent", arguments.agent), ("oacp-dir", arguments.oacp_dir))
    return "".join(f" --{option} {word(value)}" for option, value in told if value)


def find_project(arguments: argparse.Namespace, *, may_be_new: bool = False) -> Project:
    """The project that the arguments mean."""
    home = place.find_home(arguments.oacp_dir, os.environ, place.here())
    named = getattr(arguments, "project", None) or arguments.project_option
    return place.find_project(home, named, os.environ, place.here(), may_be_new=may_be_new)


def find_place(arguments: argparse.Namespace, *, may_be_new: bool = False) -> Place:
    """The project and mailbox that the arguments mean."""
    project = find_project(arguments, may_be_new=may_be_new)
    mailbox = place.find_agent(project, arguments.agent, os.environ, may_be_new=may_be_new)
    return Place(project, mailbox)

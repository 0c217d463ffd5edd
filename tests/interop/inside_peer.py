"""Runs inside the environment of oacp-cli: sends and reads as it does, many messages a process.

python inside_peer.py read                  paths as JSON on stdin; what its reader and checker say
python inside_peer.py send HOME PROJECT     drafts as JSON on stdin; what its sender says
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def read(paths: list[str]) -> list[dict[str, Any]]:
    """Read every file with the reader behind its inbox, and check it as its `validate` does."""
    reader, checker = import_module("oacp_inbox"), import_module("validate_message")
    found: list[dict[str, Any]] = []
    for path in map(Path, paths):
        try:
            fields = reader._parse_yaml_mapping_bytes(path.read_bytes(), path)
        except Exception as error:  # whatever its YAML reader throws is the answer
            fields = {"unreadable": str(error)}
        found.append({"fields": fields, "errors": checker.validate_message_file(path)})
    return found


def send(drafts: list[dict[str, Any]], home: str, project: str) -> list[dict[str, Any]]:
    """Send every draft with the function behind `oacp send`."""
    sender = import_module("send_inbox_message")
    answers: list[dict[str, Any]] = []
    for draft in drafts:
        try:
            answers.append(sender.send_message(project, oacp_dir=Path(home), **draft))
        except ValueError as error:
            answers.append({"refused": str(error)})
    return answers


def main() -> None:
    """Do one order for the whole list."""
    place = str(import_module("oacp").__file__)
    sys.path.insert(0, str(Path(place).parent / "_scripts"))
    order, *more = sys.argv[1:]
    given = json.load(sys.stdin)
    answer = read(given) if order == "read" else send(given, *more)
    json.dump(answer, sys.stdout, default=str)


if __name__ == "__main__":
    main()

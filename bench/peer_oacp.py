"""Runs inside the environment of oacp-cli: writes messages as it does, and times its validator.

python peer_oacp.py write FOLDER      drafts as JSON on stdin: one message file each
python peer_oacp.py validate FOLDER   seconds that its validator took, and what it refused
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any


def write(folder: Path) -> int:
    """Write every draft in the way of `oacp send`."""
    sender = import_module("send_inbox_message")
    drafts: list[dict[str, Any]] = json.load(sys.stdin)
    for number, draft in enumerate(drafts):
        text = sender.render_yaml(sender.build_message_dict(**draft))
        name = sender.generate_filename(draft["sender"], draft["msg_type"], f"{number:05d}")
        (folder / name).write_text(text, encoding="utf-8")
    return len(drafts)


def validate(folder: Path) -> dict[str, object]:
    """Validate every file with the function behind `oacp validate`."""
    validate_message_file = import_module("validate_message").validate_message_file
    paths = sorted(folder.glob("*.yaml"))
    refused = {}
    start = perf_counter()
    for path in paths:
        if errors := validate_message_file(path):
            refused[path.name] = errors
    return {"seconds": perf_counter() - start, "files": len(paths), "refused": refused}


if __name__ == "__main__":
    oacp = import_module("oacp")  # lives in the peer's own environment

    sys.path.insert(0, str(Path(str(oacp.__file__)).parent / "_scripts"))
    print(json.dumps({"write": write, "validate": validate}[sys.argv[1]](Path(sys.argv[2]))))

"""The law of the rooms, as tables: who may import whom, and what belongs to one room alone.

    errors ← letters ← dialects ← bridge ← office ← faces ← runtime ← commands
    dialects ← carriers ← {mailbox, agent} ← runtime        setup, doctor: beside runtime

A room may import what is below it; a room that isn't built yet is simply not there.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOUSE = ROOT / "src" / "waypost"

_CORE = ("errors", "letters", "dialects")
_SERVER = (*_CORE, "bridge", "office", "faces")
_TRAVEL = (*_CORE, "carriers")
_WHOLE = (*_SERVER, "carriers", "mailbox", "agent")

MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "problems": (),
    "errors": ("problems",),
    "types": (),
    "letters": _CORE[:1],
    "dialects": _CORE[:2],
    "messages": _CORE,
    "bridge": _CORE,
    "office": _SERVER[:4],
    "faces": _SERVER[:5],
    "carriers": _CORE,
    "mailbox": _TRAVEL,
    "agent": _TRAVEL,
    "runtime": _WHOLE,
    "setup": _WHOLE,
    "doctor": _WHOLE,
    "commands": (*_WHOLE, "runtime", "setup", "doctor", "messages"),
    "__init__": ("agent", "errors", "messages"),
}

# These rooms know nothing of files, sockets, clocks and chance.
PURE = ("problems", "errors", "letters", "dialects", "bridge")
WORLDLY = (
    "os pathlib io shutil tempfile socket ssl select selectors sqlite3 asyncio time random uuid "
    "secrets subprocess threading multiprocessing signal http urllib"
)

# What is used in one place only: the module, and the paths under the house where it may be.
ONLY_IN = {
    "yaml": ("dialects",),
    "ryaml": ("dialects",),
    "sqlite3": ("office",),
    "aioquic": ("carriers/quic",),
    "cryptography": ("carriers/keyring", "carriers/quic"),
    "zeroconf": ("carriers/lan",),
    "nats": ("office/journal",),
    "mcp": ("faces",),
    "starlette": ("faces",),
    "python_multipart": ("faces",),
}

MOST_LINES = 300
MOST_LINES_OF_A_FUNCTION = 40

# Files and functions that may be longer, each with its reason. The table may only shrink.
LONG_FILES = {"src/waypost/types.py": "written by scripts/generate, one form a message type"}
LONG_FUNCTIONS: dict[str, str] = {}

# A command must start at once, so what loads slowly stays out until it is needed.
SLOW_TO_LOAD = (
    "yaml jsonschema_rs asyncio dataclasses inspect http ssl email unittest typing_extensions"
)

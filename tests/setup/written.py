"""Settings as people write them: with comments, odd spaces, trailing commas and every line end."""

import json
from typing import Any

from hypothesis import strategies as st

GAPS = st.sampled_from(["", " ", "\n  ", "\n\t", " /* why */ ", " // note\n  ", "\n// , } ]\n"])
KEYS = st.sampled_from(["theme", "mcpServers", "hooks", "a b", "ü", ""]) | st.text(max_size=3)
PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
)
SERVERS = st.dictionaries(st.sampled_from(["x", "y", "way"]), VALUES, max_size=3)


@st.composite
def settings(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """The text of a client's settings, and what it says."""
    value: dict[str, Any] = draw(st.dictionaries(KEYS, VALUES, max_size=4))
    value.pop("mcpServers", None)
    if draw(st.booleans()):
        value["mcpServers"] = draw(SERVERS)
    style = draw(st.sampled_from(["odd", 2, "\t", None]))
    if style == "odd":
        text = draw(GAPS) + _odd(draw, value) + draw(GAPS)
    else:
        text = json.dumps(value, indent=style, ensure_ascii=False) + draw(
            st.sampled_from(["", "\n"])
        )
    return (text.replace("\n", "\r\n") if draw(st.booleans()) else text), value


def _odd(draw: st.DrawFn, value: Any) -> str:
    if not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    if isinstance(value, dict):
        parts = [
            json.dumps(key) + draw(GAPS) + ":" + draw(GAPS) + _odd(draw, inner)
            for key, inner in value.items()
        ]
    else:
        parts = [_odd(draw, inner) for inner in value]
    text = ",".join(draw(GAPS) + part + draw(GAPS) for part in parts) or draw(GAPS)
    if draw(st.booleans()) and parts:
        text += "," + draw(GAPS)
    return "{" + text + "}" if isinstance(value, dict) else "[" + text + "]"


PAIRS = st.sampled_from([
    'model = "gpt"',
    "list = [\n  1, # one\n  2,\n]",
    'text = """\n[mcp_servers.waypost]\ncommand = "not this"\n"""',
    "raw = '''\n# [mcp_servers.waypost]'''",
    'odd."a.b" = { x = [1, "]"], y = "#" }',
    "  # a note",
    "",
])  # fmt: skip
HEADERS = st.sampled_from(
    [
        "[profiles.fast] # quick",
        "[mcp_servers.other]",
        "[[rules]]",
        '[projects."/a [b]"]',
        "[ tui ]",
    ]
)


@st.composite
def toml(draw: st.DrawFn) -> str:
    """The text of a TOML file."""
    blocks = [draw(st.lists(PAIRS, max_size=4, unique=True))]
    for header in draw(st.lists(HEADERS, max_size=4, unique=True)):
        blocks.append([header, *draw(st.lists(PAIRS, max_size=4, unique=True))])
    text = "\n".join(line for block in blocks for line in block) + draw(st.sampled_from(["", "\n"]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text

"""Texts of 64 KiB that are made to keep a parser busy, each of its own kind."""

from collections.abc import Iterator

SIZE = 64 * 1024
OACP = """\
id: msg-20260313T1430Z-claude-a8f3
from: claude
to: codex
type: notification
priority: P2
created_at_utc: "2026-03-13T14:30:00Z"
subject: Hello
body: Some words.
"""
FEEDBACK = OACP.replace("notification", "review_feedback").replace("body: Some words.\n", "")
ACP = """{"v":1,"id":"3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b",
"from":"ed25519.6b1d0c9e2f7a43588d0e1f2a3b4c5d6e","to":"0f9e8d7c6b5a49382716a5b4c3d2e1f0",
"ts":1771108000000,"kind":"notify","payload":{"topic":"build","data":HERE}}"""
MAIL = """{"version":"1.0.0","timestamp":"2025-12-25T12:00:00Z","sender_id":"orchestrator",
"message_id":"3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b","type":"file_reservation","task_id":"bd-1",
"reservation_request":{"mode":"exclusive","file_patterns":HERE}}"""


def filled(unit: str, size: int = SIZE, head: str = OACP) -> bytes:
    """Write a piece again and again until the text is long enough; %d in it counts."""
    text, number = [head], 0
    room = size - len(head)
    while room > 0:
        text.append(unit.replace("%d", str(number)))
        room -= len(text[-1])
        number += 1
    return "".join(text).encode()


def within(frame: str, opening: str, unit: str, closing: str, size: int = SIZE) -> bytes:
    """Put a repeated piece into the place HERE of a JSON message."""
    times = (size - len(frame) - len(opening) - len(closing)) // len(unit)
    return frame.replace("HERE", opening + unit * times + closing).encode()


# Repeated after the fields of a good OACP message (or of one whose body is still to come).
_YAML_UNITS = {
    "unknown fields": "k%d: x\n",
    "unknown fields that nearly are known": "subject%d: x\n",
    "the same key": "a: x\n",
    "empty keys": ": x\n",
    "question mark keys": "? k%d\n",
    "lists as keys": "[[]]: x\n",
    "comments": "# a\n",
    "empty documents": "---\n",
    "ends of documents": "...\n",
    "directives": "%YAML 1.1\n",
    "unknown tags": "k%d: !t x\n",
    "unknown python tags": "k%d: !!python/name:os.system\n",
    "merge keys": "<<: {a: b}\n",
    "undefined aliases": "k%d: *a%d\n",
    "anchors": "k%d: &a%d x\n",
    "anchors of one name": "k%d: &a x\n",
    "tabs": "\t\n",
    "blank lines": " \n",
    "carriage returns": "\r",
    "next lines": "\u0085",
    "line separators": "\u2028",
    "list items": "- x\n",
    "quotation marks": '"',
    "colons": ":",
    "percent signs": "%",
    "exclamation marks": "! ",
}
_YAML_OPENINGS = {
    "flow lists never closed": ("x: ", "["),
    "flow mappings never closed": ("x: ", "{"),
    "flow pairs never closed": ("x: ", "{a: "),
    "flow of both never closed": ("x: ", "[{a: "),
    "nested list marks": ("x:\n", "- "),
    "nested question marks": ("x:\n", "? "),
    "flow pairs in a list": ("x: [", "a: b,"),
    "empty lists": ("x: [", "[],"),
    "commas": ("x: [", ","),
    "aliases": ("x: &x [a, a, a, a]\ny: [", "*x ,"),
    "aliases of empty lists": ("x: &x [[],[],[],[],[],[],[],[]]\ny: [", "*x ,"),
    "one long plain text": ("x: ", "a "),
    "one long plain text over lines": ("x: ", "a\n "),
    "one long quoted text": ('x: "', "a "),
    "one long key": ("", "a"),
    "escapes": ('x: "', "\\n"),
    "wrong escapes": ('x: "', "\\q"),
    "surrogate escapes": ('x: "', "\\ud800"),
    "quotes in single quotes": ("x: '", "''"),
    "folded lines": ("x: >\n", "  a\n"),
    "folded indented lines": ("x: >\n", "  a\n    b\n\n"),
    "literal blank lines": ("x: |+\n", "\n"),
    "block header": ("x: |", "1"),
    "recipients": ("to:\n", "- ..\n"),
    "wrong context keys": ("context_keys:\n", "- []\n"),
    "words of context": ("context_keys: ", "a "),
}
_FEEDBACK_BODIES = {
    "unknown fields of a body": ("body:\n", "  k%d: x\n"),
    "unknown fields of a text body": ("body: |\n", "  k%d: x\n"),
    "the same key in a text body": ("body: |\n", "  a: x\n"),
    "tags in a text body": ("body: |\n", "  k%d: !t x\n"),
    "nested flow in a text body": ("body: |\n  x: ", "[{"),
    "wrong items in a text body": ("body: |\n  nits:\n", "  - - a\n"),
    "prose in a text body": ("body: |\n", "  a b c\n"),
}
_JSON_ITEMS = {
    "numbers": "1,",
    "fractions": "1.5e300,",
    "numbers too large": "1e999,",
    "numbers that are none": "NaN,\n",
    "empty lists": "[],",
    "empty mappings": "{},",
    "the same key twice": '{"a":1,"a":1},',
    "half surrogates": '"\\ud800",',
    "escapes": '"\\u0041\\n",',
    "long integers": "1" * 4300 + ",",
    "longer integers": "1" * 4301 + ",",
    "flawed patterns": '"../x",',
    "brackets": '"[[[[",',
    "braces": '"{a,{a,{a,",',
}


def texts() -> Iterator[tuple[str, bytes]]:
    """Give every text with its name."""
    for name, unit in _YAML_UNITS.items():
        yield f"oacp {name}", filled(unit)
    for name, (opening, unit) in _YAML_OPENINGS.items():
        yield f"oacp {name}", filled(unit, head=OACP + opening)
    for name, (opening, unit) in _FEEDBACK_BODIES.items():
        yield f"oacp {name}", filled(unit, head=FEEDBACK + opening)
    yield "oacp deeper and deeper", filled_deeper()
    yield "oacp aliases of aliases", aliases_of_aliases()
    for name, unit in _JSON_ITEMS.items():
        yield f"acp {name}", within(ACP, "[", unit, "1]")
        yield f"agentmail {name}", within(MAIL, "[", unit, '"a"]')
    yield from _nested_json()


def filled_deeper() -> bytes:
    """A block mapping whose every line is indented more than the last."""
    lines = (" " * depth + f"k{depth}:\n" for depth in range(1, 350))
    return (OACP + "x:\n" + "".join(lines)).encode()


def aliases_of_aliases() -> bytes:
    """Lists of lists by aliases: few bytes, many nodes, just within what may expand."""
    levels = "".join(f"x{n}: &x{n} [{f'*x{n - 1} ,' * 9}*x{n - 1} ]\n" for n in range(1, 5))
    return (OACP + "x0: &x0 [[],[],[],[],[],[],[],[],[],[]]\n" + levels).encode()


def _nested_json() -> Iterator[tuple[str, bytes]]:
    for frame, dialect in ((ACP, "acp"), (MAIL, "agentmail")):
        yield f"{dialect} lists never closed", within(frame, "", "[", "")
        yield f"{dialect} mappings never closed", within(frame, "", '{"a":', "")
        yield f"{dialect} braces never closed", within(frame, "", "{", "")
        yield (
            f"{dialect} duplicates in a huge key",
            within(frame, '{"' + "k" * 30_000 + '":{', '"a":1,', '"b":1}}'),
        )
        yield f"{dialect} a pattern of brackets", within(frame, '["', "[", '"]')
        yield f"{dialect} a pattern of braces", within(frame, '["', "{a,", '"]')
        lists = frame.replace("HERE", "[" * 30_000 + "]" * 30_000)
        yield f"{dialect} lists closed again", lists.encode()
        deep = within(
            frame.replace("HERE", "[1," * 60 + "HERE" + "]" * 60), "{", '"a":1,', '"b":1}'
        )
        yield f"{dialect} duplicates deep down", deep

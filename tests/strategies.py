"""What the property tests are fed with: odd texts, any JSON, and valid messages of every type.

The messages are made from the schema files: a small generator walks exactly the keywords that they
use. What a schema can't say (two fields that must agree) is mended afterwards.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from schema_files import Part, Schema, documents, schema_id, unfold

Values = st.SearchStrategy[Any]

_WORDS = (
    "yes no on off y n true True FALSE null ~ Null nan .nan .inf -.INF 0 42 -1 +5 -0 010 007 "
    "1_000 0x1f 0o17 0b1 1e3 1e999 0.5 .5 1. 1:30 12:30:45 12345678901234567890 "
    "2026-03-13 2026-03-13T14:30:00Z = << --- ... - -- ? | > |- >+ |2 [ ] { } [a] {a: !!str !x "
    "&a *a %YAML %TAG @a `a # a#b ' '' \" \\ \\n \\u0041 "
    "\ufeff \u202e \u200b \u0085 \u2028 \u2029 \ufffd \ufffe \uffff"
)
ODD_WORDS = tuple(_WORDS.split(" "))
_PIECES = (
    ": ",
    " #",
    "- ",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    "\t",
    " ",
    "  ",
    "\n ",
    " \n",
    "\0",
    "\x1b",
)
_TEXTS_OF_PIECES = st.lists(
    st.sampled_from(ODD_WORDS + _PIECES) | st.text(max_size=6), max_size=7
).map("".join)
texts = st.sampled_from(ODD_WORDS) | _TEXTS_OF_PIECES | st.text(max_size=30)
plain_words = st.from_regex(r"[a-z]{1,8}( [a-z]{1,8}){0,4}", fullmatch=True)
whole_numbers = st.integers(-(2**53), 2**53)
numbers = whole_numbers | st.floats(allow_nan=False, allow_infinity=False)

_NO_SPACE = re.compile("[^\\s\ufeff]")


def says_something(text: str) -> bool:
    """True for a text that isn't blank to anybody, Python or the schemas."""
    return _NO_SPACE.search(text) is not None


LINE_ENDS = re.compile("[\n\r\x0b\x0c\x85\u2028\u2029]")
lines = texts.map(lambda text: LINE_ENDS.sub(" ", text))
names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True).filter(
    lambda name: ".." not in name
)
uuids = st.integers(0, 2**128 - 1).map(lambda number: str(UUID(int=number)))
times = st.datetimes().map(lambda moment: moment.strftime("%Y-%m-%dT%H:%M:%S").zfill(19))


def trees(leaves: Values, max_leaves: int = 8) -> Values:
    """Lists and mappings of these leaves, nested a little."""
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
        max_leaves=max_leaves,
    )


any_json = trees(st.none() | st.booleans() | numbers | texts)
any_yaml = trees(st.booleans() | whole_numbers | texts)  # no null: it counts as missing

_BY_CODE: dict[str, Values] = {
    "blank_field": texts,
    "not_one_line": lines,
    "bad_id": st.nothing(),  # each dialect has its own
    "bad_name": names,
    "bad_uuid": uuids | uuids.map(str.upper),
    "bad_timestamp": times.map(lambda time: time + "Z") | times.map(lambda time: time + ".125Z"),
    "bad_agent_id": st.from_regex(r"(ed25519[.])?[0-9a-f]{32}", fullmatch=True),
    "bad_version": st.from_regex(r"1[.](0|[1-9][0-9]{0,3})[.]0", fullmatch=True),
}
_ID_OF = {
    "oacp": uuids | texts.map(lambda text: re.sub(r"[\s/]", "", text)),
    "agentmail": uuids | uuids.map(lambda text: "msg-" + text),
}


def values(parts: list[Part]) -> Values:
    """Values that hold for all these schemas."""
    schemas = [schema for schema, _ in parts]
    allowed = set.intersection(*map(_types, schemas))
    if choices := [set(_choices(schema)) for schema in schemas if _choices(schema)]:
        return st.sampled_from(sorted(set.intersection(*choices)))
    if len(allowed) == len(_EVERY_TYPE):
        return any_yaml if "oacp" in parts[0][1] else any_json
    if "object" in allowed and any("properties" in schema for schema in schemas):
        allowed = {"object"}  # prose in place of fields is valid for a schema, not for the rules
    return st.one_of([_MAKERS[name](parts, schemas) for name in sorted(allowed)])


_EVERY_TYPE = frozenset({"string", "integer", "number", "boolean", "object", "array", "null"})


def _types(schema: Schema) -> set[str]:
    named = schema.get("type")
    if named is None:
        return set(_EVERY_TYPE)
    return {named} if isinstance(named, str) else set(named)


def _choices(schema: Schema) -> list[str]:
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))


def _all(schemas: list[Schema], keyword: str) -> list[Any]:
    return [schema[keyword] for schema in schemas if keyword in schema]


def _texts(parts: list[Part], schemas: list[Schema]) -> Values:
    codes: set[str] = {schema["x-code"] for schema in schemas if "pattern" in schema}
    made = texts
    for code in sorted(codes, key=tuple(_BY_CODE).index):  # the last is the most special
        made = _ID_OF[parts[0][1].split(":")[2]] if code == "bad_id" else _BY_CODE[code]
    patterns = [re.compile(pattern) for pattern in _all(schemas, "pattern")]
    longest = min(_all(schemas, "maxLength"), default=200)

    def fits(text: str) -> bool:
        return len(text) <= longest and all(pattern.search(text) for pattern in patterns)

    return made.filter(fits)


def _numbers(parts: list[Part], schemas: list[Schema]) -> Values:
    least, most = (
        max(_all(schemas, "minimum"), default=None),
        min(_all(schemas, "maximum"), default=None),
    )
    whole = st.integers(least if least is not None else -1000, most if most is not None else 2**53)
    if any("integer" in _types(schema) and "number" not in _types(schema) for schema in schemas):
        return whole
    return whole | st.floats(least, most, allow_nan=False, allow_infinity=False)


def _lists(parts: list[Part], schemas: list[Schema]) -> Values:
    items = [
        part
        for schema, base in parts
        if "items" in schema
        for part in unfold(schema["items"], base)
    ]
    return st.lists(
        values(items) if items else any_json,
        min_size=max(_all(schemas, "minItems"), default=0),
        max_size=min(_all(schemas, "maxItems"), default=4),
        unique=any(_all(schemas, "uniqueItems")),
    )


def _mappings(parts: list[Part], schemas: list[Schema]) -> Values:
    fields: dict[str, list[Part]] = {}
    for schema, base in parts:
        for name, sub in schema.get("properties", {}).items():
            fields.setdefault(name, []).extend(unfold(sub, base))
    required = {name for listed in _all(schemas, "required") for name in listed}
    if not fields:
        leaves = any_yaml if "oacp" in parts[0][1] else any_json
        return st.dictionaries(
            texts, leaves, min_size=max(_all(schemas, "minProperties"), default=0), max_size=4
        )
    made = {name: values(subs) for name, subs in fields.items()}
    return st.fixed_dictionaries(
        {name: one for name, one in made.items() if name in required},
        optional={name: one for name, one in made.items() if name not in required},
    )


_MAKERS: dict[str, Callable[[list[Part], list[Schema]], Values]] = {
    "string": _texts,
    "integer": _numbers,
    "number": _numbers,
    "array": _lists,
    "object": _mappings,
    "boolean": lambda parts, schemas: st.booleans(),
    "null": lambda parts, schemas: st.none(),
}


@cache
def shaped(dialect: str, type_name: str) -> Values:
    """Messages of a type that hold for its schema."""
    document_id = schema_id(dialect, type_name)
    return values(unfold(documents()[document_id], document_id))


def messages(dialect: str, type_name: str) -> Values:
    """Valid messages of a type: they hold for the schema and for the rules beside it."""
    return shaped(dialect, type_name).map(_MENDERS[dialect])


def _mend_oacp(message: dict[str, Any]) -> dict[str, Any]:
    kind, body = message["type"], message["body"]
    if kind in ("handoff", "handoff_complete") and isinstance(message["to"], list):
        message = {**message, "to": message["to"][0]}
    if kind == "handoff" and body["source_agent"] == body["target_agent"]:
        body = {**body, "source_agent": "giver", "target_agent": "taker"}
    if kind == "review_lgtm" and body["quality_gate_result"] == "fail":
        body = {**body, "merge_ready": False}
    return {**message, "body": body}


_ASKING = ("ping", "query", "delegate", "notify", "discover")


def _mend_acp(message: dict[str, Any]) -> dict[str, Any]:
    if message["kind"] in _ASKING:
        message = {**message, "ref": None}
    if message["kind"] == "hello":
        message = {**message, "payload": {"selected_version": 1, **message["payload"]}}
    return message


_PRIORITIES = ("urgent", "high", "normal", "low")
_PATTERNS = ("src/**", "*.md", "web/[a-z]?/{a,b}.ts", "docs/über uns/*")


def _mend_agentmail(message: dict[str, Any]) -> dict[str, Any]:
    mended = dict(message)
    if "priority" in message and "priority_value" in message:
        mended["priority_value"] = _PRIORITIES.index(message["priority"])
    if "reservation_request" in message:
        request = dict(message["reservation_request"])
        request["file_patterns"] = list(_PATTERNS[: len(request["file_patterns"])])
        mended["reservation_request"] = request
    if "alternatives" in message and message["type"] == "file_reservation":
        mended["alternatives"] = [
            {**other, "pattern": _PATTERNS[index % 4]}
            for index, other in enumerate(message["alternatives"])
        ]
    return mended


_MENDERS = {"oacp": _mend_oacp, "acp": _mend_acp, "agentmail": _mend_agentmail}

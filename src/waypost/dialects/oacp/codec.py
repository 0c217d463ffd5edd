"""OACP messages between bytes and fields."""

from collections.abc import Mapping
from typing import Any

from waypost.dialects import yaml_text
from waypost.dialects.message import Blanks, Dialect, Fields, Message
from waypost.dialects.oacp import emitter, ids, normal
from waypost.dialects.oacp.rules import RULES, file_name_problems, text_body_problem, unknown_fields
from waypost.dialects.oacp.types import TYPES
from waypost.dialects.text import AT_KEY, Positions, beside, decode, finish
from waypost.dialects.tree import not_a_mapping, plain
from waypost.dialects.yaml_positions import NestedPositions
from waypost.errors import At, Problem

_ENVELOPE = "envelope"
_LONGEST_NAME = 200
_FEW = 5  # so many findings are placed one by one; more pay for an exact reading


class Oacp(Dialect):
    name = "oacp"
    types = TYPES
    example_ending = "yaml"
    rules = RULES

    def __init__(self) -> None:
        super().__init__()
        self._bodies: dict[str, normal.BodyShape | None] = {}
        envelope = self.shapes.document(self.schema_id(_ENVELOPE))
        self._required: list[str] = envelope["required"]
        self._order = tuple(envelope["properties"])
        self._envelope_fields = frozenset(self._order)

    def body_shape(self, type_name: object) -> normal.BodyShape | None:
        """The body schema of a type, or None where the body is free."""
        if not isinstance(type_name, str) or type_name not in self.types:
            return None
        if type_name not in self._bodies:
            document_id = self.schema_id(type_name)
            self._bodies[type_name] = normal.body_shape(self.shapes, document_id)
        return self._bodies[type_name]

    # -- reading ---------------------------------------------------------------------------

    def read(self, data: bytes, file_name: str | None = None) -> Message:
        text = decode(data)
        if isinstance(text, Problem):
            return Message(self.name, None, None, finish([text], None), data)
        return self._read_fast(text, data, file_name) or self._read_exactly(text, data, file_name)

    def _read_fast(self, text: str, data: bytes, file_name: str | None) -> Message | None:
        """Read a harmless message whose findings, if any, are easily placed; None for others."""
        tree = yaml_text.read_fast(text)
        if tree is None:
            return None
        try:
            fields, _, _ = self._normal(tree, exact=False)
        except normal.UnsureError:
            return None
        found = self.findings(fields)
        found += file_name_problems(file_name, fields) if file_name else []
        if len(found) > _FEW:
            return None
        placed = [_placed(problem, text, fields) for problem in found]
        if None in placed:
            return None
        problems = finish([problem for problem in placed if problem], None)
        kind = fields.get("type")
        return Message(self.name, kind if isinstance(kind, str) else None, fields, problems, data)

    def _read_exactly(self, text: str, data: bytes, file_name: str | None) -> Message:
        from waypost.dialects import yaml_events

        reading = yaml_events.read_exact(text)
        flaws = reading.problems
        if not isinstance(reading.tree, dict):
            nothing = Problem((), "empty", "holds no message")
            flaws = flaws or [nothing if reading.tree is None else not_a_mapping()]
            return Message(self.name, None, None, finish(flaws, reading.positions), data)
        fields, body_flaws, inner = self._normal(reading.tree)
        positions: Positions = reading.positions
        if inner is not None:
            body = reading.tree["body"]
            positions = nested = reading.positions.inside("body", body, inner.positions)
            body_flaws = [_moved_out(flaw, nested) for flaw in body_flaws]
        found = beside(flaws + body_flaws, self.findings(fields))
        found += file_name_problems(file_name, fields) if file_name else []
        kind = fields.get("type")
        kind = kind if isinstance(kind, str) else None
        return Message(self.name, kind, fields, finish(found, positions), data)

    def _normal(self, tree: Fields, *, exact: bool = True) -> normal.Normal:
        shape = self.body_shape(tree.get("type"))
        return normal.normal_form(tree, self._required, shape, exact=exact)

    # -- checking --------------------------------------------------------------------------

    def prepare(self, fields: Mapping[str, Any]) -> tuple[Fields, list[Problem]]:
        tree, flaws = plain(fields)
        if not isinstance(tree, dict):
            return {}, [not_a_mapping()]
        message, body_flaws, _ = self._normal(normal.as_text(tree))
        return message, flaws + [flaw._replace(line=None, column=None) for flaw in body_flaws]

    def findings(self, fields: Fields, *, sending: bool = False) -> list[Problem]:
        found = super().findings(fields, sending=sending)
        shape = self.body_shape(fields.get("type"))
        known: dict[At, frozenset[str]] = {(): self._envelope_fields}
        found += unknown_fields(fields, known | shape.known if shape else known)
        if shape and isinstance(fields.get("body"), str):
            found += text_body_problem(fields["body"], sending)
        return found

    # -- writing ---------------------------------------------------------------------------

    def fill(self, fields: Fields, blanks: Blanks, answering: Fields | None) -> Fields:
        sender = str(fields.get("from") or "")
        filled: Fields = {
            "id": ids.message_id(blanks.now, sender, blanks.rand),
            "created_at_utc": blanks.now,
            **{key: value for key, value in fields.items() if value is not None},
        }
        if answering is not None:
            filled.setdefault("parent_message_id", answering.get("id"))
            filled.setdefault("conversation_id", _to_go_on(answering))
        filled.setdefault("priority", _default_priority(filled, answering))
        return filled

    def write(self, fields: Fields) -> bytes:
        return emitter.write_message(fields, self._order).encode()

    def as_written(self, fields: Fields) -> Fields:
        """A mapping body is written as text; where the body is free it stays text."""
        body = fields["body"]
        if isinstance(body, dict) and self.body_shape(fields["type"]) is None:
            return {**fields, "body": emitter.write_mapping(body)}
        return fields


def _default_priority(fields: Fields, answering: Fields | None) -> str:
    """A follow-up takes its risk tier, an answer its parent's priority, all else is normal."""
    kind = str(fields.get("type"))
    if kind == "follow_up":
        body = fields.get("body")
        if isinstance(body, str):
            reading = normal.body_reading(body)
            body = reading.tree if reading else None
        tier = body.get("risk_tier") if isinstance(body, dict) else None
        return tier if tier in ("P2", "P3") else "P2"
    if kind in TYPES and TYPES[kind].is_answer and answering is not None:
        priority = answering.get("priority")
        return str(priority) if priority in ("P0", "P1", "P2", "P3") else "P2"
    return "P2"


def _to_go_on(answering: Fields) -> str | None:
    """The conversation of what is answered; where its name is no good, a new one begins."""
    name = answering.get("conversation_id")
    if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST_NAME:
        return None
    return name if len(name.splitlines()) == 1 else None


def _placed(problem: Problem, text: str, fields: Fields) -> Problem | None:
    """Give a finding its line and column without reading again, if that is easy."""
    if not problem.at:
        return None
    value = fields.get(str(problem.at[0]))
    found = yaml_text.quick_place(text, problem.at, problem.code in AT_KEY, value)
    return problem._replace(line=found[0], column=found[1]) if found else None


def _moved_out(problem: Problem, positions: NestedPositions) -> Problem:
    inner = (problem.line, problem.column) if problem.line and problem.column else None
    line, column = positions.outward(inner) or (None, None)
    return problem._replace(line=line, column=column)

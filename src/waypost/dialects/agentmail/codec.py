"""Agent Mail messages between bytes and fields."""

from waypost.dialects.agentmail.rules import PRIORITIES, RULES, VERSION
from waypost.dialects.agentmail.types import TYPES
from waypost.dialects.message import Blanks, Fields, JsonDialect, with_defaults

_FIRST = ("version", "timestamp", "sender_id", "message_id", "type")


class AgentMail(JsonDialect):
    name = "agentmail"
    types = TYPES
    rules = RULES

    def fill(self, fields: Fields, blanks: Blanks, answering: Fields | None) -> Fields:
        filled: Fields = {
            "version": VERSION,
            "timestamp": blanks.now,
            "message_id": "msg-" + blanks.uuid,
            **fields,
        }
        if answering is not None and "task_id" in answering:
            filled.setdefault("task_id", answering["task_id"])
        if filled.get("type") == "task_assignment":
            _fill_priority(filled)
        if filled.get("type") in self.types:
            filled = with_defaults(self.shapes.document(self.schema_id(filled["type"])), filled)
        return {key: filled[key] for key in _FIRST if key in filled} | filled


def _fill_priority(fields: Fields) -> None:
    """Either of the two priorities says the other; neither means normal."""
    value = fields.get("priority_value")
    if "priority" not in fields:
        known = (
            isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(PRIORITIES)
        )
        fields["priority"] = PRIORITIES[value] if known and isinstance(value, int) else "normal"
    if "priority_value" not in fields and fields["priority"] in PRIORITIES:
        fields["priority_value"] = PRIORITIES.index(fields["priority"])

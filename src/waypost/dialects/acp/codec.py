"""ACP messages between bytes and fields."""

from waypost.dialects.acp.rules import RULES, VERSION
from waypost.dialects.acp.types import TYPES
from waypost.dialects.message import Blanks, Fields, JsonDialect, with_defaults

_KEYS = ("v", "id", "from", "to", "ts", "kind", "ref", "payload")
_PREFIX = "ed25519."


class Acp(JsonDialect):
    name = "acp"
    types = TYPES
    type_field = "kind"
    rules = RULES

    def fill(self, fields: Fields, blanks: Blanks, answering: Fields | None) -> Fields:
        filled: Fields = {
            "v": VERSION,
            "id": blanks.uuid,
            "ts": blanks.milliseconds,
            "ref": answering.get("id") if answering else None,
            **fields,
        }
        for end in ("from", "to"):
            if end in filled:
                filled[end] = typed_id(filled[end])
        if filled.get("payload") is None:
            filled["payload"] = {}
        known = filled.get("kind") in self.types
        if known and isinstance(filled["payload"], dict):
            schema = self.shapes.document(self.schema_id(filled["kind"]))
            filled["payload"] = with_defaults(
                schema["properties"].get("payload", {}), filled["payload"]
            )
        ordered = {key: filled[key] for key in _KEYS if key in filled}
        return ordered | filled


def typed_id(agent_id: object) -> object:
    """Write an agent id with its prefix; what is no bare id is left as it is."""
    if isinstance(agent_id, str) and len(agent_id) == 32 and not agent_id.startswith(_PREFIX):
        return _PREFIX + agent_id
    return agent_id

"""What a message type wants to be told: the schema of its content, and an example."""

from typing import Any

from waypost.dialects import dialect
from waypost.dialects.describe import content_of
from waypost.office.drafts import dialect_of


def describe(type_name: str) -> dict[str, Any]:
    """A type for whoever wants to send it. Raises UnknownTypeError, with the near ones."""
    name = dialect_of(type_name)
    schema, example = content_of(dialect(name), type_name)
    return {"type": type_name, "dialect": name, "schema": schema, "example": example}

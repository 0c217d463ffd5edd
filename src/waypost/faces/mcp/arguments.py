"""What a model gives a tool is checked against what the tool says it takes, all at once.

The checks are made from the very schemas that clients are shown, but for choices: which words are
good is the use-case's to say, and it knows the near ones.
"""

from collections.abc import Mapping
from typing import Any

from waypost.dialects.shape import Shapes
from waypost.dialects.text import beside, finish
from waypost.dialects.tree import plain
from waypost.errors import NotFoundError, Problem, UsageError, quoted
from waypost.faces.mcp.schemas import Schema
from waypost.faces.mcp.tools import BY_NAME, Tool
from waypost.letters.names import did_you_mean


def find(name: str) -> Tool:
    """The tool of this name. Raises NotFoundError."""
    if (tool := BY_NAME.get(name)) is not None:
        return tool
    hint = did_you_mean(name, BY_NAME) or "there are " + ", ".join(BY_NAME)
    raise NotFoundError(f"there is no tool {quoted(name)}", hint=hint)


def checked(tool: Tool, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments for the tool's use-case. Raises UsageError with everything that is wrong."""
    tree, found = plain(given or {})
    arguments = {key: value for key, value in tree.items() if value is not None}
    known = tool.takes["properties"]
    found += [
        Problem((key,), "unknown_argument", "is no argument of this tool",
                did_you_mean(key, known) or "there are " + ", ".join(known))
        for key in arguments if key not in known
    ]  # fmt: skip
    found = beside(found, list(_SHAPES.check(tool.name)(arguments) or ()))
    if found:
        problems = finish(found, None)
        more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
        raise UsageError(problems[0].message + more, hint=problems[0].hint, problems=problems)
    for ours, theirs in tool.renamed:
        arguments[theirs] = arguments.pop(ours)
    return arguments


def _checkable(name: str) -> Schema:
    takes = BY_NAME[name].takes
    fields = {key: _lenient(key, value) for key, value in takes["properties"].items()}
    return takes | {"properties": fields}


def _lenient(key: str, schema: Schema) -> Schema:
    kept = {word: value for word, value in schema.items() if word not in ("enum", "description")}
    return kept | {"type": ["array", "string"]} if key == "to" else kept


_SHAPES = Shapes(_checkable)

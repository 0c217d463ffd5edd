"""The three dialects: what their messages are, how to read, check and write them. Pure.

Nothing here touches files, sockets, clocks or chance; the schema and example files of the package
itself are the one exception.
"""

from functools import cache
from importlib import import_module

from waypost.dialects.message import Dialect
from waypost.errors import UsageError, quoted
from waypost.letters.names import did_you_mean

_CLASSES = {
    "oacp": "oacp.codec:Oacp",
    "acp": "acp.codec:Acp",
    "agentmail": "agentmail.codec:AgentMail",
}
DIALECTS = tuple(_CLASSES)


@cache
def dialect(name: str) -> Dialect:
    """Give the dialect with this name. Raises UsageError when there is none."""
    if name not in _CLASSES:
        raise UsageError(
            f"no dialect is called {quoted(name)}",
            hint=did_you_mean(name, DIALECTS) or "there are " + ", ".join(DIALECTS),
        )
    module, _, class_name = _CLASSES[name].partition(":")
    made: Dialect = getattr(import_module(f"waypost.dialects.{module}"), class_name)()
    return made

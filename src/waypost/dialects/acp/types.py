"""The table of ACP's kinds: which answer which, and what travels on a stream of its own."""

from waypost.dialects.message import MessageType

TYPES = {
    "hello": MessageType(("hello", "error")),
    "ping": MessageType(("pong", "error")),
    "pong": MessageType(is_answer=True),
    "query": MessageType(("response", "error")),
    "response": MessageType(is_answer=True),
    "delegate": MessageType(("ack", "result", "error")),
    "ack": MessageType(is_answer=True),
    "result": MessageType(is_answer=True),
    "notify": MessageType(),
    "cancel": MessageType(("ack", "error"), is_answer=True),
    "discover": MessageType(("capabilities", "error")),
    "capabilities": MessageType(is_answer=True),
    "error": MessageType(is_answer=True),
}

"""`waypost examples`: whole worked messages and conversations, ready to copy."""

from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.commands.topics import all_types, conversations, find_types
from waypost.dialects.describe import title_of
from waypost.dialects.detect import read
from waypost.errors import NotFoundError
from waypost.letters.names import did_you_mean

_EXAMPLES = """\
  waypost examples                          list the topics
  waypost examples oacp/handoff > h.yaml    one whole message
  waypost examples review-loop              a conversation, message by message
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Print the message or conversation of a topic, or list the topics."""
    parser = Parser("waypost examples", "Show whole worked messages.", _EXAMPLES)
    parser.add_argument("topic", nargs="?", help="a message type or a conversation")
    parser.add_argument("--json", action="store_true", help="print JSON")
    topic = parser.parse_args(argv).topic
    if topic is None:
        _list_topics(console)
    else:
        _show(console, topic, _messages(topic))
    return 0


def _messages(topic: str) -> list[tuple[str, bytes]]:
    worked = conversations()
    if topic in worked:
        return worked[topic]
    try:
        found = find_types(topic)
    except NotFoundError as error:
        error.hint = did_you_mean(topic, worked) or error.hint
        raise
    return [(str(one), one.dialect.example(one.type)) for one in found]


def _list_topics(console: Console) -> None:
    topics = {
        name: f"a conversation of {len(steps)} messages" for name, steps in conversations().items()
    }
    topics |= {str(one): title_of(one.dialect, one.type)[1] for one in all_types()}
    if console.as_json:
        console.json([{"topic": name, "about": about} for name, about in topics.items()])
        return
    for name, about in topics.items():
        console.data(f"{name:<32} {about}")


def _show(console: Console, topic: str, messages: list[tuple[str, bytes]]) -> None:
    if console.as_json:
        shown = []
        for name, data in messages:
            message = read(data)
            shown.append(
                {
                    "name": name,
                    "dialect": message.dialect,
                    "type": message.type,
                    "text": data.decode(),
                }
            )
        console.json({"topic": topic, "messages": shown})
        return
    for name, data in messages:
        if len(messages) > 1:
            console.talk(console.paint(f"# {name}", "dim"))
        if len(messages) > 1 and name.endswith(".yaml"):
            console.data("---")
        console.data(data.decode().rstrip("\n"))

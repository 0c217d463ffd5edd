"""`waypost questions` and `answer`: what agents ask people, and people's answers."""

from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import add_options, connect, same_place
from waypost.commands.office_send import body_of, show_receipt
from waypost.commands.office_show import count, short_ids, show_letters
from waypost.errors import visible

_ANSWER_EXAMPLES = """\
  waypost answer 8e4a0b52 "Yes, drop the table."
  waypost answer 8e4a0b52 < decision.md
"""


def questions(console: Console, argv: Sequence[str]) -> int:
    """List what waits for a person."""
    parser = Parser(
        "waypost questions", "List what agents ask the people of the project.", _EXAMPLE
    )
    add_options(parser)
    arguments = parser.parse_args(argv)
    with connect(arguments) as office:
        page = office.ask("inbox", people=True, unread_only=False, limit=200)
    if console.as_json:
        console.json(page)
        return 0
    letters = page["letters"]
    console.data(console.paint(f"{count(len(letters), 'question')} for people", "bold"))
    show_letters(console, letters)
    if letters:
        there, name = visible(same_place(arguments)), short_ids(letters)[letters[0]["id"]]
        console.talk(f"next: waypost read{there} {name}    then: waypost answer{there} {name} …")
    return 0


_EXAMPLE = "  waypost questions --agent ada\n"


def answer(console: Console, argv: Sequence[str]) -> int:
    """Answer a question as a person."""
    parser = Parser("waypost answer", "Answer what an agent asked people.", _ANSWER_EXAMPLES)
    parser.add_argument("letter", metavar="ID", help="the question, or the beginning of its id")
    parser.add_argument("text", nargs="?", help="the answer; else it is read from a pipe")
    add_options(parser)
    arguments = parser.parse_args(argv)
    text = body_of(arguments.text, None)
    with connect(arguments) as office:
        receipt = office.ask("answer", letter=arguments.letter, text=text)
    if console.as_json:
        console.json(receipt)
    else:
        show_receipt(console, receipt)
    return 0

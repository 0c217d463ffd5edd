"""`waypost listen`: an agent that stays online, with programs for handlers."""

from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.commands.live_place import add_options, count, who

_EXAMPLES = """\
  waypost listen --as family --domain family --exec 'claude -p "$WAYPOST_QUESTION$WAYPOST_TASK"'
  waypost listen --as kit --on 0.0.0.0:7100 --on-result ./result.sh
  waypost listen --as kit                    prints news and results as they come
"""
_ABOUT = """Stay online as an agent; programs answer for it.

A program gets the payload as JSON on its standard input, and as WAYPOST_… in its environment.
What it prints is the answer: text, or a JSON object with "summary" (a question) or "outcome"
(a task). Exit code 75 refuses; the last line of its standard error says why."""


def run(console: Console, argv: Sequence[str]) -> int:
    """Listen until interrupted."""
    parser = Parser("waypost listen", _ABOUT, _EXAMPLES)
    parser.add_argument(
        "--on", metavar="HOST:PORT", help="where; it is remembered. At first 127.0.0.1:7100"
    )
    parser.add_argument("--exec", metavar="CMD", help="answers questions and does tasks")
    parser.add_argument("--on-notify", metavar="CMD", help="runs for news; else they are printed")
    parser.add_argument("--on-result", metavar="CMD", help="runs for results; else likewise")
    parser.add_argument(
        "--domain", action="append", default=[], metavar="D", help="the card: what it knows of"
    )
    parser.add_argument(
        "--tool", action="append", default=[], metavar="T", help="the card: what it can use"
    )
    parser.add_argument("--model", help="the card: its model")
    parser.add_argument("--max-tasks", type=count, default=4, metavar="N", help="at once; 4")
    parser.add_argument("--lan", action="store_true", help="announce it in the local network")
    parser.add_argument("--verbose", action="store_true", help="log everything, on stderr")
    add_options(parser)
    wanted = parser.parse_args(argv)
    name = who(wanted)
    from waypost.commands.live_listening import listen

    return listen(console, wanted, name)

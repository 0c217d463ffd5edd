"""`oacp validate`: the flags and exit codes that scripts know, over the one checker."""

from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.commands.inputs import Input, read_inputs
from waypost.commands.validate import Result, bytes_of, check
from waypost.dialects.message import Message
from waypost.dialects.oacp.codec import Oacp
from waypost.errors import visible

INVALID = 1
_EXAMPLES = """\
  oacp validate 20260313T1430Z_claude_task_request.yaml
  oacp validate --quiet inbox/*.yaml && echo all good
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Check message files; exit 0 when all are valid, 1 when one isn't, 2 for wrong usage."""
    parser = Parser("oacp validate", "Check OACP message files.", _EXAMPLES)
    parser.add_argument("files", nargs="+", metavar="FILE", help="a message file, a folder, or -")
    parser.add_argument("--quiet", action="store_true", help="say nothing about valid files")
    parser.add_argument("--strict", action="store_true", help="take warnings for errors")
    parser.add_argument("--json", action="store_true", help="print one JSON object a file")
    arguments = parser.parse_args(argv)
    oacp = Oacp()

    def read(given: Input) -> Message:
        return oacp.read(bytes_of(given), given.file_name)

    code = 0
    for given in read_inputs(arguments.files):
        result = check(given, read, strict=arguments.strict)
        if not result.message.valid:
            code = INVALID
        _show(console, result, quiet=arguments.quiet)
    return code


def _show(console: Console, result: Result, *, quiet: bool) -> None:
    if console.as_json:
        console.json(result.to_json())
        return
    source = visible(result.source)
    for problem in result.message.problems:
        if not (quiet and not problem.is_error):
            place = f"{source}:{problem.line}: " if problem.line else f"{source}: "
            console.talk(f"{problem.severity.upper()}: {place}{problem.message}")
    if result.message.valid and not quiet:
        console.data(f"OK: {source}")

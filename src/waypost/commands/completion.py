"""`waypost completion SHELL`: the few lines by which a shell asks us how a word may go on.

The lines hold no list of their own, so they never grow old: at each Tab the shell runs
`completion words`, which answers quickly, or with nothing.
"""

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from waypost.commands.console import Console, Parser
from waypost.errors import UsageError, quoted

_PATIENCE_SECONDS = 1.5
_BASH = """\
_PROGRAM_complete() {
    local IFS=$'\\n' word="${COMP_WORDS[COMP_CWORD]}"
    COMPREPLY=($(PROGRAM completion words -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" "$word" 2>/dev/null))
}
complete -o default -F _PROGRAM_complete PROGRAM
"""
_ZSH = """\
#compdef PROGRAM
_PROGRAM_complete() {
    local -a found
    found=("${(@f)$(PROGRAM completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "$found[1]" ]]; then compadd -- "${found[@]}"; else _files; fi
}
if [[ "$funcstack[1]" = "_PROGRAM" ]]; then
    _PROGRAM_complete
else
    compdef _PROGRAM_complete PROGRAM
fi
"""
_FISH = """\
function __PROGRAM_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l found (PROGRAM completion words -- $before[2..-1] "$current" 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c PROGRAM -f -a '(__PROGRAM_complete)'
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def run(console: Console, argv: Sequence[str]) -> int:
    """Complete words of `waypost`."""
    return _run(console, "waypost", argv)


def run_oacp(console: Console, argv: Sequence[str]) -> int:
    """Complete words of `oacp`."""
    return _run(console, "oacp", argv)


def _run(console: Console, program: str, argv: Sequence[str]) -> int:
    if argv[:2] == ["words", "--"]:
        _answer(program, list(argv[2:]))
        return 0
    parser = Parser(f"{program} completion", "Let a shell complete words.", _examples(program))
    parser.add_argument("shell", help=", ".join(_SCRIPTS))
    parser.add_argument("--json", action="store_true", help="print JSON")
    shell = parser.parse_args(argv).shell
    if shell not in _SCRIPTS:
        hint = "known are " + ", ".join(_SCRIPTS)
        raise UsageError(f"there is no completion for {quoted(shell)}", hint=hint)
    text = _SCRIPTS[shell].replace("PROGRAM", program)
    if console.as_json:
        console.json({"program": program, "shell": shell, "script": text})
    else:
        console.data(text.rstrip("\n"))
    return 0


def _examples(program: str) -> str:
    return f"""\
  {program} completion bash >> ~/.bashrc
  {program} completion zsh > ~/.zfunc/_{program}     a folder of your fpath
  {program} completion fish > ~/.config/fish/completions/{program}.fish
"""


def _answer(program: str, words: list[str]) -> None:
    """Print how the last of the words may go on; silent about whatever goes wrong."""
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE_SECONDS)
    found: list[str] = []
    with suppress(Exception):
        from waypost.commands.completing import candidates

        found = candidates(program, words)
    sys.stdout.write("".join(f"{word}\n" for word in found if word.isprintable()))
    sys.stdout.flush()
    signal.setitimer(signal.ITIMER_REAL, 0)

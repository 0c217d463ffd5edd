"""Where a command stands: which home, which project, which agent.

A project is found by flag, by environment, by the nearest `.waypost.toml`, `.oacp` or
`workspace.json` upwards, by `config.toml`, or because it is the only one there is.
"""

import os
from collections.abc import Callable, Iterable, Mapping

from waypost.errors import UsageError, quoted
from waypost.letters.names import NAME_RULE, is_name
from waypost.mailbox.place import MARKS, marked
from waypost.runtime.config import Config, Setting, read_toml

MARK = ".waypost.toml"
ANYONE = "anyone, for looking"


def find_home(environment: Mapping[str, str], flag: str | None = None) -> Setting:
    """The folder of the office. It may not be there yet."""
    if flag is not None:
        return Setting(os.path.abspath(os.path.expanduser(flag)), "--home")
    if given := environment.get("WAYPOST_HOME"):
        return Setting(os.path.abspath(os.path.expanduser(given)), "WAYPOST_HOME")
    return Setting(os.path.expanduser("~/.waypost"), "default")


class Place:
    """One command's surroundings."""

    def __init__(self, environment: Mapping[str, str], here: str, home: str | None = None) -> None:
        self.environment = environment
        self.here = here
        self.home = find_home(environment, home)
        self.config = Config(self.home.value, environment)

    def journal(self, flag: str | None = None) -> str | None:
        """The address of the journal that many machines share, if this home is a node of one."""
        found = self.config.look("office.journal", flag)
        return found.value if found else None

    def project(self, flag: str | None, known: Callable[[], Iterable[str]] = tuple) -> Setting:
        """The project that is meant; `known` gives those there are. Raises UsageError."""
        found = self._named("mail.project", "WAYPOST_PROJECT", flag, "--project")
        if found is None:
            found = find_mark(self.here) or self.config.look("mail.project")
        if found is None:
            found = _only(list(known()))
        return _checked(found, "project")

    def agent(
        self,
        flag: str | None,
        known: Callable[[], Iterable[str]] = tuple,
        person: str | None = None,
        *,
        speaks: bool = True,
    ) -> Setting:
        """The agent that speaks; `known` gives those of the project. Raises UsageError.

        A person who is known is meant when nothing names an agent, and no agent's program runs us.
        Who doesn't speak but only looks does so as anyone.
        """
        found = self._named("mail.agent", "WAYPOST_AGENT", flag, "--agent")
        for variable in ("OACP_AGENT", "AGENT_NAME"):
            if found is None and (given := self.environment.get(variable)):
                found = Setting(given, variable)
        if found is None:
            found = self.config.look("mail.agent")
        if found is None:
            found = self._by_runtime(list(known()), person, speaks=speaks)
        return _checked(found, "agent")

    def _named(self, key: str, variable: str, flag: str | None, flag_name: str) -> Setting | None:
        if flag is not None or self.environment.get(variable):
            return self.config.look(key, flag, flag_name)
        return None

    def _by_runtime(self, known: list[str], person: str | None, *, speaks: bool) -> Setting:
        """The agent whose program runs us, the person at the terminal, or the only one there is."""
        running = {agent: mark for mark, agent in MARKS.items() if self.environment.get(mark)}
        if not running and person in known:
            return Setting(person, "your login")
        named = [agent for agent in known if agent in running] or known
        if len(named) == 1:
            return Setting(named[0], running.get(named[0], "the only agent"))
        if known and not speaks:
            return Setting(known[0], ANYONE)
        raise UsageError(
            "which agent are you?",
            hint="say --agent, or set WAYPOST_AGENT"
            + (": " + ", ".join(known[:20]) if known else ""),
        )


def find_mark(start: str) -> Setting | None:
    """The project of the nearest folder upwards that says which it belongs to."""
    folder = os.path.abspath(start)
    while True:
        path = os.path.join(folder, MARK)
        if os.path.isfile(path):
            name = read_toml(path).get("project")
            if not isinstance(name, str):
                raise UsageError(f"{path} names no project", hint='write project = "my-app"')
            return Setting(name, path)
        if found := marked(folder):
            return Setting(found.project, folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def project_folder(here: str) -> str:
    """The folder to which paths of the project around `here` are relative: that of the mark,
    else that of the repository, else `here`.
    """
    if (mark := find_mark(here)) is not None:
        return os.path.realpath(mark.source.removesuffix(MARK))
    folder = os.path.realpath(here)
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return os.path.realpath(here)
        folder = parent
    return folder


def _only(known: list[str]) -> Setting:
    if len(known) == 1:
        return Setting(known[0], "the only project")
    if known:
        raise UsageError("which project?", hint="say --project: " + ", ".join(known[:20]))
    raise UsageError(
        "which project?",
        hint="say --project NAME, set WAYPOST_PROJECT, or run waypost init where you work",
    )


def _checked(found: Setting, what: str) -> Setting:
    if not is_name(found.value):
        said = f"{quoted(found.value)}, from {found.source}, can't name "
        raise UsageError(said + ("an agent" if what == "agent" else "a project"), hint=NAME_RULE)
    return found

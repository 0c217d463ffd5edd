"""The storm campaign: many processes that send at once, all in the same minute.

`scripts/campaign storm` sends 8 x 1,000 messages of one type from one sender, then broadcasts to
ten agents from four writers, and last a smaller round through the real command.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from time import perf_counter
from typing import NamedTuple

from campaigns.actors import Actor, Report
from campaigns.audit import Audit
from waypost.carriers.folders.home import Home, Project
from waypost.mailbox.sending import send

CROWD = [f"agent-{number}" for number in range(10)]


class Outcome(NamedTuple):
    """What a storm left behind."""

    title: str
    seconds: float
    sent: list[str]
    failed: list[str]
    audit: Audit

    def wrong(self) -> list[str]:
        """Everything that must not be after a storm."""
        said = [*self.failed, *self.audit.wrong(self.sent)]
        ids = set(self.audit.items)
        if len(set(self.sent)) != len(self.sent):
            said.append(f"only {len(set(self.sent))} ids for {len(self.sent)} messages")
        if ids != set(self.sent):
            said.append(f"{len(ids)} ids in the folders, {len(self.sent)} reported")
        if len(self.audit.conversations()) != len(self.sent):
            said.append(f"only {len(self.audit.conversations())} conversations")
        return said

    def line(self) -> str:
        """The row of the table."""
        files = [sum(map(len, map(os.listdir, self._folders(way)))) for way in ("inbox", "outbox")]
        cells = (len(self.sent), len(set(self.sent)), *files, len(self.audit.conversations()))
        rate = f"{len(self.sent) / self.seconds:,.0f}/s"
        return f"{self.title:<34}" + "".join(f"{cell:>9,}" for cell in cells) + f"{rate:>10}"

    def _folders(self, way: str) -> list[str]:
        boxes = self.audit.boxes
        return [box.outbox for box in boxes] if way == "outbox" else [b.inbox for b in boxes]


def new_project(folder: str, *agents: str) -> Project:
    """Make a project; the archives go, so that every name in an inbox is a message."""
    project = Home(folder).create_project("storm")
    for agent in agents:
        project.add_agent(agent)
        os.rmdir(project.mailbox(agent).archive)
    return project


def storm(project: Project, processes: int, messages: int, to: list[str]) -> Outcome:
    """Let several processes send as one agent, with the library."""

    def act(report: Report) -> None:
        for number in range(messages):
            draft = {"from": "ann", "to": to if len(to) > 1 else to[0], "type": "task_request"}
            draft |= {"subject": f"number {number}", "body": "of many\n" * (number % 7 + 1)}
            report(str((send(project, draft).message.fields or {})["id"]))

    start = perf_counter()
    actors = [Actor(act) for _ in range(processes)]
    # Read while they run: a pipe holds only so much.
    said = [line for actor in actors for line in actor.reports()]
    for actor in actors:
        actor.wait()
    taken = perf_counter() - start
    title = f"{processes} x {messages:,} to {len(to)}"
    return _outcome(title, taken, said, project)


def storm_of_commands(project: Project, processes: int, messages: int) -> Outcome:
    """The same through the real command, one process a message."""
    home = os.path.dirname(os.path.dirname(project.path))
    program = os.path.join(os.path.dirname(sys.executable), "oacp")
    words = [program, "send", project.name, "--from", "ann", "--to", "bob", "--oacp-dir", home]
    words += ["--type", "question", "--subject", "Which?", "--body", "This or that.", "--json"]
    said: list[str] = []
    start = perf_counter()
    for _ in range(messages):
        running = [
            subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(processes)
        ]
        said += [_id_in(one.communicate()[0]) for one in running]
    title = f"{processes} x {messages:,} through the command"
    return _outcome(title, perf_counter() - start, said, project)


def _id_in(printed: str) -> str:
    import json

    return str(json.loads(printed).get("message_id") or f"failed: {printed}")


def _outcome(title: str, seconds: float, said: list[str], project: Project) -> Outcome:
    failed = [line for line in said if line.startswith("failed")]
    return Outcome(
        title, seconds, [line for line in said if line not in failed], failed, Audit(project)
    )


def storms(asked: argparse.Namespace, folder: str) -> Iterator[Outcome]:
    """All storms, one after the other."""
    one = new_project(f"{folder}/one", "ann", "bob")
    yield storm(one, asked.processes, asked.messages, ["bob"])
    many = new_project(f"{folder}/many", "ann", *CROWD)
    yield storm(many, 4, max(1, asked.messages // 10), CROWD)
    by_command = new_project(f"{folder}/command", "ann", "bob")
    yield storm_of_commands(by_command, asked.processes, max(1, asked.messages // 40))


def main(arguments: list[str] | None = None) -> int:
    """Run all storms and print the table; 1 when anything is lost, doubled or torn."""
    parser = argparse.ArgumentParser(prog="scripts/campaign storm", description=__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--messages", type=int, default=1000, help="for each process")
    parser.add_argument("--folder", help="where to send; else the system's temporary folder")
    asked = parser.parse_args(arguments)
    titles = ("sent", "ids", "inbox", "outbox", "convs")
    print(f"{'':<34}" + "".join(f"{title:>9}" for title in titles) + f"{'rate':>10}")
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        for outcome in storms(asked, folder):
            print(outcome.line(), flush=True)
            wrong += outcome.wrong()
    print(*wrong[:50], f"{len(wrong)} things wrong", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

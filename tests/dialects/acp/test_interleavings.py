"""Two machines back to back, whatever the network does: lose, repeat, reorder, break, wait.

Every exchange ends at its asker once, every task is worked on once and ends at its giver at most
once, and when all is quiet nothing is left open on either side.
"""

from collections import Counter
from typing import Any, cast

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from wires import FAMILY, KIT, QUESTION, SUMMARY, End, greet, stamp

from waypost.dialects.acp.channel import Channel
from waypost.dialects.acp.events import Answer, Request, Told
from waypost.dialects.acp.tasks import Report, Send, Sent, State, Taken

PICK = st.integers(0, 1 << 30)
PAYLOADS = {"query": QUESTION, "ping": {}, "delegate": {"task": "Call her"}, "cancel": {}}
DONE = {"status": "completed", "outcome": "Done."}


class Network(RuleBasedStateMachine):
    """Kit asks and gives tasks, the family answers and does them; `air` is what is under way."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.kit, self.family = End(KIT, FAMILY), End(FAMILY, KIT)
        self.air: list[tuple[str, int, Any, bytes]] = []
        self.lines: list[tuple[Channel, Channel]] = []
        self.asked: dict[str, int] = {}  # exchanges of kit, and their lines
        self.ended: Counter[str] = Counter()
        self.requests: list[tuple[int, Request]] = []
        self.started: Counter[str] = Counter()
        self.working: list[Taken] = []
        self.sent: list[Sent] = []
        self.reported: Counter[str] = Counter()
        self.unsent: list[bytes] = []
        self.connect()

    @rule()
    def connect(self) -> None:
        """A new connection; what could not be told goes over it."""
        left, right = (
            self.kit.channel(self.now, dialled=True),
            self.family.channel(self.now, dialled=False),
        )
        greet(left, right, self.now)
        self.lines.append((left, right))
        self.air += [("told", len(self.lines) - 1, None, data) for data in self.unsent]
        self.unsent.clear()

    # -- what kit does ---------------------------------------------------------------------

    @rule(kind=st.sampled_from(["query", "ping", "delegate"]), seconds=st.floats(0.1, 60))
    def ask(self, kind: str, seconds: float) -> None:
        new = stamp()
        if kind == "delegate":
            self.sent.append(self.kit.tasks.sent(FAMILY, new.id))
        self._ask(kind, new, seconds, None)

    @rule(pick=PICK)
    def cancel(self, pick: int) -> None:
        if self.sent:
            self._ask("cancel", stamp(), 10.0, self.sent[pick % len(self.sent)].id)

    def _ask(self, kind: str, new: Any, seconds: float, ref: str | None) -> None:
        line = len(self.lines) - 1
        data = self.lines[line][0].ask(kind, PAYLOADS[kind], new, self.now + seconds, ref)
        self.asked[new.id] = line
        self.air.append(("asked", line, new.id, data))

    # -- what the network does -------------------------------------------------------------

    @rule(pick=PICK, fate=st.sampled_from(["arrive", "arrive", "arrive", "twice", "lost"]))
    def carry(self, pick: int, fate: str) -> None:
        if self.air:
            way, line, about, data = self.air.pop(pick % len(self.air))
            for _ in range({"arrive": 1, "twice": 2, "lost": 0}[fate]):
                getattr(self, f"_{way}")(line, about, data)

    @rule(seconds=st.floats(0, 100))
    def wait(self, seconds: float) -> None:
        self.now += seconds
        for left, right in self.lines:
            for late in left.overdue(self.now):
                self.ended[str(late.id)] += 1
            right.overdue(self.now)

    @rule()
    def break_off(self) -> None:
        """The newest connection is gone, and all that was under way on it."""
        gone = len(self.lines) - 1
        self.air = [one for one in self.air if one[1] != gone]
        for exchange in [name for name, line in self.asked.items() if line == gone]:
            if not self.ended[exchange]:
                self.lines[gone][0].give_up(exchange)
                self.ended[exchange] += 1
        self.requests = [one for one in self.requests if one[0] != gone]
        self.connect()

    # -- what arrives ----------------------------------------------------------------------

    def _asked(self, line: int, about: str, data: bytes) -> None:
        event = self.lines[line][1].asked(data, self.now)
        if not isinstance(event, Request):
            return
        way = (line, event.number, about)
        if event.kind == "delegate":
            task, sends = self.family.tasks.offered(KIT, event.message, way)
            if task is not None:
                self.started[about] += 1
                self.working.append(task)
            self._send(sends)
        elif event.kind == "cancel":
            task, sends = self.family.tasks.cancelled(KIT, event.message["ref"], way)
            self._send(sends)
        else:
            self.requests.append((line, event))

    def _answered(self, line: int, about: str, data: bytes) -> None:
        event = self.lines[line][0].answered(about, data, self.now)
        if isinstance(event, Answer) and not event.late:
            self.ended[about] += 1
            for task in [task for task in self.sent if task.id == about]:
                self.kit.tasks.acked(task, event.kind, event.message["payload"])

    def _told(self, line: int, about: None, data: bytes) -> None:
        event = self.lines[line][0].told(data, self.now)
        if isinstance(event, Answer):
            self.ended[event.id] += 1
        if isinstance(event, (Answer, Told)):
            ended = self.kit.tasks.ended(FAMILY, event.kind, event.message)
            if isinstance(ended, Sent):
                self.reported[ended.id] += 1

    # -- what the family does --------------------------------------------------------------

    @rule(pick=PICK)
    def answer(self, pick: int) -> None:
        if not self.requests:
            return
        line, request = self.requests.pop(pick % len(self.requests))
        kind, said = (
            ("pong", {"status": "idle"}) if request.kind == "ping" else ("response", SUMMARY)
        )
        data = self.lines[line][1].answer(request.number, kind, said, stamp())
        assert data is not None
        self.air.append(("answered", line, request.message["id"], data))

    @rule(pick=PICK, how=st.sampled_from(["accept", "finish", "fail", "refuse", "stopped"]))
    def work(self, pick: int, how: str) -> None:
        if not self.working:
            return
        task, tasks = self.working[pick % len(self.working)], self.family.tasks
        if how == "accept":
            self._send(tasks.accept(task))
        elif how == "finish":
            self._send(tasks.finish(task, DONE))
        elif how == "stopped":
            self._send(tasks.stopped(task) if task.cancels else [])
        else:
            more = ("internal", "?") if how == "fail" else ("refused", "?", False)
            self._send(getattr(tasks, how)(task, *more))

    def _send(self, sends: list[Send]) -> None:
        for one in sends:
            if isinstance(one, Report):
                line = len(self.lines) - 1
                data = self.lines[line][1].tell(one.kind, one.payload, stamp(), one.ref)
                self.air.append(("told", line, None, data))
                continue
            line, number, about = cast(tuple[int, int, str], one.way)
            data_or_none = self.lines[line][1].answer(number, one.kind, one.payload, stamp())
            assert data_or_none is not None, "a request is answered once"
            self.air.append(("answered", line, about, data_or_none))

    # -- what always holds -----------------------------------------------------------------

    @invariant()
    def nothing_ends_twice(self) -> None:
        for counts in (self.ended, self.started, self.reported):
            assert all(count == 1 for count in counts.values()), counts

    @invariant()
    def ended_tasks_are_not_open(self) -> None:
        open_tasks = [task for task in self.working if task.state is not State.ENDED]
        assert len(self.family.tasks._book(KIT).taken) == len(open_tasks)
        open_sent = [task for task in self.sent if task.state is not State.ENDED]
        assert len(self.kit.tasks._book(FAMILY).sent) == len(open_sent)

    def teardown(self) -> None:
        """All is quiet: whatever was under way is gone, and the clock jumps."""
        self.wait(10_000.0)
        assert set(self.ended) == set(self.asked), "every exchange has ended"
        assert all(left.due() is None for left, _ in self.lines)


TestNetwork = Network.TestCase
TestNetwork.settings = settings(max_examples=60, stateful_step_count=60)

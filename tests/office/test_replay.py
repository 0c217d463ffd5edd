"""Whatever agents do in whatever order, the journal is whole and a replay gives the same tables."""

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns import office_audit
from office_scene import TASK, Scene, caller, scene_in
from strategies import texts
from waypost.errors import WaypostError

NAMES = st.sampled_from(["claude", "codex", "gemini", "dana"])
DANA = caller("dana")
DEEDS = (
    *("send", "task", "broadcast", "reply", "read", "ack", "done", "withdraw", "reserve"),
    *("release", "redact", "expire", "inbox", "attach", "rules", "ask", "bounce", "retry"),
    *("redirect", "discard", "hold pair", "release pair"),
)
STEPS = st.lists(
    st.tuples(st.sampled_from(DEEDS), NAMES, NAMES, texts, st.integers(0, 3)), max_size=25
)


def play(scene: Scene, sent: list[str], step: tuple[str, str, str, str, int]) -> None:
    """One thing that somebody does; many of them are refused."""
    what, who, other, text, number = step
    office, me = scene.office, caller(who)
    letter = sent[number % len(sent)] if sent else "none"
    acts: dict[str, Any] = {
        "send": lambda: sent.append(scene.send(who, other, text=text, expires_minutes=30).id),
        "task": lambda: sent.append(
            scene.send(who, other, type="task_assignment", content=TASK, acknowledge=True).id
        ),
        "broadcast": lambda: sent.append(scene.send(who, "*", text=text or "x").id),
        "reply": lambda: sent.append(office.reply(me, letter, text or "x").id),
        "read": lambda: office.read(me, letter),
        "ack": lambda: office.acknowledge(me, letter, accepted=number > 0, note=text),
        "done": lambda: office.done(me, letter),
        "withdraw": lambda: office.withdraw(me, letter),
        "reserve": lambda: office.reserve(me, [f"src/{number}/**"], minutes=20, reason=text),
        "release": lambda: office.release(me, [f"src/{number}/**"], force=True, reason="x"),
        "redact": lambda: office.redact(me, letter, "leaked"),
        "expire": lambda: scene.clock.move(minutes=31),
        "inbox": lambda: office.inbox(me, limit=2),
        "attach": lambda: office.attach(me, "file", text.encode()),
        "rules": lambda: office.set_rules(me, deny=[other] if number else []),
        "bounce": lambda: office.settle(me, letter, "bounced", text),
        "retry": lambda: office.retry(DANA, letter),
        "redirect": lambda: office.redirect(DANA, letter, other, text),
        "discard": lambda: office.discard(DANA, letter, "x"),
        "hold pair": lambda: office.hold_pair(DANA, who, other, "x", number > 1),
        "release pair": lambda: office.release_pair(DANA, who, other, number > 1),
        "ask": lambda: sent.append(office.ask_human(me, text or "?").id),
    }
    with suppress(WaypostError):
        acts[what]()


@settings(max_examples=15)
@given(steps=STEPS)
def test_a_replay_gives_the_same_tables(steps: list[tuple[str, str, str, str, int]]) -> None:
    sent: list[str] = []
    with TemporaryDirectory() as folder:
        with scene_in(Path(folder)) as scene:
            for step in steps:
                play(scene, sent, step)
        assert office_audit.wrong(Path(folder), sent, replay=True) == []

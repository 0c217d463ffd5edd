"""Loops come to an end, and ordinary conversations never do because of a guard."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import plain_words
from waypost.bridge.guards import GUARDS, ROOM, Limits, Passing, Ruling, Step, Verdict, judge
from waypost.bridge.small_talk import fingerprint, says_nothing
from waypost.dialects import DIALECTS

Reply = Callable[[str, int], str]  # who writes, and which letter of the talk it is
LIMITS = Limits()
SOON = LIMITS.rounds * 3 + LIMITS.empty_in_a_row + 1


def passing(text: str = "Please merge it", *chain: Step, **more: Any) -> Passing:
    letter = Step.of("claude", "codex", text)
    plain = Passing(letter, size=100, room=1000, now=5, here="home", chain=chain)
    return plain._replace(**more)


def talk(agents: list[str], reply: Reply, letters: int) -> tuple[int, Ruling]:
    """Agents write to the next in turn; gives how many letters went on, and the last ruling."""
    chain: list[Step] = []
    for count in range(letters):
        sender, recipient = agents[count % len(agents)], agents[(count + 1) % len(agents)]
        letter = Step.of(sender, recipient, reply(sender, count))
        ruling = judge(passing()._replace(letter=letter, chain=tuple(chain), recent=count // 2))
        if ruling.verdict is not Verdict.ALLOW:
            return count, ruling
        chain.append(letter)
    return letters, Ruling(Verdict.ALLOW)


def thanks(sender: str, count: int) -> str:
    return ("Thanks!", "You're welcome!", "Thank you so much, have a great day.")[count % 3]


def away(sender: str, count: int) -> str:
    return f"This is {sender}. I am on holiday until June; your letter is number {count}."


def chatter(sender: str, count: int) -> str:
    return f"{sender} thinks " + "of " * count + "something new"


AGENTS = {"a pair": ["ann", "bob"], "a triangle": ["ann", "bob", "cat"], "four": list("abcd")}
each_circle = pytest.mark.parametrize("agents", AGENTS.values(), ids=list(AGENTS))


@each_circle
@pytest.mark.parametrize("reply", [thanks, away])
def test_polite_auto_responders_are_soon_held_for_a_person(agents: list[str], reply: Reply) -> None:
    count, ruling = talk(agents, reply, 100)
    assert count <= len(agents) + LIMITS.empty_in_a_row + 1
    assert (ruling.verdict, ruling.guard) == (Verdict.HOLD, "small talk")


def test_a_triangle_that_always_says_something_new_is_stopped_in_the_end() -> None:
    count, ruling = talk(AGENTS["a triangle"], chatter, 100)
    assert count == 3 * LIMITS.rounds + 2
    assert (ruling.verdict, ruling.guard) == (Verdict.HOLD, "circle")


def test_a_letter_passed_round_a_triangle_bounces_when_it_is_back() -> None:
    count, ruling = talk(AGENTS["a triangle"], lambda *_: "Who restarts the server?", 10)
    assert (count, ruling.verdict, ruling.guard) == (2, Verdict.BOUNCE, "sent back")
    assert (
        ruling.reason == "the same words went from ann to bob to cat to ann, who sent them before"
    )


@each_circle
@given(st.lists(plain_words, min_size=50, max_size=50, unique_by=fingerprint), st.data())
def test_an_ordinary_conversation_of_fifty_letters_is_never_stopped(
    agents: list[str], texts: list[str], data: st.DataObject
) -> None:
    polite = data.draw(st.lists(st.integers(0, 48), max_size=12, unique=True))
    for place in polite:
        if not any(says_nothing(text) for text in texts[max(0, place - 1) : place + 2]):
            texts[place] = "Thank you!"
    assert talk(agents, lambda _, count: texts[count], 50) == (50, Ruling(Verdict.ALLOW))


STOPPED: dict[str, tuple[dict[str, Any], Verdict]] = {
    "size": ({"size": 1001}, Verdict.BOUNCE),
    "expiry": ({"expires_at": 5}, Verdict.BOUNCE),
    "hops": ({"hops": tuple("abcdefgh")}, Verdict.BOUNCE),
    "passed here": ({"hops": ("home",)}, Verdict.BOUNCE),
    "too often": ({"recent": 60}, Verdict.HOLD),
}


@pytest.mark.parametrize("name", STOPPED)
def test_each_limit_holds_from_its_number_on(name: str) -> None:
    changed, verdict = STOPPED[name]
    ruling = judge(passing(**changed))
    assert (ruling.verdict, ruling.guard) == (verdict, name)
    assert ruling.reason


@pytest.mark.parametrize(
    "changed", [{"size": 1000}, {"expires_at": 6}, {"hops": tuple("abcdefg")}, {"recent": 59}]
)
def test_up_to_its_number_a_letter_goes_on(changed: dict[str, Any]) -> None:
    assert judge(passing(**changed)) == Ruling(Verdict.ALLOW)


def test_a_live_peer_takes_less_than_a_mailbox() -> None:
    assert (ROOM["acp"], ROOM["oacp"], set(ROOM)) == (64 << 10, 1 << 20, set(DIALECTS))


def test_a_bounce_outweighs_a_hold() -> None:
    assert judge(passing(recent=99, size=9999)).verdict is Verdict.BOUNCE


def test_limits_can_be_set() -> None:
    assert judge(passing(recent=2), Limits(pair=2)).guard == "too often"


def test_every_guard_says_what_it_is_against() -> None:
    for guard in GUARDS:
        assert "{" not in guard.against.format(**LIMITS._asdict())
    assert len({guard.name for guard in GUARDS}) == len(GUARDS)


@pytest.mark.parametrize("text", ["", "Thanks!", "You're welcome, anytime", "👍", "De nada", "Ok!"])
def test_courtesies_say_nothing(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize("text", ["42", "Yes", "Thanks, merged", "v2", "Thanks " * 200, "да"])
def test_whatever_holds_another_word_says_something(text: str) -> None:
    assert not says_nothing(text)

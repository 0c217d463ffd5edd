"""Each need is told of once, to each person, whoever tells; what is put away can come back."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from office_scene import Scene, caller, refusal
from waypost.office import Office

DANA, EVE, CLAUDE = caller("dana"), caller("eve"), caller("claude")


@pytest.fixture
def house(scene: Scene) -> Office:
    for person in (DANA, EVE):
        scene.office.register(person, kind="person", with_token=False)
    return scene.office


def told(office: Office, who: str = "dana") -> list[str]:
    return [one.subject for one in office.claim(caller(who)).letters]


def test_a_need_is_claimed_once_by_each_person(house: Office) -> None:
    house.ask_human(CLAUDE, "Ship it?")
    assert told(house) == ["Ship it?"]
    assert told(house) == []
    assert told(house, "eve") == ["Ship it?"]


def test_what_needs_nobody_is_never_told(house: Office) -> None:
    house.send(CLAUDE, "dana", text="For your information")
    asked = house.ask_human(CLAUDE, "Ship it?")
    house.answer(DANA, asked.id, "yes")
    assert told(house) == []


def test_many_who_claim_at_once_share_what_there_is(house: Office) -> None:
    for number in range(20):
        house.ask_human(CLAUDE, f"Question {number}")
    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(lambda _: told(house), range(16)))
    everything = [one for part in parts for one in part]
    assert sorted(everything) == sorted(f"Question {number}" for number in range(20))


def test_the_claim_outlives_a_rebuild(house: Office) -> None:
    house.ask_human(CLAUDE, "Ship it?")
    told(house)
    house.rebuild()
    assert told(house) == []


def test_agents_claim_nothing(house: Office) -> None:
    assert refusal(lambda: house.claim(CLAUDE))["error"] == "not_authorized"


def test_everybody_is_listed_who_can_be_told(house: Office) -> None:
    assert [name for _, name in house.people()] == ["dana", "eve"]


def test_what_is_put_away_comes_back(house: Office) -> None:
    asked = house.ask_human(CLAUDE, "Ship it?")
    house.done(DANA, asked.id)
    assert house.bring_back(DANA, asked.id).states == {"people": "read"}
    assert [one.header.id for one in house.needs(DANA).letters] == [asked.id]
    before = house.last()
    house.bring_back(DANA, asked.id)
    assert house.last() == before
    house.rebuild()
    assert [one.header.id for one in house.needs(DANA).letters] == [asked.id]


def test_only_what_was_put_away_and_is_ones_own_comes_back(house: Office) -> None:
    sent = house.send(DANA, "claude", text="Oh, forget it")
    house.withdraw(DANA, sent.id)
    assert refusal(lambda: house.bring_back(CLAUDE, sent.id))["error"] == "conflict"
    assert refusal(lambda: house.bring_back(DANA, sent.id))["error"] == "not_authorized"

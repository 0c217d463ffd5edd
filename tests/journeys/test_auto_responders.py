"""Auto-responders that answer each other for ever are stopped, and a person decides."""

from functools import partial
from itertools import cycle

from office_town import PROJECT, Town, caller

_MANY = 12


def reply_on(town: Town, names: list[str], words: list[str]) -> int:
    """Let agents in folders answer each other in turn until one gets no letter; gives how many."""
    turn = cycle(names)
    writer = next(turn)
    parent = town.office.send(caller("dana"), writer, text="Hello").id
    for number, word in zip(range(_MANY), cycle(words), strict=False):
        reader = next(turn)
        receipt = town.office.send(
            caller(writer), reader, text=word, reply_to=parent, subject=f"Number {number}"
        )
        town.until(partial(is_settled, town, receipt.position))
        if not any(f"Number {number}" in one.read_text() for one in town.files(reader)):
            return number
        writer, parent = reader, receipt.id
    return _MANY


def is_settled(town: Town, position: int) -> bool:
    """Whether the office has handed a letter over, or holds it."""
    events = town.office.events(caller("dana"), after=position)
    moved = [event.data.get("deliveries", [event.data.get("delivery")]) for event in events]
    return any(one and one[0] == position for deliveries in moved for one in deliveries)


def begin(town: Town, *names: str) -> None:
    for name in names:
        town.add(name, "folder")
    town.add("dana")
    town.start()


def test_two_that_thank_each_other_are_held(town: Town) -> None:
    begin(town, "codex", "gemini")
    assert 2 <= reply_on(town, ["codex", "gemini"], ["Thank you!", "You are welcome."]) <= 6
    events = town.office.events(caller("dana"), limit=1000)
    held = [event for event in events if event.kind == "delivery.waits"]
    assert [event.data["guard"] for event in held] == ["small talk"]


def test_three_in_a_circle_are_held(town: Town) -> None:
    begin(town, "codex", "gemini", "cursor")
    words = ["I am away until Monday.", "Noted, I am away as well.", "Out of the office."]
    assert reply_on(town, ["codex", "gemini", "cursor"], words) < _MANY


def test_a_flood_from_one_to_another_waits_for_a_person(town: Town) -> None:
    town.add("codex", "folder")
    town.add("claude")
    town.start(WAYPOST_LETTERS="3")
    for number in range(6):
        town.office.send(caller("claude"), "codex", text=f"Number {number}")
    town.until(lambda: "waypost_held_deliveries 3" in town.metrics())
    assert len(town.files("codex")) == 3
    assert PROJECT not in town.metrics()


def test_a_person_lets_one_go_on_and_sends_another_back(town: Town) -> None:
    town.add("codex", "folder")
    town.add("claude")
    town.start(WAYPOST_LETTERS="1")
    for text in ("First", "Let me through", "Send me back"):
        town.office.send(caller("claude"), "codex", text=text)
    first, second = town.until(lambda: held if len(held := town.office.held(PROJECT)) == 2 else [])
    assert town.say("waypost", "held", "allow", first.id, "--project", PROJECT).code == 0
    assert town.say("waypost", "held", "bounce", second.id, "--project", PROJECT).code == 0
    assert town.file("codex", "Let me through")
    assert town.letter("claude", "a person decided so").header.reply_to == second.id
    assert town.say("waypost", "held", "--project", PROJECT, "--json").objects == [{"held": []}]

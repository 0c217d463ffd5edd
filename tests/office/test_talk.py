"""Guards where mail is fetched: an answer too many is held, and shows when a person lets it in."""

from office_scene import PROJECT, Scene, caller
from waypost.errors import NotFoundError
from waypost.office.views import Receipt

_MANY = 12


def talk_on(scene: Scene, names: list[str], words: list[str]) -> tuple[int, Receipt]:
    """Let agents answer each other in turn until one finds nothing; how often, and the last."""
    sent = scene.send("dana", names[0], text="Hello")
    for number in range(_MANY):
        writer, reader = names[number % len(names)], names[(number + 1) % len(names)]
        sent = scene.office.send(
            caller(writer), reader, text=words[number % len(words)], reply_to=sent.id
        )
        if not scene.office.inbox(caller(reader)).letters:
            return number, sent
        scene.office.done(caller(reader), sent.id)
    return _MANY, sent


def test_two_that_thank_each_other_are_held(scene: Scene) -> None:
    count, last = talk_on(scene, ["claude", "codex"], ["Thank you!", "You are welcome."])
    assert 2 <= count <= 6
    (held,) = scene.office.held(PROJECT)
    assert (held.id, held.guard) == (last.id, "small talk")
    assert scene.office.inbox(caller(held.to)).unread == 0


def test_three_in_a_circle_are_held(scene: Scene) -> None:
    words = ["I am away until Monday.", "Noted, I am away as well.", "Out of the office."]
    count, _ = talk_on(scene, ["claude", "codex", "gemini"], words)
    assert count < _MANY
    assert len(scene.office.held(PROJECT)) == 1


def test_three_that_pass_the_same_words_on_are_held(scene: Scene) -> None:
    count, _ = talk_on(scene, ["claude", "codex", "gemini"], ["Deploy 42 failed at step nine"])
    assert count < 4
    assert [one.guard for one in scene.office.held(PROJECT)] == ["sent back"]


def test_what_is_held_is_nowhere_to_be_read_until_it_is_let_in(scene: Scene) -> None:
    _, last = talk_on(scene, ["claude", "codex"], ["Thank you!"])
    (held,) = scene.office.held(PROJECT)
    reader = caller(held.to)
    before = scene.office.newest_unread(reader)
    try:
        scene.office.read(reader, last.id)
        raise AssertionError("it could be read")
    except NotFoundError:
        pass
    assert last.id not in [one.id for one in scene.office.thread(reader, last.thread).letters]
    assert last.id not in [one.id for one in scene.office.search(reader, "thank").letters]
    scene.office.let_go(PROJECT, last.id, goes_on=True)
    page = scene.office.inbox(reader)
    assert ([one.id for one in page.letters], page.unread) == ([last.id], 1)
    assert scene.office.newest_unread(reader) > before
    assert scene.office.held(PROJECT) == []
    assert scene.office.undelivered(caller("dana")).failures == ()


def test_what_is_held_goes_back_to_its_writer(scene: Scene) -> None:
    _, last = talk_on(scene, ["claude", "codex"], ["Thank you!"])
    (held,) = scene.office.held(PROJECT)
    scene.office.let_go(PROJECT, last.id, goes_on=False)
    assert scene.states(last.id, held.sender) == {held.to: "bounced"}
    assert scene.office.inbox(caller(held.to)).unread == 0
    (notice,) = scene.office.inbox(caller(held.sender)).letters
    assert notice.sender == "postmaster"


def test_an_ordinary_conversation_of_fifty_letters_meets_no_guard(scene: Scene) -> None:
    sent = scene.send(text="Question 0: what about the login?")
    for number in range(50):
        writer = ("codex", "claude")[number % 2]
        text = f"About {'abcdefghij'[number % 10] * (1 + number // 10)}: it stands"
        sent = scene.office.reply(caller(writer), sent.id, text=text)
    assert scene.office.held(PROJECT) == []


def test_people_may_thank_as_often_as_they_like(scene: Scene) -> None:
    sent = scene.send("dana", "codex", text="Thanks")
    for number in range(10):
        who = "codex" if number % 2 == 0 else "dana"
        sent = scene.office.reply(caller(who), sent.id, text="Thank you!")
    assert scene.office.held(PROJECT) == []


def test_a_replay_knows_what_is_held(scene: Scene) -> None:
    talk_on(scene, ["claude", "codex"], ["Thank you!"])
    (held,) = scene.office.held(PROJECT)
    scene.office.rebuild()
    assert [one.id for one in scene.office.held(PROJECT)] == [held.id]
    assert scene.office.inbox(caller(held.to)).unread == 0

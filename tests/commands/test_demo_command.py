"""`waypost demo`: it keeps what it promises, and its lines are those of the real checker."""

import waypost
from commands.terminal import quick, say


def test_the_demo_keeps_its_promises() -> None:
    said = say("waypost", "demo")
    assert said.code == 0
    assert said.err.startswith("Everything above was checked while it was shown.\nNext: ")


def test_people_see_six_scenes() -> None:
    titles = [
        line for line in quick("waypost", "demo").out.split("\n") if line[:2].strip(".").isdigit()
    ]
    scenes = quick("waypost", "demo", "--json").objects
    numbered = [f"{number}. {one['scene']}" for number, one in enumerate(scenes, start=1)]
    assert [title for title in titles if ". " in title] == numbered
    assert len(numbered) == 6


def test_every_scene_is_an_object_that_is_as_announced() -> None:
    said = quick("waypost", "demo", "--json")
    assert (said.code, said.err) == (0, "")
    keys = ["scene", "dialect", "type", "valid", "text", "problems", "as_announced"]
    assert [list(one) for one in said.objects] == [keys] * 6
    assert [one["valid"] for one in said.objects] == [True] * 3 + [False] * 3
    assert [one["dialect"] for one in said.objects] == ["oacp", "acp", "agentmail"] * 2
    assert all(one["as_announced"] for one in said.objects)


def test_the_checker_says_the_same_of_every_scene() -> None:
    for one in quick("waypost", "demo", "--json").objects:
        message = waypost.parse(one["text"], one["dialect"])
        assert [problem.to_json() for problem in message.problems] == one["problems"]


def test_every_problem_is_shown_with_its_place_and_hint() -> None:
    shown = quick("waypost", "demo").out
    for one in quick("waypost", "demo", "--json").objects:
        for problem in one["problems"]:
            assert f"{problem['severity']}[{problem['code']}]: {problem['message']}" in shown
            assert f"= hint: {problem['hint']}" in shown


def test_the_commands_it_names_exist() -> None:
    following = quick("waypost", "demo").err.partition("Next: ")[2].strip().split(", ")
    assert len(following) == 3
    for words in (one.split() for one in following):
        assert quick(*words[:2], "--help").code == 0
    assert quick(*following[2].split()).code == 0

"""Programs as handlers: real ones, in a shell of their own."""

import json
from pathlib import Path

import pytest
from live_programs import Gate, asking
from live_worlds import World, story

from waypost.errors import (
    NotAuthorizedError,
    PeerFailedError,
    RefusedError,
    UnknownDomainError,
)

# -- what goes in --------------------------------------------------------------------------


@story
async def test_the_payload_comes_as_json(world: World) -> None:
    async with asking(world, "cat") as kit:
        answer = await kit.ask("family", "Swim?\nWhen?", domain="a.b", timeout=9)
        payload = {"question": "Swim?\nWhen?", "deadline_ms": 9000, "domain": "a.b"}
        assert json.loads(answer.summary) == payload


@story
async def test_the_payload_comes_as_variables(world: World) -> None:
    shown = ["QUESTION", "DOMAIN", "MAX_TOKENS", "KIND", "PEER", "AGENT", "HOME"]
    program = "printf '%s|' " + " ".join(f'"$WAYPOST_{name}"' for name in shown)
    async with asking(world, program) as kit:
        answer = await kit.ask("family", "Swim?\nWhen?", domain="a.b", max_tokens=500)
        said = f"Swim?\nWhen?|a.b|500|query|kit|family|{world.home / 'family'}|"
        assert answer.summary == said


@story
async def test_a_task_s_context_is_json_in_a_variable(world: World) -> None:
    async with asking(world, 'echo "$WAYPOST_CONTEXT $WAYPOST_PRIORITY"') as kit:
        job = await kit.delegate("family", "?", context={"litres": 2}, urgent=True)
        assert (await job.result()).outcome == '{"litres":2} urgent'


@story
async def test_a_peer_can_neither_name_variables_nor_hide_controls_in_them(world: World) -> None:
    program = 'printf "%s %s" "$WAYPOST_HOME" "$WAYPOST_QUESTION"'
    async with asking(world, program) as kit:
        payload = {"question": "a\x1b[31mb", "home": "/elsewhere", "PATH": "/elsewhere"}
        said = await kit.exchange(kit.peers.find("family"), "query", payload, 5)
        assert said["summary"] == f"{world.home / 'family'} a\\u001b[31mb"


def test_nothing_is_left_of_a_message_around_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_DOMAIN", "old")

    @story
    async def asks(world: World) -> None:
        async with asking(world, 'echo "<$WAYPOST_DOMAIN>"') as kit:
            assert (await kit.ask("family", "?")).summary == "<>"

    asks(tmp_path)


@story
async def test_a_long_field_is_cut_in_its_variable_and_whole_in_the_json(world: World) -> None:
    async with asking(world, 'echo "${#WAYPOST_QUESTION} $(wc -c)"') as kit:
        short, whole = (await kit.ask("family", "x" * 40_000)).summary.split()
        assert (int(short), int(whole) > 40_000) == (16_000, True)


@story
async def test_a_program_need_not_read_its_input(world: World) -> None:
    async with asking(world, "exec <&-; echo fine") as kit:
        assert (await kit.ask("family", "x" * 60_000)).summary == "fine"


# -- what comes out ------------------------------------------------------------------------


@story
async def test_a_json_object_with_a_summary_is_the_whole_answer(world: World) -> None:
    async with asking(world, """echo '{"summary": "Three", "data": [1, 2, 3]}'""") as kit:
        answer = await kit.ask("family", "?")
        assert (answer.summary, answer.data) == ("Three", [1, 2, 3])


@story
async def test_any_other_output_is_text(world: World) -> None:
    for text in ('{"sum": 3}', "[1]", "{broken", "two\nlines", '"quoted"'):
        async with asking(world, f"printf '%s' '{text}'") as kit:
            assert (await kit.ask("family", "?")).summary == text


@story
async def test_a_task_s_json_may_say_how_it_went(world: World) -> None:
    said = '{"status": "partial", "outcome": "Half", "data": 1}'
    async with asking(world, f"echo '{said}'") as kit:
        result = await (await kit.delegate("family", "?")).result()
        assert (result.status, result.outcome, result.data) == ("partial", "Half", 1)


@story
async def test_silence_is_no_answer_but_a_task_done(world: World) -> None:
    async with asking(world, "true") as kit:
        with pytest.raises(PeerFailedError):
            await kit.ask("family", "?")
        assert (await (await kit.delegate("family", "?")).result()).outcome == "Done."


@story
async def test_output_is_bounded(world: World) -> None:
    async with asking(world, "yes") as kit:
        with pytest.raises(PeerFailedError):
            await kit.ask("family", "?")
        assert (await kit.ping("family")).active_tasks == 0


def test_a_failure_is_told_without_what_the_program_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    @story
    async def fails(world: World) -> None:
        async with asking(world, "echo private >&2; exit 3") as kit:
            with pytest.raises(PeerFailedError) as failure:
                await kit.ask("family", "?")
            assert "private" not in str(failure.value.to_json())

    fails(tmp_path)
    assert "exit code 3" in caplog.text
    assert "private" in caplog.text
    assert "Traceback" not in caplog.text


# -- taking and refusing -------------------------------------------------------------------


@story
async def test_exit_code_75_refuses_and_its_last_complaint_is_the_reason(world: World) -> None:
    async with asking(world, "echo hm >&2; echo 'not on Sundays' >&2; exit 75") as kit:
        with pytest.raises(RefusedError, match="not on Sundays"):
            await kit.delegate("family", "?")
        with pytest.raises(NotAuthorizedError, match="not on Sundays"):
            await kit.ask("family", "?")


@story
async def test_refusing_after_output_is_a_failed_result(world: World) -> None:
    async with asking(world, "echo begun; echo 'she hung up' >&2; exit 75") as kit:
        result = await (await kit.delegate("family", "?")).result()
        assert (result.status, result.outcome) == ("failed", "she hung up")


@story
async def test_refusing_after_half_a_second_is_a_failed_result(world: World) -> None:
    gate = Gate(world.home)
    async with asking(world, f"echo x > {gate.path}; exit 75") as kit:
        job = await kit.delegate("family", "?")  # taken, for the program waits for a reader
        await gate.closed()
        assert (await job.result()).status == "failed"


@story
async def test_the_first_output_takes_a_task(world: World) -> None:
    gate = Gate(world.home)
    async with asking(world, f"echo begun; echo go > {gate.path}; echo done") as kit:
        job = await kit.delegate("family", "?")
        assert job.is_open
        assert await gate.closed() == "go\n"
        assert (await job.result()).outcome == "begun\ndone"


@story
async def test_a_question_of_a_foreign_domain_does_not_run_the_program(world: World) -> None:
    async with asking(world, f"touch {world.home}/ran; echo yes", "family") as kit:
        with pytest.raises(UnknownDomainError, match="handled are: family"):
            await kit.ask("family", "?", domain="bank")
        assert not (world.home / "ran").exists()
        assert (await kit.ask("family", "?", domain="family.school")).summary == "yes"
        assert (await kit.ask("family", "?")).summary == "yes"

"""`waypost notice`: one line when mail is unread, else nothing, and never a failure."""

import json
import re

import pytest

from commands.terminal import Said
from commands.workplace import PROJECT, Workplace, workplace
from faces.clients import served
from waypost.office import open_office
from waypost.office.callers import Caller
from waypost.setup.clients import CLIENTS
from waypost.setup.notices import FORMS

__all__ = ["workplace"]
LINE = "Waypost: 1 unread letter in your mailbox. The tool fetch_inbox lists them.\n"
SILENCE = Said(0, "", "")


def notice(place: Workplace, *words: str, given: bytes = b"{}") -> Said:
    return place.say("notice", "--agent", "codex", *words, given=given)


def test_unread_mail_is_told_in_one_line(workplace: Workplace) -> None:
    workplace.send("claude", "codex")
    assert notice(workplace) == Said(0, LINE, "")
    workplace.send("claude", "codex")
    assert "2 unread letters" in notice(workplace).out


def test_when_all_is_read_nothing_is_said(workplace: Workplace) -> None:
    workplace.send("claude", "codex")
    with open_office(workplace.office) as office:
        codex = Caller("codex", "my-app")
        office.read(codex, office.inbox(codex).letters[0].id)
    assert notice(workplace) == SILENCE


def test_telling_opens_nothing(workplace: Workplace) -> None:
    workplace.send("claude", "codex")
    notice(workplace)
    with open_office(workplace.office) as office:
        last = office.last()
        notice(workplace)
        assert office.last() == last


def test_without_an_office_a_project_or_a_mailbox_nothing_is_said(workplace: Workplace) -> None:
    assert notice(workplace) == SILENCE
    assert not workplace.office.exists()
    workplace.send("claude", "gemini")
    assert notice(workplace) == SILENCE
    assert notice(workplace, "--project", "other") == SILENCE
    (workplace.folder / ".waypost.toml").write_text("broken")
    assert notice(workplace) == SILENCE


def test_where_a_server_is_named_its_mail_counts(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workplace.send("claude", "codex")
    with served(workplace.folder / "far") as server:
        monkeypatch.setenv("WAYPOST_URL", server.url)
        monkeypatch.setenv("WAYPOST_TOKEN", server.token("codex", PROJECT))
        assert notice(workplace) == SILENCE
        with server.http(server.token("claude", PROJECT)) as http:
            http.post("/api/call/send", json={"to": "codex", "text": "hi"})
        assert notice(workplace) == Said(0, LINE, "")
        monkeypatch.setenv("WAYPOST_TOKEN", "wrong")
        assert notice(workplace) == SILENCE
    assert notice(workplace) == SILENCE


def test_a_damaged_office_is_silent(workplace: Workplace) -> None:
    workplace.office.mkdir()
    (workplace.office / "office.db").write_bytes(b"no database at all, but long enough" * 100)
    assert notice(workplace) == SILENCE


def test_each_event_gets_its_form(workplace: Workplace) -> None:
    workplace.send("claude", "codex")
    forms = {form: json.loads(notice(workplace, "--event", form).out) for form in FORMS}
    text = LINE.strip()
    assert forms["BeforeAgent"]["hookSpecificOutput"] == {
        "hookEventName": "BeforeAgent",
        "additionalContext": text,
    }
    assert forms["Stop"] == {"decision": "block", "reason": text}
    assert forms["sessionStart"] == {"additional_context": text}
    assert forms["stop"] == {"followup_message": text}


def test_every_client_asks_for_a_form_that_there_is() -> None:
    asked = {event.answer for client in CLIENTS.values() for event in client.events}
    assert asked - {None} <= set(FORMS)


ENOUGH = [b'{"stop_hook_active": true}', b'{"loop_count": 1}', b'{"status": "aborted"}']


@pytest.mark.parametrize("said", ENOUGH)
def test_an_agent_is_sent_back_to_work_once_and_not_after_a_person_stopped_it(
    said: bytes, workplace: Workplace
) -> None:
    workplace.send("claude", "codex")
    for form in ("Stop", "stop"):
        assert notice(workplace, "--event", form, given=said) == SILENCE
        assert re.match(r"\{", notice(workplace, "--event", form).out)


@pytest.mark.parametrize("said", [b"", b"[", b"[]", b"\xff", b"{" * 5000, b'{"loop_count": "x"}'])
def test_whatever_the_client_says_is_borne(said: bytes, workplace: Workplace) -> None:
    workplace.send("claude", "codex")
    assert notice(workplace, "--event", "Stop", given=said).code == 0
    assert notice(workplace, "--event", "Stop", given=said).err == ""


def test_programs_get_the_number(workplace: Workplace) -> None:
    workplace.send("claude", "codex")
    assert workplace.tell("notice", "--agent", "codex") == {"unread": 1}
    assert workplace.tell("notice", "--agent", "claude") == {"unread": 0}


def test_an_unknown_event_is_a_slip_of_whoever_wrote_it(workplace: Workplace) -> None:
    code, error = workplace.fail("notice", "--event", "SessionStrat")
    assert (code, error["hint"].startswith('did you mean "SessionStart"')) == (2, True)

"""Files put and fetched on the page: by forms that carry them, and by links in letters."""

import httpx
import pytest

from faces.clients import Served
from faces.web import story
from faces.web.forms import secret, send, upload, words
from waypost.faces.web.passes import Passes
from waypost.office import Office
from waypost.office.attachments import LARGEST, SCHEME
from waypost.office.callers import Caller

CODEX, DANA = story.caller("codex"), story.caller("dana")
BYTES = bytes(range(256)) * 9
NOTE = {"type": "notification", "to": "codex", "text": "See this"}
TOKEN = b"password: ghp_" + b"a1B2" * 9


def newest(office: Office) -> str:
    """What the newest letter of codex's mailbox says."""
    letter = max(office.inbox(CODEX, limit=100).letters, key=lambda one: one.position)
    return office.read(CODEX, letter.id, peek=True).text


def address(office: Office) -> str:
    """The address that stands in that letter."""
    return SCHEME + newest(office).partition(SCHEME)[2][:64]


def test_what_is_composed_with_files_names_them_as_a_tool_does(
    dana: httpx.Client, office: Office
) -> None:
    shown = upload(dana, "/compose", [("a.bin", BYTES), ("notes.txt", b"read me")], **NOTE)
    kept = office.attachment(CODEX, address(office))
    assert (kept.name, kept.data) == ("a.bin", BYTES)
    assert f"- a.bin: {kept.uri}" in newest(office)
    assert "Attached: a.bin 2 KiB notes.txt 7 bytes" in words(shown)


def test_a_typed_form_lists_its_files_in_the_content(dana: httpx.Client, office: Office) -> None:
    fields = {"field.task_id": "bd-1", "field.description": "Read it", "field.file_patterns": "a"}
    upload(dana, "/compose", [("plan.md", b"# Plan")], type="task_assignment", to="codex", **fields)
    letter = office.search(DANA, "type:task_assignment").letters[0]
    (named,) = office.read(DANA, letter.id).fields["attachments"]
    assert (named["type"], named["filename"]) == ("file", "plan.md")
    assert office.attachment(CODEX, named["url"]).data == b"# Plan"


def test_a_reply_takes_files(dana: httpx.Client, office: Office) -> None:
    sent = office.send(CODEX, "dana", text="Where is the plan?")
    shown = upload(
        dana, "/reply", [("plan.md", b"# A plan")], letter=sent.id, id=sent.thread, text="Here."
    )
    assert "plan.md 8 bytes" in words(shown)
    assert office.attachment(CODEX, address(office)).data == b"# A plan"


def test_a_download_is_saved_and_never_shown(dana: httpx.Client, office: Office) -> None:
    page = b"<script>alert(1)</script>"
    kept = office.attach(CODEX, "päge.html", page, "text/html")
    answer = dana.get("/attachment/" + kept.uri.removeprefix(SCHEME))
    assert (answer.status_code, answer.content) == (200, page)
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith('attachment; filename="p_ge.html";')
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


def test_what_is_not_kept_here_is_not_found(
    town: Served, dana: httpx.Client, office: Office
) -> None:
    zed = Caller("zed", "other")
    office.register(zed, kind="person", with_token=False)
    theirs = office.attach(zed, "ours.txt", b"not yours").uri.removeprefix(SCHEME)
    for sha256 in (theirs, "0" * 64):
        answer = dana.get(f"/attachment/{sha256}")
        assert (answer.status_code, "shop keeps no" in words(answer)) == (404, True)
    with httpx.Client(base_url=town.url) as client:
        client.get("/enter/" + Passes(str(town.home)).link("zed", "other"))
        assert client.get(f"/attachment/{theirs}").content == b"not yours"


@pytest.mark.parametrize("path", ["x", "..%2f..%2fetc", "0" * 63, "A" * 64, "%00", "a" * 5000])
def test_what_is_no_hash_is_refused_in_words(dana: httpx.Client, path: str) -> None:
    answer = dana.get(f"/attachment/{path}")
    assert answer.status_code in (400, 404)


def test_nothing_is_handed_out_without_a_session(town: Served, office: Office) -> None:
    kept = office.attach(CODEX, "a.txt", b"for members")
    answer = httpx.get(f"{town.url}/attachment/{kept.uri.removeprefix(SCHEME)}")
    assert (answer.status_code, b"for members" in answer.content) == (401, False)


@pytest.mark.parametrize(
    ("files", "status", "said"),
    [
        ([("clip.mp4", bytes(LARGEST + 1))], 413, '"clip.mp4" is larger than an attachment may be'),
        ([("a", bytes(LARGEST)), ("b", bytes(LARGEST))], 413, "more than 12 MiB together"),
        ([(f"{number}.txt", b"x") for number in range(21)], 400, "more than 20 entries"),
        ([("env.txt", TOKEN)], 422, '"env.txt" seems to hold a key, token or password'),
        ([("x" * 1000, b"x")], 400, "the name of an attachment must be one line"),
        ([("a\u202egpj.exe", b"x")], 400, "the name of an attachment must be one line"),
        ([("folder/", b"x")], 400, "the name of an attachment must be one line"),
        ([(TOKEN[10:].decode(), b"x")], 422, "the name of an attachment seems to hold a key"),
    ],
)
def test_a_file_that_cant_be_taken_is_told_on_the_form_and_what_was_typed_stays(
    dana: httpx.Client, office: Office, files: list[tuple[str, bytes]], status: int, said: str
) -> None:
    sent = office.send(CODEX, "dana", text="And?")
    typed = {"text": "This is <what> I typed", "to": "codex", "letter": sent.id, "id": sent.thread}
    for path in ("/compose", "/reply"):
        answer = upload(dana, path, files, type="notification", **typed)
        shown = words(answer)
        assert (answer.status_code, said in shown) == (status, True)
        assert "This is <what> I typed" in shown
        assert "Choose them again" in shown


def test_a_letter_that_is_refused_is_not_sent(dana: httpx.Client, office: Office) -> None:
    before = len(office.inbox(CODEX, limit=100).letters)
    upload(dana, "/compose", [("env.txt", TOKEN)], **NOTE)
    assert len(office.inbox(CODEX, limit=100).letters) == before


def test_a_form_with_files_needs_the_sessions_secret_too(
    dana: httpx.Client, office: Office
) -> None:
    before = office.last()
    for forged in ({}, {"secret": "0" * 64}):
        answer = dana.post("/compose", data=NOTE | forged, files={"files": ("a.txt", b"forged")})
        assert answer.status_code == 403
    assert office.last() == before


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_a_form_with_files_of_another_site_is_refused(dana: httpx.Client, origin: str) -> None:
    data = NOTE | {"secret": secret(dana)}
    files = {"files": ("a.txt", b"forged")}
    answer = dana.post("/compose", data=data, files=files, headers={"origin": origin})
    assert answer.status_code == 403


def test_a_form_that_is_broken_is_answered_in_words(dana: httpx.Client) -> None:
    for kind in ("multipart/form-data", "multipart/form-data; boundary=x"):
        answer = dana.post("/compose", content=b"--x\r\nrubbish", headers={"content-type": kind})
        assert (answer.status_code, "the form" in words(answer)) == (400, True)


def test_a_question_shows_what_comes_with_it(dana: httpx.Client, office: Office) -> None:
    kept = office.attach(CODEX, "draft.md", b"# Draft")
    office.ask_human(CODEX, f"Is this right? {kept.uri}")
    assert "Is this right? draft.md 7 bytes" in words(dana.get("/needs"))


def test_a_content_that_was_taken_out_is_not_handed_out(dana: httpx.Client, office: Office) -> None:
    kept = office.attach(CODEX, "leak.txt", b"leaked")
    sent = office.send(CODEX, "dana", text=f"Look: {kept.uri}")
    office.redact(DANA, kept.uri, "leaked")
    assert "(not kept here)" in words(dana.get("/thread", params={"id": sent.thread}))
    assert dana.get("/attachment/" + kept.uri.removeprefix(SCHEME)).status_code == 404


def test_a_reply_that_fails_shows_the_thread_where_it_was(
    dana: httpx.Client, office: Office
) -> None:
    sent = office.send(CODEX, "dana", text="And now?")
    answer = send(dana, "/reply", letter=sent.id, id=sent.thread, tab="raw", text=" ")
    assert answer.status_code == 422
    assert f'hx-get="/thread?id={sent.thread}&amp;tab=raw"' in answer.text

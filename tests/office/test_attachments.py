"""Attachments: bytes known by their hash."""

import base64
from functools import partial

from office_scene import Scene, caller, refusal
from waypost.office.attachments import LARGEST


def test_what_is_attached_is_fetched_by_its_address(scene: Scene) -> None:
    kept = scene.office.attach(caller("codex"), "log.txt", b"\0\xff it failed", "text/plain")
    assert kept.uri.startswith("artifact://sha256-")
    found = scene.office.attachment(caller("claude"), kept.uri)
    assert (found.data, found.name, found.media_type) == (
        b"\0\xff it failed",
        "log.txt",
        "text/plain",
    )


def test_the_same_bytes_are_kept_once(scene: Scene) -> None:
    first = scene.office.attach(caller("codex"), "a", b"same")
    before = scene.office.last()
    again = scene.office.attach(caller("claude"), "b", base64.b64encode(b"same").decode())
    assert (again, scene.office.last()) == (first, before)


def test_attachments_stay_in_their_project(scene: Scene) -> None:
    kept = scene.office.attach(caller("codex"), "a", b"ours")
    scene.office.register(caller("zed", "other"))
    error = refusal(lambda: scene.office.attachment(caller("zed", "other"), kept.uri))
    assert error["error"] == "not_found"


def test_several_are_looked_up_at_once_in_their_project(scene: Scene) -> None:
    kept = scene.office.attach(caller("codex"), "a", b"ours")
    sha256 = kept.uri.rpartition("-")[2]
    scene.office.register(caller("zed", "other"))
    assert scene.office.attachments_kept(caller("claude"), [sha256, "0" * 64]) == {sha256: kept}
    assert scene.office.attachments_kept(caller("zed", "other"), [sha256]) == {}


def test_an_attachment_has_bounds(scene: Scene) -> None:
    codex = caller("codex")
    scene.office.attach(codex, "full", bytes(LARGEST))
    assert (
        refusal(lambda: scene.office.attach(codex, "a", bytes(LARGEST + 1)))["error"] == "too_large"
    )
    assert refusal(lambda: scene.office.attach(codex, "a", "not base64!"))["error"] == "usage"
    assert refusal(lambda: scene.office.attach(codex, "a\nb", b""))["error"] == "usage"


def test_a_secret_is_refused_in_a_file_or_its_name_and_not_repeated(scene: Scene) -> None:
    secret = "ghp_" + "a1B2" * 10
    for name, content in (("a.txt", secret), (f"{secret}.txt", "x"), (secret, secret)):
        error = refusal(partial(scene.office.attach, caller("codex"), name, content.encode()))
        assert (error["error"], secret in str(error)) == ("secret_detected", False)
    assert scene.office.attach(caller("codex"), "a", secret.encode(), allow_secrets=True)


def test_an_address_that_is_none_is_refused(scene: Scene) -> None:
    for uri in ("artifact://sha256-../../etc", "file:///etc/passwd", ""):
        assert refusal(partial(scene.office.attachment, caller("codex"), uri))

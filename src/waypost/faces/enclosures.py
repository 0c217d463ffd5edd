"""Files that come with a letter: kept by the office first, then named in what the letter says."""

from collections.abc import Mapping, Sequence
from typing import Any

from waypost.errors import Problem, UsageError
from waypost.office import Office
from waypost.office.attachments import Attachment
from waypost.office.callers import Caller

MOST = 20
_KNOWN = ("name", "text", "data", "media_type")
_PLAIN, _BYTES = "text/plain", "application/octet-stream"


def enclose(office: Office, caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a letter with its `attachments` kept and named in its text or content.

    An attachment is its name, and its text or data (base64, or bytes where a door has them).
    Raises UsageError with everything that is wrong with them, TooLargeError, SecretDetectedError.
    """
    letter = dict(arguments)
    files = letter.pop("attachments", [])
    listed = (letter.get("content") or {}).get("attachments") or []
    _check(files, listed)
    allowed = bool(letter.get("allow_secrets"))
    # The same bytes may have been kept before by another name; the letter says the one given here.
    kept = [(file["name"], _keep(office, caller, file, allowed).uri) for file in files]
    if kept and letter.get("content") is not None:
        named = [{"type": "file", "filename": name, "url": uri} for name, uri in kept]
        letter["content"] = {**letter["content"], "attachments": [*listed, *named]}
    elif kept:
        lines = "\n".join(f"- {name}: {uri}" for name, uri in kept)
        letter["text"] = f"{letter.get('text') or ''}\n\nAttached:\n{lines}".lstrip("\n")
    return letter


def _keep(office: Office, caller: Caller, file: Mapping[str, Any], allowed: bool) -> Attachment:
    text = file.get("text")
    content = file["data"] if text is None else text.encode("utf-8", "surrogatepass")
    media_type = file.get("media_type", _BYTES if text is None else _PLAIN)
    return office.attach(caller, file["name"], content, media_type, allowed)


def _check(files: Sequence[Any], listed: object) -> None:
    problems = [problem for number, file in enumerate(files) for problem in _flaws(number, file)]
    if not isinstance(listed, list):
        at = ("content", "attachments")
        problems.append(Problem(at, "wrong_type", "content.attachments must be a list"))
    if len(files) > MOST:
        problems.append(
            Problem(("attachments",), "too_many", f"attachments has more than {MOST} entries")
        )
    if problems:
        raise UsageError(problems[0].message, hint=problems[0].hint, problems=problems)


def _flaws(number: int, file: Any) -> list[Problem]:
    at = ("attachments", number)
    place = f"attachments.{number}"
    if not isinstance(file, Mapping):
        return [Problem(at, "wrong_type", f"{place} must be a mapping", "name, and text or data")]
    found = [
        Problem((*at, key), "wrong_type", f"{place}.{key} must be text")
        for key, value in file.items()
        if key in _KNOWN and not isinstance(value, str | bytes if key == "data" else str)
    ]
    if "name" not in file:
        found.append(Problem((*at, "name"), "missing_field", f"{place}.name is missing"))
    if ("text" in file) == ("data" in file):
        hint = "text as it is, or data in base64"
        found.append(Problem(at, "missing_field", f"{place} needs either text or data", hint))
    return found

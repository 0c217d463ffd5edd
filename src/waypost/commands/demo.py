"""`waypost demo`: one request in all three dialects, sound and then broken; it checks itself."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from waypost.commands.console import Console, Parser
from waypost.commands.report import show_problems
from waypost.dialects.message import Message
from waypost.errors import WaypostError, visible
from waypost.messages import compose, parse

_EXAMPLES = """\
  waypost demo
  waypost demo --json
"""
_KIT, _ADA = "ed25519.5f1d0c8e2b7a49d3860e71f4c2a9b583", "ed25519.c07e9a3d51f8426b94d2e86a10f7b35c"


class Scene(NamedTuple):
    """One message of the demo, what it is, and what its checker must say."""

    title: str
    message: Message
    expected: tuple[tuple[str, str], ...]  # path and code of every problem

    @property
    def holds(self) -> bool:
        found = [(problem.path, problem.code) for problem in self.message.problems]
        return sorted(found) == sorted(self.expected)


def run(console: Console, argv: Sequence[str]) -> int:
    """Play the scenes; the exit code is 1 if one of them is not as announced."""
    parser = Parser(
        "waypost demo", "See Waypost at work: one request in three dialects.", _EXAMPLES
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object a scene")
    parser.parse_args(argv)
    wrong = 0
    for number, scene in enumerate(_scenes(), start=1):
        wrong += not scene.holds
        if console.as_json:
            console.json(_scene_json(scene))
        else:
            _show(console, number, scene)
    if wrong:
        raise WaypostError(f"{wrong} scenes of the demo are not as announced")
    if not console.as_json:
        console.talk("Everything above was checked while it was shown.")
        console.talk(
            "Next: waypost validate YOUR-FILE, waypost examples, waypost schema oacp/handoff"
        )
    return 0


def _scenes() -> Iterator[Scene]:
    for title, message in _good_messages():
        yield Scene(f"{title}: sound", message, ())
    for title, message, damage, expected in _broken():
        yield Scene(
            f"{title}: broken", parse(_damaged(message.raw, damage), message.dialect), expected
        )


def _good_messages() -> list[tuple[str, Message]]:
    task = "Add a rate limit to the public API"
    oacp = compose(
        "task_request",
        {
            "from": "claude",
            "to": "codex",
            "subject": task,
            "body": "100 requests a minute.\nTests too.\n",
        },
    )
    acp = compose("delegate", {"from": _KIT, "to": _ADA, "payload": {"task": task}})
    agent_mail = compose(
        "task_assignment",
        {
            "sender_id": "orchestrator",
            "task_id": "api-7",
            "description": task,
            "specification": {"acceptance_criteria": ["429 beyond 100 requests a minute"]},
            "file_patterns": ["src/api/**"],
        },
    )
    return [
        ("OACP, a file in an inbox", oacp),
        ("ACP, an envelope on a stream", acp),
        ("Agent Mail, a tool's argument", agent_mail),
    ]


Damage = tuple[tuple[str, str], ...]


def _broken() -> list[tuple[str, Message, Damage, tuple[tuple[str, str], ...]]]:
    (oacp_title, oacp), (acp_title, acp), (mail_title, mail) = _good_messages()
    return [
        (
            oacp_title,
            oacp,
            (
                ("priority: P2", "priority: urgent"),
                ("to: codex", "to: ../codex"),
                ("subject:", "subjekt:"),
            ),
            (
                ("priority", "not_one_of"),
                ("to", "bad_name"),
                ("subject", "missing_field"),
                ("subjekt", "unknown_field"),
            ),
        ),
        (
            acp_title,
            acp,
            (('"delegate"', '"delegat"'), ('"ref":null', '"ref":"soon","ref":null')),
            (("kind", "unknown_type"), ("ref", "duplicate_key"), ("ref", "bad_uuid")),
        ),
        (
            mail_title,
            mail,
            (('"priority_value":2', '"priority_value":0'), ('"1.0.0"', '"2.0.0"')),
            (("priority_value", "priority_disagrees"), ("version", "version_mismatch")),
        ),
    ]


def _damaged(raw: bytes, damage: Damage) -> bytes:
    text = raw.decode()
    for good, bad in damage:
        text = text.replace(good, bad, 1)
    return text.encode()


def _scene_json(scene: Scene) -> dict[str, object]:
    return {
        "scene": scene.title,
        "dialect": scene.message.dialect,
        "type": scene.message.type,
        "valid": scene.message.valid,
        "text": scene.message.raw.decode(),
        "problems": [problem.to_json() for problem in scene.message.problems],
        "as_announced": scene.holds,
    }


def _show(console: Console, number: int, scene: Scene) -> None:
    console.data(console.paint(f"{number}. {scene.title}", "bold"))
    if scene.message.valid:
        for line in scene.message.raw.decode().rstrip("\n").split("\n"):
            console.data("   " + visible(line))
        console.data(f"   {console.paint('ok', 'green')}\n")
    else:
        show_problems(console, "message", scene.message)

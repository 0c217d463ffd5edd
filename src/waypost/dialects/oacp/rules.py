"""OACP's rules that a schema can't say: one function a rule, named after what it guards.

A rule sees a message in normal form, looks only at fields of the right type (the schema has told
about the others), and yields what it finds.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waypost.dialects.message import Fields
from waypost.dialects.oacp import ids
from waypost.dialects.oacp.types import TYPES
from waypost.dialects.text import MAX_PROBLEMS
from waypost.errors import WARNING, At, Problem, quoted
from waypost.letters.names import NAME_RULE, did_you_mean, is_name

MAX_CONTEXT_WORDS = 500
_MOST_SUGGESTIONS = 20  # looking for near names takes time


def _warning(at: tuple[str | int, ...], code: str, message: str, hint: str) -> Problem:
    return Problem(at, code, message, hint, WARNING)


def _body(message: Fields) -> Mapping[str, Any]:
    body = message.get("body")
    return body if isinstance(body, dict) else {}


def handoffs_have_one_recipient(message: Fields) -> Iterator[Problem]:
    kind, to = TYPES.get(str(message.get("type"))), message.get("to")
    if kind is not None and kind.one_recipient and isinstance(to, list) and len(to) > 1:
        yield Problem(
            ("to",),
            "point_to_point",
            f"names {len(to)} agents; a {message['type']} goes to exactly one",
            "send it to the one that takes over",
        )


def sender_is_not_in_its_own_list(message: Fields) -> Iterator[Problem]:
    to = message.get("to")
    if isinstance(to, list) and message.get("from") in to:
        yield _warning(
            ("to",),
            "sender_in_recipients",
            "lists the sender too",
            "leave yourself out of a broadcast",
        )


def ids_have_a_usual_form(message: Fields) -> Iterator[Problem]:
    message_id, parent = message.get("id"), message.get("parent_message_id")
    conversation = message.get("conversation_id")
    usual = "usual is msg-<YYYYMMDDTHHmmZ>-<sender>-<four letters or digits>, or a UUID"
    if (
        isinstance(message_id, str)
        and ids.may_be_id(message_id)
        and not ids.is_message_id(message_id)
    ):
        yield _warning(("id",), "id_form", f"has an unusual form: {quoted(message_id)}", usual)
    if isinstance(parent, str) and parent.strip() and not ids.is_message_id(parent):
        yield _warning(
            ("parent_message_id",), "parent_form", f"has an unusual form: {quoted(parent)}", usual
        )
    if (
        isinstance(conversation, str)
        and conversation.strip()
        and not ids.is_conversation_id(conversation)
    ):
        yield _warning(
            ("conversation_id",),
            "conversation_form",
            f"has an unusual form: {quoted(conversation)}",
            "usual is conv-<YYYYMMDD>-<agent>-<three digits>",
        )


def context_keys_are_short(message: Fields) -> Iterator[Problem]:
    keys = message.get("context_keys")
    texts = [keys] if isinstance(keys, str) else keys if isinstance(keys, list) else []
    words = sum(len(text.split()) for text in texts if isinstance(text, str))
    if words > MAX_CONTEXT_WORDS:
        yield Problem(
            ("context_keys",),
            "too_many_words",
            f"has {words} words; at most {MAX_CONTEXT_WORDS} are allowed",
            "refer to a file instead",
        )


def priority_is_the_risk_tier(message: Fields) -> Iterator[Problem]:
    tier, priority = _body(message).get("risk_tier"), message.get("priority")
    if (
        message.get("type") == "follow_up"
        and tier in ("P2", "P3")
        and priority in ("P0", "P1", "P2", "P3")
        and tier != priority
    ):
        yield _warning(
            ("priority",),
            "priority_not_risk_tier",
            f"is {priority}, but the risk tier is {tier}",
            f"a follow_up's priority is its risk tier: {tier}",
        )


def handoff_agents_are_the_correspondents(message: Fields) -> Iterator[Problem]:
    if message.get("type") != "handoff":
        return
    source, target = _body(message).get("source_agent"), _body(message).get("target_agent")
    if isinstance(source, str) and source == target and source.strip():
        yield Problem(
            ("body", "target_agent"),
            "handoff_to_self",
            f"is the giver itself: {quoted(source)}",
            "name the agent that takes over",
        )
    sender, to = message.get("from"), message.get("to")
    receiver = to[0] if isinstance(to, list) and len(to) == 1 else to
    for field, agent, envelope in (
        ("source_agent", source, sender),
        ("target_agent", target, receiver),
    ):
        if (
            isinstance(agent, str)
            and isinstance(envelope, str)
            and is_name(agent)
            and is_name(envelope)
            and agent != envelope
        ):
            yield _warning(
                ("body", field),
                "handoff_agents",
                f"is {quoted(agent)}, but the envelope says {quoted(envelope)}",
                "the giver is the sender, the taker the recipient",
            )


def tests_run_is_true_or_false(message: Fields) -> Iterator[Problem]:
    said = _body(message).get("tests_run")
    if message.get("type") == "handoff_complete" and isinstance(said, str) and said.strip():
        yield _warning(
            ("body", "tests_run"),
            "tests_run_text",
            f"should be true or false, not {quoted(said)}",
            "say true or false; tell the command in the subject or a notification",
        )


def owners_are_agents(message: Fields) -> Iterator[Problem]:
    field = {"follow_up": "owner", "handoff_complete": "next_owner"}.get(str(message.get("type")))
    owner = _body(message).get(field) if field else None
    if field and isinstance(owner, str) and owner.strip() and not is_name(owner):
        yield _warning(
            ("body", field), "agent_expected", f"is not an agent's name: {quoted(owner)}", NAME_RULE
        )


def a_failed_gate_is_not_merge_ready(message: Fields) -> Iterator[Problem]:
    body = _body(message)
    if (
        message.get("type") == "review_lgtm"
        and body.get("merge_ready") is True
        and body.get("quality_gate_result") == "fail"
    ):
        yield Problem(
            ("body", "merge_ready"),
            "merge_ready_but_failed",
            "is true, although the quality gate failed",
            "set it to false, or approve only when the gate passes",
        )


RULES = (
    handoffs_have_one_recipient,
    sender_is_not_in_its_own_list,
    ids_have_a_usual_form,
    context_keys_are_short,
    priority_is_the_risk_tier,
    handoff_agents_are_the_correspondents,
    tests_run_is_true_or_false,
    owners_are_agents,
    a_failed_gate_is_not_merge_ready,
)


def text_body_problem(body: str, sending: bool) -> Iterator[Problem]:
    """A type with a body schema wants fields; prose is read with a warning, never sent."""
    if body.strip():
        problem = Problem(
            ("body",),
            "text_body",
            "is prose, but this type asks for fields",
            "write the body as key: value lines",
        )
        yield problem if sending else problem._replace(severity=WARNING)


def unknown_fields(fields: Fields, known: Mapping[At, frozenset[str]]) -> list[Problem]:
    """Fields that this version doesn't know are kept, and told about: they are often slips."""
    found: list[Problem] = []
    for at, names in known.items():
        mapping = _mapping_at(fields, at)
        if mapping.keys() <= names:
            continue
        for key in mapping:
            if key not in names and len(found) <= MAX_PROBLEMS:
                meant = did_you_mean(key, names) if len(found) < _MOST_SUGGESTIONS else None
                hint = meant or "it is kept, but no reader of OACP looks at it"
                sentence = "is not a field of this message"
                found.append(_warning((*at, key), "unknown_field", sentence, hint))
    return found


def _mapping_at(fields: Fields, at: At) -> Mapping[str, Any]:
    holder: Any = fields
    for step in at:
        holder = holder.get(step) if isinstance(holder, dict) else None
    return holder if isinstance(holder, dict) else {}


def file_name_problems(name: str, fields: Fields) -> list[Problem]:
    """A file's name should say what is in it."""
    created, sender, type_name = (
        fields.get("created_at_utc"),
        fields.get("from"),
        fields.get("type"),
    )
    if not (isinstance(created, str) and isinstance(sender, str) and isinstance(type_name, str)):
        return []
    if ids.file_name_agrees(name, created, sender, type_name):
        return []
    usual = ids.file_name(created, sender, type_name) if len(created) >= 16 else ""
    return [
        _warning(
            (),
            "file_name",
            f"is in a file whose name says something else: {quoted(name)}",
            f"usual is {usual}",
        )
    ]

"""The table of OACP's twelve message types: what answers what, and how each travels."""

from waypost.dialects.message import MessageType

TYPES = {
    "task_request": MessageType(("notification", "follow_up")),
    "question": MessageType(("notification", "follow_up")),
    "notification": MessageType(),
    "follow_up": MessageType(),
    "handoff": MessageType(("handoff_complete",), one_recipient=True),
    "handoff_complete": MessageType(is_answer=True, one_recipient=True),
    "review_request": MessageType(("review_feedback", "review_lgtm")),
    "review_feedback": MessageType(("review_addressed", "question"), is_answer=True),
    "review_addressed": MessageType(
        ("review_feedback", "review_lgtm", "review_request"), is_answer=True
    ),
    "review_lgtm": MessageType(is_answer=True),
    "brainstorm_request": MessageType(("notification", "brainstorm_followup")),
    "brainstorm_followup": MessageType(("notification", "brainstorm_followup"), is_answer=True),
}

"""The table of Agent Mail's six message types."""

from waypost.dialects.message import MessageType

TYPES = {
    "task_assignment": MessageType(("status_update", "task_completion", "error_report")),
    "task_completion": MessageType(is_answer=True),
    "error_report": MessageType(is_answer=True),
    "status_update": MessageType(is_answer=True),
    "coordination_request": MessageType(("status_update", "task_completion", "error_report")),
    "file_reservation": MessageType(("status_update", "error_report")),
}

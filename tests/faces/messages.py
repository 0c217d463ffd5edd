"""Contents of Agent Mail messages as writers give them; the base fields are filled in."""

from typing import Any

ASSIGNMENT: dict[str, Any] = {
    "task_id": "bd-42",
    "description": "Implement user authentication UI",
    "specification": {"acceptance_criteria": ["Login form displays correctly"]},
    "file_patterns": ["src/frontend/auth/**/*.tsx"],
    "priority": "high",
    "priority_value": 1,
}
COMPLETION: dict[str, Any] = {
    "task_id": "bd-42",
    "status": "complete",
    "completion_summary": "The form stands, with all criteria met",
    "files_modified": ["src/frontend/auth/LoginForm.tsx"],
    "test_results": {"unit_tests": {"passed": 15, "failed": 0}},
    "errors_encountered": [],
}
ERROR: dict[str, Any] = {
    "task_id": "bd-45",
    "severity": "blocking",
    "error": {"code": "API_ERROR", "message": "Cannot connect to payment API"},
    "reproduction_steps": ["Pay in the checkout"],
    "needs_human_intervention": True,
}
PROGRESS: dict[str, Any] = {
    "task_id": "bd-47",
    "update_type": "progress",
    "status_summary": "Migration 70% complete",
    "progress": {"percentage": 70, "current_step": "Running staging migration"},
    "blockers": [],
}
COORDINATION: dict[str, Any] = {
    "request_type": "sync",
    "participants": ["frontend", "tester"],
    "coordination_topic": "Where the login stands",
}
RESERVATION: dict[str, Any] = {
    "task_id": "bd-42",
    "reservation_request": {
        "mode": "exclusive",
        "file_patterns": ["src/frontend/auth/**/*.ts"],
        "duration_minutes": 120,
        "reason": "Implementing the login",
    },
}

"""The forms of all message types, for type checkers. Written by scripts/generate; do not edit.

`waypost.parse(data).typed(Handoff)` gives the fields as a Handoff, which is a TypedDict.
"""

from typing import Any, Literal, NotRequired, TypedDict

TaskRequest = TypedDict(
    "TaskRequest",
    {
        "id": str,
        "from": str,
        "to": str | list[str],
        "type": Literal["task_request"],
        "priority": Literal["P0", "P1", "P2", "P3"],
        "created_at_utc": str,
        "subject": str,
        "body": str | dict[str, Any],
        "expires_at": NotRequired[str],
        "channel": NotRequired[str],
        "related_packet": NotRequired[str],
        "related_pr": NotRequired[str | float],
        "conversation_id": NotRequired[str],
        "parent_message_id": NotRequired[str],
        "context_keys": NotRequired[str | list[str]],
    },
)

Question = TypedDict(
    "Question",
    {
        "id": str,
        "from": str,
        "to": str | list[str],
        "type": Literal["question"],
        "priority": Literal["P0", "P1", "P2", "P3"],
        "created_at_utc": str,
        "subject": str,
        "body": str | dict[str, Any],
        "expires_at": NotRequired[str],
        "channel": NotRequired[str],
        "related_packet": NotRequired[str],
        "related_pr": NotRequired[str | float],
        "conversation_id": NotRequired[str],
        "parent_message_id": NotRequired[str],
        "context_keys": NotRequired[str | list[str]],
    },
)

Notification = TypedDict(
    "Notification",
    {
        "id": str,
        "from": str,
        "to": str | list[str],
        "type": Literal["notification"],
        "priority": Literal["P0", "P1", "P2", "P3"],
        "created_at_utc": str,
        "subject": str,
        "body": str | dict[str, Any],
        "expires_at": NotRequired[str],
        "channel": NotRequired[str],
        "related_packet": NotRequired[str],
        "related_pr": NotRequired[str | float],
        "conversation_id": NotRequired[str],
        "parent_message_id": NotRequired[str],
        "context_keys": NotRequired[str | list[str]],
    },
)

FollowUpBody = TypedDict(
    "FollowUpBody",
    {
        "source_type": Literal["review", "task", "deploy", "incident", "other"],
        "source_ref": str,
        "risk_tier": Literal["P2", "P3"],
        "summary": str,
        "next_action": str,
        "owner": str,
        "tracking_issue": NotRequired[str],
        "due_hint": NotRequired[str],
    },
)

FollowUp = TypedDict(
    "FollowUp",
    {
        "id": str,
        "from": str,
        "to": str | list[str],
        "type": Literal["follow_up"],
        "priority": Literal["P0", "P1", "P2", "P3"],
        "created_at_utc": str,
        "subject": str,
        "body": FollowUpBody | str,
        "expires_at": NotRequired[str],
        "channel": NotRequired[str],
        "related_packet": NotRequired[str],
        "related_pr": NotRequired[str | float],
        "conversation_id": NotRequired[str],
        "parent_message_id": NotRequired[str],
        "context_keys": NotRequired[str | list[str]],
    },
)

HandoffBodyContextBundle = TypedDict(
    "HandoffBodyContextBundle",
    {
        "files_touched": list[str],
        "decisions_made": list[str],
        "blockers_hit": list[str],
        "suggested_next_steps": list[str],
    },
)

HandoffBody = TypedDict(
    "HandoffBody",
    {
        "source_agent": str,
        "target_agent": str,
        "intent": str,
        "artifacts_to_review": list[str],
        "definition_of_done": list[str],
        "context_bundle": HandoffBodyContextBundle,
    },
)

Handoff = TypedDict(
    "Handoff",
    {
        "id": str,
        "from": str,
        "to": str | list[str],
        "type": Literal["handoff"],
        "priority": Literal["P0", "P1", "P2", "P3"],
        "created_at_utc": str,
        "subject": str,
        "body": HandoffBody | str,
        "expires_at": NotRequired[str],
        "channel": NotRequired[str],
        "related_packet": NotRequired[str],
        "related_pr": NotRequired[str | float],
        "conversation_id": NotRequired[str],
        "parent_message_id": NotRequired[str],
        "context_keys": NotRequired[str | list[str]],
    },
)

HandoffCompleteBody = TypedDict(
    "HandoffCompleteBody",
    {
        "issue": str,
        "pr": str,
        "branch": str,
        "tests_run": bool | str,
        "next_owner": str,
    },
)

HandoffComplete = TypedDict(
    "HandoffComplete",
    {
        "id": str,
        "from": str,
        "to": str | list[str],
        "type": Literal["handoff_complete"],
        "priority": Literal["P0", "P1", "P2", "P3"],
        "created_at_utc": str,
        "subject": str,
        "body": HandoffCompleteBody | str,
        "expires_at": NotRequired[str],
        "channel": NotRequired[str],
        "related_packet": NotRequired[str],
        "related_pr": NotRequired[str | float],
        "conversation_id": NotRequired[str],
        "parent_message_id": NotRequired[str],
        "context_keys": NotRequired[str | list[str]],
    },
)

ReviewRequestBody = TypedDict(
    "ReviewRequestBody",
    {
        "pr": str,
        "branch": str,
        "diff_summary": str,
        "max_turns_reviewer": NotRequired[int],
        "max_runtime_s_reviewer": NotRequired[int],
    },
)

ReviewRequest = TypedDict(
    "ReviewRequest",
    {
        "id": str,
        "from": str,
        "to": str | list[str],
        "type": Literal["review_request"],
        "priority": Literal["P0", "P1", "P2", "P3"],
        "created_at_utc": str,
        "subject": str,
        "body": ReviewRequestBody | str,
        "expires_at": NotRequired[str],
        "channel": NotRequired[str],
        "related_packet": NotRequired[str],
        "related_pr": NotRequired[str | float],
        "conversation_id": NotRequired[str],
        "parent_message_id": NotRequired[str],
        "context_keys": NotRequired[str | list[str]],
    },
)

ReviewFeedbackBody = TypedDict(
    "ReviewFeedbackBody",
    {
        "findings_packet": str,
        "round": int,
        "blocking_count": int,
    },
)

ReviewFeedback = TypedDict(
    "ReviewFeedback",
    {
        "id": str,
        "from": str,
        "to": str | list[str],
        "type": Literal["review_feedback"],
        "priority": Literal["P0", "P1", "P2", "P3"],
        "created_at_utc": str,
        "subject": str,
        "body": ReviewFeedbackBody | str,
        "expires_at": NotRequired[str],
        "channel": NotRequired[str],
        "related_packet": NotRequired[str],
        "related_pr": NotRequired[str | float],
        "conversation_id": NotRequired[str],
        "parent_message_id": NotRequired[str],
        "context_keys": NotRequired[str | list[str]],
    },
)

ReviewAddressedBody = TypedDict(
    "ReviewAddressedBody",
    {
        "commit_sha": str,
        "changes_summary": str,
        "round": int,
        "touched_files": list[str],
        "addressed_finding_ids": list[str],
    },
)

ReviewAddressed = TypedDict(
    "ReviewAddressed",
    {
        "id": str,
        "from": str,
        "to": str | list[str],
        "type": Literal["review_addressed"],
        "priority": Literal["P0", "P1", "P2", "P3"],
        "created_at_utc": str,
        "subject": str,
        "body": ReviewAddressedBody | str,
        "expires_at": NotRequired[str],
        "channel": NotRequired[str],
        "related_packet": NotRequired[str],
        "related_pr": NotRequired[str | float],
        "conversation_id": NotRequired[str],
        "parent_message_id": NotRequired[str],
        "context_keys": NotRequired[str | list[str]],
    },
)

ReviewLgtmBody = TypedDict(
    "ReviewLgtmBody",
    {
        "quality_gate_result": Literal["pass", "fail"],
        "merge_ready": bool,
        "nits": NotRequired[list[str | dict[str, Any]]],
    },
)

ReviewLgtm = TypedDict(
    "ReviewLgtm",
    {
        "id": str,
        "from": str,
        "to": str | list[str],
        "type": Literal["review_lgtm"],
        "priority": Literal["P0", "P1", "P2", "P3"],
        "created_at_utc": str,
        "subject": str,
        "body": ReviewLgtmBody | str,
        "expires_at": NotRequired[str],
        "channel": NotRequired[str],
        "related_packet": NotRequired[str],
        "related_pr": NotRequired[str | float],
        "conversation_id": NotRequired[str],
        "parent_message_id": NotRequired[str],
        "context_keys": NotRequired[str | list[str]],
    },
)

BrainstormRequest = TypedDict(
    "BrainstormRequest",
    {
        "id": str,
        "from": str,
        "to": str | list[str],
        "type": Literal["brainstorm_request"],
        "priority": Literal["P0", "P1", "P2", "P3"],
        "created_at_utc": str,
        "subject": str,
        "body": str | dict[str, Any],
        "expires_at": NotRequired[str],
        "channel": NotRequired[str],
        "related_packet": NotRequired[str],
        "related_pr": NotRequired[str | float],
        "conversation_id": NotRequired[str],
        "parent_message_id": NotRequired[str],
        "context_keys": NotRequired[str | list[str]],
    },
)

BrainstormFollowup = TypedDict(
    "BrainstormFollowup",
    {
        "id": str,
        "from": str,
        "to": str | list[str],
        "type": Literal["brainstorm_followup"],
        "priority": Literal["P0", "P1", "P2", "P3"],
        "created_at_utc": str,
        "subject": str,
        "body": str | dict[str, Any],
        "expires_at": NotRequired[str],
        "channel": NotRequired[str],
        "related_packet": NotRequired[str],
        "related_pr": NotRequired[str | float],
        "conversation_id": NotRequired[str],
        "parent_message_id": NotRequired[str],
        "context_keys": NotRequired[str | list[str]],
    },
)

HelloPayload = TypedDict(
    "HelloPayload",
    {
        "protocol_versions": list[int],
        "selected_version": NotRequired[int],
        "agent_name": NotRequired[str],
        "features": NotRequired[list[str]],
    },
)

Hello = TypedDict(
    "Hello",
    {
        "v": int,
        "id": str,
        "from": str,
        "to": str,
        "ts": int,
        "kind": Literal["hello"],
        "ref": NotRequired[str | None],
        "payload": HelloPayload,
    },
)

Ping = TypedDict(
    "Ping",
    {
        "v": int,
        "id": str,
        "from": str,
        "to": str,
        "ts": int,
        "kind": Literal["ping"],
        "ref": NotRequired[str | None],
        "payload": NotRequired[dict[str, Any] | None],
    },
)

PongPayload = TypedDict(
    "PongPayload",
    {
        "status": Literal["idle", "busy", "overloaded"],
        "uptime_secs": NotRequired[int],
        "active_tasks": NotRequired[int],
        "agent_name": NotRequired[str],
    },
)

Pong = TypedDict(
    "Pong",
    {
        "v": int,
        "id": str,
        "from": str,
        "to": str,
        "ts": int,
        "kind": Literal["pong"],
        "ref": str,
        "payload": PongPayload,
    },
)

QueryPayload = TypedDict(
    "QueryPayload",
    {
        "question": str,
        "domain": NotRequired[str],
        "max_tokens": NotRequired[int],
        "deadline_ms": NotRequired[int],
    },
)

Query = TypedDict(
    "Query",
    {
        "v": int,
        "id": str,
        "from": str,
        "to": str,
        "ts": int,
        "kind": Literal["query"],
        "ref": NotRequired[str | None],
        "payload": QueryPayload,
    },
)

ResponsePayload = TypedDict(
    "ResponsePayload",
    {
        "data": NotRequired[Any],
        "summary": str,
        "tokens_used": NotRequired[int],
        "truncated": NotRequired[bool],
    },
)

Response = TypedDict(
    "Response",
    {
        "v": int,
        "id": str,
        "from": str,
        "to": str,
        "ts": int,
        "kind": Literal["response"],
        "ref": str,
        "payload": ResponsePayload,
    },
)

DelegatePayload = TypedDict(
    "DelegatePayload",
    {
        "task": str,
        "context": NotRequired[dict[str, Any]],
        "priority": NotRequired[Literal["normal", "urgent"]],
        "report_back": NotRequired[bool],
        "deadline_ms": NotRequired[int],
    },
)

Delegate = TypedDict(
    "Delegate",
    {
        "v": int,
        "id": str,
        "from": str,
        "to": str,
        "ts": int,
        "kind": Literal["delegate"],
        "ref": NotRequired[str | None],
        "payload": DelegatePayload,
    },
)

AckPayload = TypedDict(
    "AckPayload",
    {
        "accepted": bool,
        "estimated_ms": NotRequired[int],
        "code": NotRequired[str],
        "message": NotRequired[str],
        "retryable": NotRequired[bool],
    },
)

Ack = TypedDict(
    "Ack",
    {
        "v": int,
        "id": str,
        "from": str,
        "to": str,
        "ts": int,
        "kind": Literal["ack"],
        "ref": str,
        "payload": AckPayload,
    },
)

ResultPayload = TypedDict(
    "ResultPayload",
    {
        "status": Literal["completed", "failed", "partial"],
        "outcome": str,
        "data": NotRequired[Any],
        "error": NotRequired[str | None],
    },
)

Result = TypedDict(
    "Result",
    {
        "v": int,
        "id": str,
        "from": str,
        "to": str,
        "ts": int,
        "kind": Literal["result"],
        "ref": str,
        "payload": ResultPayload,
    },
)

NotifyPayload = TypedDict(
    "NotifyPayload",
    {
        "topic": str,
        "data": NotRequired[Any],
        "importance": NotRequired[Literal["low", "medium", "high"]],
    },
)

Notify = TypedDict(
    "Notify",
    {
        "v": int,
        "id": str,
        "from": str,
        "to": str,
        "ts": int,
        "kind": Literal["notify"],
        "ref": NotRequired[str | None],
        "payload": NotifyPayload,
    },
)

CancelPayload = TypedDict(
    "CancelPayload",
    {
        "reason": NotRequired[str],
    },
)

Cancel = TypedDict(
    "Cancel",
    {
        "v": int,
        "id": str,
        "from": str,
        "to": str,
        "ts": int,
        "kind": Literal["cancel"],
        "ref": str,
        "payload": NotRequired[CancelPayload | None],
    },
)

Discover = TypedDict(
    "Discover",
    {
        "v": int,
        "id": str,
        "from": str,
        "to": str,
        "ts": int,
        "kind": Literal["discover"],
        "ref": NotRequired[str | None],
        "payload": NotRequired[dict[str, Any] | None],
    },
)

CapabilitiesPayload = TypedDict(
    "CapabilitiesPayload",
    {
        "agent_name": NotRequired[str],
        "domains": NotRequired[list[str]],
        "channels": NotRequired[list[str]],
        "tools": NotRequired[list[str]],
        "max_concurrent_tasks": NotRequired[int],
        "model": NotRequired[str],
    },
)

Capabilities = TypedDict(
    "Capabilities",
    {
        "v": int,
        "id": str,
        "from": str,
        "to": str,
        "ts": int,
        "kind": Literal["capabilities"],
        "ref": str,
        "payload": NotRequired[CapabilitiesPayload | None],
    },
)

ErrorPayload = TypedDict(
    "ErrorPayload",
    {
        "code": str,
        "message": str,
        "retryable": NotRequired[bool],
    },
)

Error = TypedDict(
    "Error",
    {
        "v": int,
        "id": str,
        "from": str,
        "to": str,
        "ts": int,
        "kind": Literal["error"],
        "ref": str,
        "payload": ErrorPayload,
    },
)

TaskAssignmentSpecification = TypedDict(
    "TaskAssignmentSpecification",
    {
        "acceptance_criteria": list[str],
        "technical_requirements": NotRequired[list[str]],
    },
)

TaskAssignmentMetadata = TypedDict(
    "TaskAssignmentMetadata",
    {
        "labels": NotRequired[list[str]],
        "component": NotRequired[str],
        "epic": NotRequired[str],
    },
)

TaskAssignment = TypedDict(
    "TaskAssignment",
    {
        "version": str,
        "timestamp": str,
        "sender_id": str,
        "message_id": str,
        "type": Literal["task_assignment"],
        "task_id": str,
        "description": str,
        "specification": TaskAssignmentSpecification,
        "file_patterns": list[str],
        "priority": Literal["low", "normal", "high", "urgent"],
        "priority_value": int,
        "dependencies": NotRequired[list[str]],
        "estimated_duration_minutes": NotRequired[float],
        "deadline": NotRequired[str],
        "metadata": NotRequired[TaskAssignmentMetadata],
    },
)

TaskCompletionTestResultsUnitTests = TypedDict(
    "TaskCompletionTestResultsUnitTests",
    {
        "total": NotRequired[int],
        "passed": NotRequired[int],
        "failed": NotRequired[int],
        "coverage": NotRequired[float],
    },
)

TaskCompletionTestResultsIntegrationTests = TypedDict(
    "TaskCompletionTestResultsIntegrationTests",
    {
        "total": NotRequired[int],
        "passed": NotRequired[int],
        "failed": NotRequired[int],
        "coverage": NotRequired[float],
    },
)

TaskCompletionTestResults = TypedDict(
    "TaskCompletionTestResults",
    {
        "unit_tests": NotRequired[TaskCompletionTestResultsUnitTests],
        "integration_tests": NotRequired[TaskCompletionTestResultsIntegrationTests],
    },
)

TaskCompletionNextTasksItem = TypedDict(
    "TaskCompletionNextTasksItem",
    {
        "task_id": NotRequired[str],
        "relationship": NotRequired[str],
        "reason": NotRequired[str],
    },
)

TaskCompletionMetadata = TypedDict(
    "TaskCompletionMetadata",
    {
        "completion_method": NotRequired[Any],
        "verification_status": NotRequired[Any],
    },
)

TaskCompletion = TypedDict(
    "TaskCompletion",
    {
        "version": str,
        "timestamp": str,
        "sender_id": str,
        "message_id": str,
        "type": Literal["task_completion"],
        "task_id": str,
        "status": Literal["complete", "partial", "blocked"],
        "completion_summary": str,
        "files_modified": list[str],
        "test_results": TaskCompletionTestResults,
        "errors_encountered": list[str | dict[str, Any]],
        "warnings": NotRequired[list[str | dict[str, Any]]],
        "time_spent_minutes": NotRequired[float],
        "next_tasks": NotRequired[list[TaskCompletionNextTasksItem]],
        "metadata": NotRequired[TaskCompletionMetadata],
    },
)

ErrorReportError = TypedDict(
    "ErrorReportError",
    {
        "code": str,
        "message": str,
        "stack_trace": NotRequired[str],
        "context": NotRequired[dict[str, Any]],
    },
)

ErrorReportAttemptedSolutionsItem = TypedDict(
    "ErrorReportAttemptedSolutionsItem",
    {
        "solution": NotRequired[str],
        "result": NotRequired[str],
        "details": NotRequired[str],
    },
)

ErrorReportImpact = TypedDict(
    "ErrorReportImpact",
    {
        "affected_users": NotRequired[Any],
        "affected_features": NotRequired[list[str] | str],
        "workaround": NotRequired[str],
    },
)

ErrorReportAttachmentsItem = TypedDict(
    "ErrorReportAttachmentsItem",
    {
        "type": NotRequired[str],
        "filename": NotRequired[str],
        "url": NotRequired[str],
    },
)

ErrorReport = TypedDict(
    "ErrorReport",
    {
        "version": str,
        "timestamp": str,
        "sender_id": str,
        "message_id": str,
        "type": Literal["error_report"],
        "task_id": str,
        "severity": Literal["low", "medium", "high", "blocking"],
        "error": ErrorReportError,
        "attempted_solutions": NotRequired[list[ErrorReportAttemptedSolutionsItem]],
        "reproduction_steps": list[str],
        "needs_human_intervention": bool,
        "suggested_actions": NotRequired[list[str]],
        "impact": NotRequired[ErrorReportImpact],
        "attachments": NotRequired[list[ErrorReportAttachmentsItem]],
    },
)

StatusUpdateProgress = TypedDict(
    "StatusUpdateProgress",
    {
        "percentage": NotRequired[float],
        "completed_steps": NotRequired[list[str]],
        "current_step": NotRequired[str],
        "remaining_steps": NotRequired[list[str]],
        "estimated_completion": NotRequired[str],
    },
)

StatusUpdateMetadata = TypedDict(
    "StatusUpdateMetadata",
    {
        "update_frequency": NotRequired[Any],
        "last_checkin": NotRequired[Any],
    },
)

StatusUpdate = TypedDict(
    "StatusUpdate",
    {
        "version": str,
        "timestamp": str,
        "sender_id": str,
        "message_id": str,
        "type": Literal["status_update"],
        "task_id": str,
        "update_type": Literal["progress", "milestone", "blocker", "unblocker"],
        "status_summary": str,
        "progress": NotRequired[StatusUpdateProgress],
        "metrics": NotRequired[dict[str, Any]],
        "blockers": list[str | dict[str, Any]],
        "next_milestone": NotRequired[str],
        "metadata": NotRequired[StatusUpdateMetadata],
    },
)

CoordinationRequestSharedResourcesItem = TypedDict(
    "CoordinationRequestSharedResourcesItem",
    {
        "type": NotRequired[str],
        "patterns": NotRequired[list[str]],
        "schema": NotRequired[str],
        "access_mode": NotRequired[str],
    },
)

CoordinationRequestSchedule = TypedDict(
    "CoordinationRequestSchedule",
    {
        "start_time": NotRequired[str],
        "duration_minutes": NotRequired[float],
        "checkpoint_interval_minutes": NotRequired[float],
    },
)

CoordinationRequestCommunicationProtocol = TypedDict(
    "CoordinationRequestCommunicationProtocol",
    {
        "primary_channel": NotRequired[str],
        "fallback_channel": NotRequired[str],
        "escalation_contact": NotRequired[str],
    },
)

CoordinationRequestMetadata = TypedDict(
    "CoordinationRequestMetadata",
    {
        "epic": NotRequired[str],
        "sprint": NotRequired[Any],
    },
)

CoordinationRequest = TypedDict(
    "CoordinationRequest",
    {
        "version": str,
        "timestamp": str,
        "sender_id": str,
        "message_id": str,
        "type": Literal["coordination_request"],
        "request_type": Literal["parallel_execution", "handoff", "review", "sync"],
        "participants": list[str],
        "coordination_topic": str,
        "shared_resources": NotRequired[list[CoordinationRequestSharedResourcesItem]],
        "schedule": NotRequired[CoordinationRequestSchedule],
        "communication_protocol": NotRequired[CoordinationRequestCommunicationProtocol],
        "success_criteria": NotRequired[list[str]],
        "metadata": NotRequired[CoordinationRequestMetadata],
    },
)

FileReservationReservationRequest = TypedDict(
    "FileReservationReservationRequest",
    {
        "mode": Literal["exclusive", "shared_read", "shared_write", "shared"],
        "file_patterns": list[str],
        "duration_minutes": NotRequired[float],
        "reason": NotRequired[str],
    },
)

FileReservationAlternativesItem = TypedDict(
    "FileReservationAlternativesItem",
    {
        "pattern": NotRequired[str],
        "mode": NotRequired[Literal["exclusive", "shared_read", "shared_write", "shared"]],
        "note": NotRequired[str],
    },
)

FileReservation = TypedDict(
    "FileReservation",
    {
        "version": str,
        "timestamp": str,
        "sender_id": str,
        "message_id": str,
        "type": Literal["file_reservation"],
        "task_id": str,
        "reservation_request": FileReservationReservationRequest,
        "alternatives": NotRequired[list[FileReservationAlternativesItem]],
    },
)

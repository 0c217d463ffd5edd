"""The JSON that programs read of live peers: its keys, in their order."""

from commands.town import Town, town

__all__ = ["town"]
ANSWERS = """echo '{"summary": "Three", "outcome": "Done.", "data": [1]}'"""
CARD = ["agent_name", "domains", "channels", "tools", "max_concurrent_tasks", "model"]


def test_what_is_asked_of_a_peer(town: Town) -> None:
    town.family("--exec", ANSWERS, "--domain", "family")
    answer = town.tell("ask", "family", "?")
    assert list(answer) == ["peer", "peer_id", "summary", "data", "tokens_used", "truncated"]
    status = town.tell("ping", "family")
    told = ["status", "uptime_secs", "active_tasks", "agent_name", "round_trip_ms"]
    assert list(status) == ["peer", "peer_id", *told]
    assert list(town.tell("discover", "family")) == ["peer", "peer_id", *CARD]
    assert list(town.tell("who", "family")[0]) == ["peer", "peer_id", *CARD]


def test_what_a_peer_is_given(town: Town) -> None:
    family = town.family("--exec", ANSWERS)
    job = town.tell("delegate", "family", "?", "--wait")
    told = ["peer", "peer_id", "id", "accepted", "estimated_ms", "report_back", "listener"]
    assert list(job) == [*told, "result"]
    assert list(job["result"]) == ["outcome", "data", "status", "error"]
    assert town.tell("notify", "family", "a.b", "1") == {"sent": ["family"], "failed": {}}
    event = ["event", "topic", "data", "importance", "peer", "peer_id", "id"]
    assert list(family.next()) == event


def test_whom_an_agent_trusts(town: Town) -> None:
    town.family()
    assert list(town.tell("peers", "token")) == ["agent", "id", "token"]
    listed = town.tell("peers")
    assert list(listed) == ["agent", "id", "peers", "knocks"]
    told = ["peer", "peer_id", "address", "state", "since", "last_seen", "round_trip_ms"]
    told += ["active_tasks"]
    assert list(listed["peers"][0]) == [*told, "error"]
    removed = town.tell("peers", "remove", "family")
    assert list(removed) == ["agent", "peer", "peer_id"]

"""How an office fares, in the text form that Prometheus reads: numbers only, no names."""

import resource
import sys

from waypost.office import consigning
from waypost.runtime.post_office import PostOffice


def written(post: PostOffice) -> str:
    """Every number with its meaning."""
    counts = consigning.counts(post.office.desk)
    lines = []
    for name, (kind, meaning, value) in {
        "events_total": ("counter", "events in the journal", post.office.last()),
        "letters_total": ("counter", "letters taken in", counts.letters),
        "agents": ("gauge", "mailboxes", counts.agents),
        "projects": ("gauge", "projects", counts.projects),
        "unread_letters": ("gauge", "letters that their recipients haven't read", counts.unread),
        "pending_deliveries": ("gauge", "letters that a carrier has to bring", counts.pending),
        "retried_deliveries": ("gauge", "letters that were tried in vain so far", counts.retried),
        "held_deliveries": ("gauge", "letters that wait for a person", counts.held),
        "open_exchanges": ("gauge", "answers that live peers wait for", counts.asked),
        "under_way": ("gauge", "deliveries under way", post.dispatcher.under_way),
        "most_resident_bytes": ("gauge", "the most memory that was used", _memory()),
    }.items():
        lines.append(f"# HELP waypost_{name} {meaning}\n# TYPE waypost_{name} {kind}")
        lines.append(f"waypost_{name} {value}")
    return "\n".join(lines) + "\n"


def _memory() -> int:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10

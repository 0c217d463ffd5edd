"""The storm: many agents in folders and at tools write to each other while the server is killed.

`scripts/campaign office_storm --letters 100000 --every 15` lets twenty agents write letters, half
of them as files, and ends the server with kill -9 every fifteen seconds. At the end every letter is
accounted for: in the mailbox of its recipient, once; the chain holds, and a replay gives the same.
"""

import argparse
import signal
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from random import Random
from time import monotonic

from office_town import Town, caller, said, town_in

AGENTS = 20


def names(kind: str) -> list[str]:
    return [f"{kind}-{number}" for number in range(AGENTS // 2)]


def write(town: Town, count: int, seed: int, sent: list[tuple[str, str]]) -> None:
    """Write letters from tools to everybody, and files from folders to tools."""
    chance = Random(seed)
    for number in range(count):
        subject = f"letter {number}"
        if chance.random() < 0.5:
            to = chance.choice(names("folder"))
            sender = chance.choice(names("tool"))
            town.office.send(caller(sender), to, text="A letter.", subject=subject)
        else:
            to = chance.choice(names("tool"))
            town.drop(chance.choice(names("folder")), to, subject=subject, id=f"file-{number}")
        sent.append((to, subject))


def found_in(town: Town) -> Counter[tuple[str, str]]:
    """Every letter that is where its recipient looks."""
    found: Counter[tuple[str, str]] = Counter()
    for name in names("folder"):
        found.update((name, said(one.read_text(), "subject")) for one in town.files(name))
    for name in names("tool"):
        after = None
        while True:
            page = town.office.inbox(caller(name), unread_only=False, limit=200, after=after)
            found.update((name, one.subject) for one in page.letters)
            if (after := page.next) is None:
                break
    return found


def play(root: Path, letters: int, every: float, seed: int) -> list[str]:
    """The whole storm; gives what is wrong afterwards."""
    sent: list[tuple[str, str]] = []
    with town_in(root) as town:
        for name in names("folder"):
            town.add(name, "folder")
        for name in names("tool"):
            town.add(name)
        town.start(WAYPOST_LETTERS="999999999")
        writer = threading.Thread(target=write, args=(town, letters, seed, sent))
        writer.start()
        kills = 0
        while writer.is_alive():
            writer.join(every)
            town.end(signal.SIGKILL)
            kills += 1
            town.start(WAYPOST_LETTERS="999999999")
        end = monotonic() + 60 + letters / 50
        while (found := found_in(town)) != Counter(sent) and monotonic() < end:
            town.office.wait(town.office.last(), 0.2)
        wrong = [f"lost: {one}" for one in (Counter(sent) - found)]
        wrong += [f"twice or strange: {one}" for one in (found - Counter(sent))]
        wrong += [f"the chain: {flaw}" for flaw in town.office.verify().flaws]
        town.end(signal.SIGTERM)
        town.office.rebuild()
        wrong += [] if found_in(town) == found else ["a replay gives other mailboxes"]
        print(f"{len(sent)} letters, {kills} kills, {len(wrong)} wrong", file=sys.stderr)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--letters", type=int, default=100_000)
    parser.add_argument("--every", type=float, default=15.0, help="seconds between two kills")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        wrong = play(Path(root), given.letters, given.every, given.seed)
    for line in wrong[:50]:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

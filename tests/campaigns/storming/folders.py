"""The agents of a storm that live in folders: they know files and `oacp`, and no office.

They write files straight into inboxes, as a program does that knows nothing of us, or send by the
mailbox of `oacp`; they take each file once it shows, answer what asks, and remove it.
"""

import json
import os
import sys
import threading
import time
import traceback
from pathlib import Path
from random import Random

from campaigns.storming.plan import PROJECT, SPOILED, Ledger, Plan, mark_in
from office_town import said
from waypost.carriers.folders.home import Home
from waypost.mailbox.sending import send

_CROWDED = 30  # files in an inbox, after which nobody adds to it
_AT_ONCE = 4  # letters, before an agent looks into its inbox again
_PAUSE_SECONDS = 0.03
_LIES_SECONDS = 0.3  # that a file is in an inbox before its owner looks
_SHORT_LIFE_SECONDS = 2


class FolderAgent:
    """One agent, in a thread of its own."""

    def __init__(self, plan: Plan, folders: str, name: str) -> None:
        self.plan, self.name = plan, name
        self.project = Home(folders).project(PROJECT)
        self.inbox = Path(self.project.mailbox(name).inbox)
        self.ledger = Ledger(plan, name)
        self.chance = Random(f"{plan.seed} {name}")
        self._left = plan.quota(name)
        self._staged = 0

    def run(self) -> None:
        """Write and take until everybody is to go home; then take what is left."""
        while not self.plan.is_over:
            wrote = sum(self.write() for _ in range(min(_AT_ONCE, self._left)))
            if self.plan.is_enough:
                self._left = 0
            if self._left == 0 and not self.plan.has_written(self.name):
                self.plan.say(f"written-{self.name}")
            if not self.take() and not wrote:
                time.sleep(_PAUSE_SECONDS)
        while self.take():
            pass

    # -- taking --------------------------------------------------------------------------------

    def take(self) -> int:
        """Take every file that is there: note it, answer it, remove it."""
        names = [one for one in os.listdir(self.inbox) if one.endswith(".yaml")]
        taken = 0
        for name in sorted(names):
            if name.startswith((".", SPOILED)):
                continue
            try:
                text = self._read(self.inbox / name)
            except FileNotFoundError:
                continue  # its sender took it back
            if text is None:
                continue
            mark, letter = mark_in(text), said(text, "id")
            if said(text, "from") == "postmaster":
                self.ledger.note("bounced", mark or "", id=letter)
            elif mark is not None:
                self.ledger.note("take", mark, id=letter, file=name)
                if not self.plan.is_over and said(text, "type") in ("task_request", "question"):
                    self._answer(text, mark)
            (self.inbox / name).unlink(missing_ok=True)
            taken += 1
        return taken

    def _read(self, file: Path) -> str | None:
        """What a file says; nothing as long as it is new, since an agent looks now and then."""
        age = time.time() - file.lstat().st_ctime
        return file.read_text() if age > _LIES_SECONDS or self.plan.is_over else None

    def _answer(self, text: str, mark: str) -> None:
        to, own = said(text, "from"), self.ledger.begin_answer(mark)
        letter = self._drop([to], "notification", own, subject="Done",
                            parent_message_id=said(text, "id"))  # fmt: skip
        self.ledger.note("kept", own, id=letter, to=[to], way="file")

    # -- writing -------------------------------------------------------------------------------

    def write(self) -> bool:
        """Write one letter of any kind, unless its recipient has too much to do."""
        kind, lot = "notification", self.chance.random()
        count, by_oacp, lives = 1, False, 0
        if lot < 0.35:
            kind = self.chance.choice(("task_request", "question"))
        elif lot < 0.50:
            by_oacp, count = True, 3 if lot < 0.42 else 1
        elif lot < 0.55:
            count = 3
        elif lot < 0.60:
            lives = _SHORT_LIFE_SECONDS
        to = self._somebody(count)
        if any(self._is_crowded(one) for one in to):
            return False
        mark = self.ledger.begin(to=to, kind=kind)
        if by_oacp:
            draft = {"from": self.name, "to": to if count > 1 else to[0], "type": kind,
                     "subject": "By oacp", "body": f"A letter. @{mark}@"}  # fmt: skip
            letter = str((send(self.project, draft).message.fields or {})["id"])
        else:
            more = {"expires_at": moment(lives)} if lives else {}
            letter = self._drop(to, kind, mark, subject="A file", **more)
        self.ledger.note("kept", mark, id=letter, to=to, way="oacp" if by_oacp else "file")
        self._left -= 1
        return True

    def _somebody(self, count: int) -> list[str]:
        others = [one for one in self.plan.everybody if one != self.name]
        if self.name not in self.plan.live and self.chance.random() < 0.98:
            others = [one for one in others if not one.startswith("peer")]
        if self.chance.random() < 0.8:  # between two folders a letter needs no office
            others = [one for one in others if not one.startswith("folder")]
        return self.chance.sample(others, count)

    def _is_crowded(self, name: str) -> bool:
        return len(os.listdir(self.project.mailbox(name).inbox)) > _CROWDED

    def _drop(self, to: list[str], kind: str, mark: str, **fields: str) -> str:
        """Write a file into every recipient's inbox; it shows there whole or not at all."""
        letter = f"{mark.replace('=', '-answer-').replace('.', '-letter-')}"
        given = {"id": letter, "from": self.name, "to": to if len(to) > 1 else to[0],
                 "type": kind, "priority": "P2", "created_at_utc": moment(0),
                 "body": f"A letter. @{mark}@", **fields}  # fmt: skip
        staged = self.plan.root / f"staged-{self.name}"
        with staged.open("w") as file:
            file.write("".join(f"{key}: {json.dumps(one)}\n" for key, one in given.items()))
            file.flush()
            os.fsync(file.fileno())
        for name in to:
            os.link(staged, Path(self.project.mailbox(name).inbox) / f"{letter}.yaml")
        os.rename(staged, Path(self.project.mailbox(self.name).outbox) / f"{letter}.yaml")
        return letter


def moment(seconds: float) -> str:
    """The time so many seconds from now, as OACP writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


def main() -> int:
    """Be all agents in folders of a storm; 1 when one of them could not go on."""
    plan, facts = Plan.read(sys.argv[1])
    broken: list[str] = []

    def live(name: str) -> None:
        try:
            FolderAgent(plan, facts["folders_home"], name).run()
        except BaseException:
            broken.append(name)
            traceback.print_exc()

    threads = [threading.Thread(target=live, args=(name,)) for name in plan.names("folder")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

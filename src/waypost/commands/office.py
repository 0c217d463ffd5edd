"""The daily commands of the office, by what they are about."""

from waypost.commands.console import Command

_HERE = "waypost.commands.office_"

MAIL = (
    Command("init", "make a project and its mailboxes", _HERE + "init"),
    Command("agents", "who has a mailbox; tokens and rules", _HERE + "agents"),
    Command("send", "send a letter", _HERE + "send"),
    Command("inbox", "list your mail, most urgent first", _HERE + "inbox"),
    Command("read", "show a letter", _HERE + "inbox", "read"),
    Command("reply", "answer a letter", _HERE + "send", "reply"),
    Command("ack", "say that you take a letter, or won't", _HERE + "inbox", "ack"),
    Command("done", "put a letter away", _HERE + "inbox", "done"),
    Command("withdraw", "take back what nobody has read", _HERE + "inbox", "withdraw"),
    Command("thread", "show a conversation", _HERE + "inbox", "thread"),
    Command("search", "find letters", _HERE + "inbox", "search"),
    Command("questions", "what agents ask people", _HERE + "questions", "questions"),
    Command("answer", "answer as a person", _HERE + "questions", "answer"),
)
FILES = (
    Command("reserve", "hold files while you work on them", _HERE + "files", "reserve"),
    Command("release", "let go of files", _HERE + "files", "release"),
    Command("reservations", "who holds which files", _HERE + "files", "reservations"),
    Command("attach", "keep a file for others, or fetch it", _HERE + "attach"),
)
OFFICE = (
    Command("watch", "tell what happens, as it happens", _HERE + "watch"),
    Command("undelivered", "what doesn't arrive; try again, redirect", _HERE + "undelivered"),
    Command("held", "letters that wait for a person's word", _HERE + "held"),
    Command("flow", "who writes to whom; keep two apart", _HERE + "flow"),
    Command("status", "how the office stands, and which it is", _HERE + "status"),
    Command("audit", "who did what; is the journal whole", _HERE + "audit"),
    Command("import", "take over an OACP home with its history", _HERE + "import"),
    Command("backup", "copy the office to one file", _HERE + "backup", "backup"),
    Command("restore", "put a backup in an empty home", _HERE + "backup", "restore"),
)

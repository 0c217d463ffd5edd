"""What a person can do from a page: each is a form, and a use-case of the office behind it.

A deed gives where the browser goes next, with a word about what was done.
"""

from waypost.errors import NotAllowedError, NotFoundError, UsageError, WaypostError
from waypost.faces.enclosures import enclose
from waypost.faces.web.journal_page import journal
from waypost.faces.web.page import Page
from waypost.faces.web.query import Query
from waypost.faces.web.showing import url
from waypost.faces.web.thread_page import thread_again
from waypost.office import Office
from waypost.office.callers import Caller

# What is said on the next page, by the word in its address.
DONE = {
    "answered": "Your answer is on its way.",
    "approved": "Approved; the agent is told.",
    "denied": "Denied; the agent is told.",
    "replied": "Your reply is on its way.",
    "sent": "Your letter is on its way.",
    "put_away": "Put away.",
    "undone": "Undone; it is open again.",
    "goes_on": "The letter goes on.",
    "sent_back": "The letter goes back to its sender.",
    "withdrawn": "Taken back from all who hadn't read it.",
    "nudged": "The agent is reminded.",
    "retried": "On its way again, at once.",
    "redirected": "Given to somebody else; the first recipient has it no more.",
    "discarded": "Off the list; whoever still waited for it is told why.",
    "held": "Held: what they write from now on is kept, and waits here for your word.",
    "let_go": "They may write again; what was held is on its way.",
    "enrolled": "Trusted from now on. The other end has to trust ours, too: give it our token.",
    "revoked": "Trusted no more; its links are closed.",
    "released": "The files are free; their holder is told why.",
}
_VERDICTS = {"approve": ("Approved", "approved"), "deny": ("Denied", "denied")}
_MOST_NAMED = 10
_RELEASED = "I released your reservation of {}: {}\n\nReserve again before you go on."
_NUDGE = "A person asks you to look at this letter now: "


def answer(office: Office, caller: Caller, form: Query) -> str:
    """Answer what an agent asked: an option, a verdict with a note, or words."""
    note, verdict = form.get("text"), form.get("verdict")
    text, done = form.get("option") or note, "answered"
    if verdict in _VERDICTS:
        said, done = _VERDICTS[verdict]
        text = f"{said}: {note}" if note else f"{said}."
    elif form.get("option") and note:
        text = f"{form.get('option')}\n\n{note}"
    if not text:
        raise UsageError("the answer is empty", hint="write one, or press one of the buttons")
    receipt = office.answer(caller, form.get("letter"), text)
    return url("/needs", did=done, undo=receipt.id)


def reply(office: Office, caller: Caller, form: Query) -> Page | str:
    """Reply to a letter, as the person who looks, or show the thread again with the problem."""
    try:
        said = {"text": form.typed("text").strip(), "attachments": form.attachments()}
        receipt = office.reply(caller, form.get("letter"), **enclose(office, caller, said))
    except WaypostError as error:
        return thread_again(office, caller, form, error)
    return url("/thread", id=receipt.thread, did="replied", undo=receipt.id) + "#" + receipt.id


def put_away(office: Office, caller: Caller, form: Query) -> str:
    """Take a letter off one's own list, or off that of people, without a word."""
    header = office.done(caller, form.get("letter"))
    return url("/needs", did="put_away", undo=header.id)


def withdraw(office: Office, caller: Caller, form: Query) -> str:
    """Take back a letter of one's own."""
    header = office.withdraw(caller, form.get("letter"))
    return url("/thread", id=header.thread, did="withdrawn")


def nudge(office: Office, caller: Caller, form: Query) -> str:
    """Remind an agent of a letter in its mailbox."""
    agent = form.get("agent")
    header = office.read(caller, form.get("letter"), peek=True).header
    if agent not in header.states:
        raise NotFoundError(f"that letter isn't in the mailbox of {agent}")
    about = header.subject or header.type
    text = _NUDGE + about
    sent = office.send(caller, agent, text=text, thread=header.thread, priority="high")
    return url("/inbox", agent=agent, did="nudged", undo=sent.id)


def release(office: Office, caller: Caller, form: Query) -> str:
    """Take files from their holder, with a reason that the holder and the journal get."""
    number, reason = form.number("reservation", 0, 10**9 - 1), form.get("reason")
    if not form.has("sure"):
        hint = "tick the box: its holder may be writing in those files now"
        raise UsageError("a release by force has to be confirmed", hint=hint)
    for held in office.release(caller, reservation=number, force=True, reason=reason).released:
        if held.holder != caller.agent:
            what = ", ".join(held.patterns[:_MOST_NAMED])
            office.send(caller, held.holder, text=_RELEASED.format(what, reason), priority="high")
    return url("/reservations", did="released")


def verify(office: Office, caller: Caller, form: Query) -> Page:
    """Go through the whole journal."""
    check_person(office, caller)
    page = journal(office, caller, form)
    return page._replace(data={**page.data, "verified": office.verify()})


def check_person(office: Office, caller: Caller) -> None:
    if office.whoami(caller).kind != "person":
        raise NotAllowedError("only people decide this", hint="ask_human")

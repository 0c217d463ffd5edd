"""A translation while it is written: what stands where, whence it came, what is lost. Pure."""

from typing import Any

from waypost.bridge import fields as say
from waypost.bridge.content import Content, Part, value_at
from waypost.bridge.context import Context
from waypost.bridge.losses import Loss, no_place, on_the_envelope, unfit
from waypost.bridge.table import ANSWERED, TEXT, TITLES, Choice, Layout, layout
from waypost.dialects import dialect
from waypost.dialects.message import Fields
from waypost.dialects.text import MAX_DEPTH
from waypost.dialects.tree import is_deep
from waypost.errors import At, dotted

Banned = frozenset[At]


class Draft:
    """One attempt to say a source in the type of a choice, without the places that are banned.

    `origin` tells for each place that need not be filled where in the source its value stood: what
    the target's check finds fault with there is banned, and the next attempt does without it.
    """

    def __init__(
        self, source: Content, choice: Choice, name: str, context: Context, banned: Banned
    ) -> None:
        self.source, self.choice, self.name, self.context = source, choice, name, context
        self.layout: Layout = layout(name, choice.to)
        self.fields: Fields = {dialect(name).type_field: choice.to}
        self.losses: list[Loss] = []
        self.origin: dict[At, At] = {}
        self._banned = banned
        self._placed: set[str] = set()
        self._write()

    @property
    def gives_what_is_needed(self) -> bool:
        """Whether everything that the choice needs found its place."""
        return self._placed.issuperset(self.choice.needs)

    def _write(self) -> None:
        self._ends()
        text = say.opened(self._text(), "" if self.layout.titled else self.choice.opening)
        for place, value in self.choice.gives:
            self._put(place, self._given(value, text))
        self._field_functions()
        self._thread_and_reply()
        rest = self._places()
        if self.layout.titled:
            text = self._title(text)
        if self.layout.rest == "text":
            text = say.with_lines(text, {key: part.value for key, part in rest.items()})
            rest = {}
        self._put_text(text, bool(rest))
        self._put_rest(rest)
        for place in self.layout.blank:
            if value_at(self.fields, place) is None:
                self._put(place, [])

    def _given(self, value: Any, text: str | None) -> Any:
        """A value that the choice gives, with what it stands for put in."""
        if isinstance(value, list):
            return [self._given(item, text) for item in value]
        if value == ANSWERED and self.context.answered is not None:
            return self.context.answered.id
        return text if value == TEXT else value

    # -- parts -----------------------------------------------------------------------------

    def _ends(self) -> None:
        form, sender, recipients = self.layout, self.context.sender, self.context.recipients
        self._put(form.identity, self.context.identity)
        self._put(form.sender, sender)
        several = len(recipients) > 1 and self.name != "acp"
        self._put(form.recipients, list(recipients) if several else recipients[0])
        self._put(form.giver, sender)
        self._put(form.taker, recipients[0])
        self._put(form.participants, list(dict.fromkeys((sender, *recipients))))
        to = self.source.part(self.source.layout.recipients)
        if self.name == "acp" and to and isinstance(to.value, list) and len(to.value) > 1:
            what = "several recipients"
            self.losses.append(on_the_envelope(to.at, self.name, self.choice.to, what))

    def _field_functions(self) -> None:
        now = self.context.blanks.milliseconds
        time, lost = say.written_at(self.source, self.name, now)
        self._put(self.layout.time, time)
        given = any(place == self.layout.priority for place, _ in self.choice.gives)
        if not given:
            word, more = say.priority(self.source, self.layout, self.name, self.choice.to)
            self._put(self.layout.priority if self.layout.scale else (), word)
            lost += more
        due, more = say.deadline(self.source, self.layout, self.name, self.choice.to, now)
        self._put(self.layout.deadline, due)
        self.losses += lost + more

    def _thread_and_reply(self) -> None:
        thread = self.source.part(self.source.layout.thread)
        if self.layout.thread:
            if thread is None and self.name == "agentmail":  # a letter alone is its own thread
                thread = self.source.part(self.source.layout.identity)
            if self.context.thread is not None:
                self._put(self.layout.thread, self.context.thread)
            elif thread is not None:
                self._offer(self.layout.thread, thread)
        elif thread is not None:
            self.losses.append(on_the_envelope(thread.at, self.name, self.choice.to, "a thread"))
        reply, answered = self.source.part(self.source.layout.reply), self.context.answered
        refers = self.name != "acp" or dialect("acp").types[self.choice.to].is_answer
        if self.layout.reply and refers and answered is not None:
            self._put(self.layout.reply, answered.id)
        elif reply is not None and self.layout.reply and refers:
            why = f"no id is known that {TITLES[self.name]} has for what it answers"
            self.losses.append(unfit(reply.at, why))
        elif reply is not None:
            what = "what it answers"
            self.losses.append(on_the_envelope(reply.at, self.name, self.choice.to, what))

    def _text(self) -> str | None:
        """The text; with the title, where the target has no place of its own for that."""
        title, text = self.source.title, self.source.text
        words = text.value if text else None
        return words if self.layout.titled else say.joined(title.value if title else None, words)

    def _title(self, text: str | None) -> str | None:
        """Put the title, and give the text that is left to be said."""
        title = self.source.title
        first = title.value if title else text if text is not None else self.choice.opening
        line = say.subject(say.opened(say.subject(first), self.choice.opening) or first)
        self._put(self.layout.title, line)
        if title and not line.endswith(title.value):
            return say.joined(title.value, text)
        return text

    def _put_text(self, text: str | None, beside: bool) -> None:
        places = self.layout.text
        if text is None and self.layout.titled:
            text = self.fields["subject"]
        if text is None or not places:
            said = self.fields.get("subject", "")
            if text is not None and self.source.text and text != said:
                why = f"{TITLES[self.name]}'s {self.choice.to} holds no text beside its subject"
                self.losses.append(unfit(self.source.text.at, why))
            return
        crowded = beside or value_at(self.fields, places[0]) is not None
        self._put(places[-1] if crowded else places[0], text)

    def _places(self) -> dict[str, Part]:
        """Put the fields whose names have places; give the others."""
        rest = dict(self.source.data)
        for place, names in self.layout.places:
            key = next((name for name in names if name in rest), None)
            if key is not None and self._free(place):
                self._offer(place, rest.pop(key))
                self._placed.add(key)
        return rest

    def _put_rest(self, rest: dict[str, Part]) -> None:
        holder = tuple(self.layout.rest.split(".")) if self.layout.rest else ()
        for key, part in rest.items():
            places = [(*holder, name) for name in dict.fromkeys((key, dotted(part.at)))]
            fits = holder and not _is_too_deep(part.value, len(holder) + 1)
            place = next((place for place in places if fits and self._free(place)), None)
            if place is not None:
                self._offer(place, part)
            elif holder:
                why = f"{TITLES[self.name]}'s {self.choice.to} can't hold it as it is"
                self.losses.append(unfit(part.at, why))
            else:
                self.losses.append(no_place(part.at, self.name, self.choice.to))

    # -- placing ---------------------------------------------------------------------------

    def _free(self, place: At) -> bool:
        return place not in self._banned and value_at(self.fields, place) is None

    def _offer(self, place: At, part: Part) -> None:
        """Put what may be left out again."""
        if place in self._banned:
            sentence = f"{TITLES[self.name]} can't hold this as its {dotted(place)}"
            self.losses.append(unfit(part.at, sentence))
            return
        self.origin[place] = part.at
        self._put(place, part.value)

    def _put(self, place: At, value: Any) -> None:
        if not place or value is None:
            return
        holder: Any = self.fields
        for step in place[:-1]:
            holder = holder.setdefault(step, {})
        holder[place[-1]] = value


def _is_too_deep(value: Any, below: int) -> bool:
    """Whether a value would nest too deeply, so many steps below the root."""
    return isinstance(value, (dict, list)) and is_deep(value, MAX_DEPTH - below)

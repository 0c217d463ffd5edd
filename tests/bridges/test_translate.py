"""Every type of message, in each other dialect: sound, honest and complete, whatever it holds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridges.leaves import all_words, is_known, leaves, paths, text_of, words
from bridges.pairs import DEFAULTS, PAIRS, Case, cases
from waypost.bridge.content import value_at
from waypost.bridge.table import constants, layout
from waypost.dialects import dialect
from waypost.errors import At

each_pair = pytest.mark.parametrize(("name", "kind", "target"), PAIRS)
a_few = settings(max_examples=10)


@each_pair
@a_few
@given(data=st.data())
def test_a_translation_may_be_sent_and_its_losses_name_places_of_the_source(
    name: str, kind: str, target: str, data: st.DataObject
) -> None:
    source, _, done = data.draw(cases(name, kind, target))
    found = dialect(target).check(done.message.fields or {}, sending=True)
    assert [problem for problem in found if problem.is_error] == []
    assert (done.message.valid, done.message.dialect) == (True, target)
    assert all(value_at(source.fields, loss.at) is not None for loss in done.losses)
    assert all(loss.at and loss.sentence for loss in done.losses)
    assert len(set(done.losses)) == len(done.losses)


@each_pair
@a_few
@given(data=st.data())
def test_nothing_is_invented(name: str, kind: str, target: str, data: st.DataObject) -> None:
    case = data.draw(cases(name, kind, target))
    known = words(case.source.fields) | paths(case.source.fields) | constants()
    known |= set(map(text_of, case.around.answered or ())) | set(case.around.recipients)
    known |= {case.around.sender, text_of(case.around.thread)}
    anew = _anew(target, case.done.rule.to)
    for at, leaf in leaves(case.done.message.fields):
        if at[:1] not in anew and at not in anew and leaf not in ([], {}, None):
            assert is_known(text_of(leaf), known, set(constants())), (at, leaf)


@each_pair
@a_few
@given(data=st.data())
def test_what_is_not_lost_is_there(name: str, kind: str, target: str, data: st.DataObject) -> None:
    case = data.draw(cases(name, kind, target))
    there = {text.strip() for text in all_words(case.done.message.fields)}
    gone = [loss.at for loss in case.done.losses] + _said_otherwise(case)
    for at, leaf in leaves(case.source.fields):
        if leaf is not None and not any(at[: len(one)] == one for one in gone):
            assert any(text_of(leaf).strip() in text for text in there), (at, leaf)


def _anew(name: str, kind: str) -> set[At]:
    """Places whose values functions of their own make, with tests of their own, or defaults."""
    form = layout(name, kind)
    made = {form.identity, *form.anew, form.time, form.priority, form.deadline}
    return made | DEFAULTS | {place for place, _ in form.silent}


def _said_otherwise(case: Case) -> list[At]:
    """Places of the source that functions of their own say, or the type of the translation."""
    form = layout(str(case.source.dialect), str(case.source.type))
    said = layout(str(case.done.message.dialect), case.done.rule.to)
    own = [form.identity, *form.anew, *form.ends, form.time, form.priority if form.scale else ()]
    for there, here in (
        (said.thread, form.thread),
        (said.reply, form.reply),
        (said.deadline, form.deadline),
    ):
        if there and value_at(case.done.message.fields, there) is not None:
            own.append(here)
    own += [at for at, _ in (*case.done.rule.where, *form.silent)]
    own += [at for at in form.spread if value_at(case.source.fields, at) == {}]
    return [at for at in own if at]

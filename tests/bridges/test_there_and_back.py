"""There and back gives the very bytes, for every type and pair."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridges.pairs import PAIRS, cases, context, contexts, of
from waypost.bridge.translate import content_hash, translate


@pytest.mark.parametrize(("name", "kind", "target"), PAIRS)
@settings(max_examples=10)
@given(data=st.data())
def test_there_and_back_gives_the_original_bytes(
    name: str, kind: str, target: str, data: st.DataObject
) -> None:
    source, _, done = data.draw(cases(name, kind, target))
    around = data.draw(contexts(name))._replace(originals={done.original: source})
    back = translate(done, name, around)
    assert back.message.raw == source.raw
    assert back.losses == ()


def test_a_third_dialect_is_reached_from_the_original() -> None:
    source = of("oacp", "handoff")
    done = translate(source, "acp", context("acp"))
    around = context("agentmail", originals={done.original: source})
    assert translate(done, "agentmail", around) == translate(source, "agentmail", around)


def test_without_the_original_a_translation_is_a_message_like_any_other() -> None:
    done = translate(of("oacp", "task_request"), "acp", context("acp"))
    back = translate(done, "oacp", context("oacp"))
    assert back.message.type == "task_request"
    assert back.original == content_hash(done.message)


def test_its_own_dialect_leaves_a_message_as_it_is() -> None:
    source = of("acp", "query")
    assert translate(source, "acp", context("acp")).message is source

"""Whatever a program sends to /api is answered in the one form: never by an error of ours."""

from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.core.result import Ok

from faces.clients import Served
from faces.web import story
from waypost.office import Office

_TRIES = settings(
    max_examples=5, deadline=None, derandomize=True, database=None,
    phases=[Phase.generate], suppress_health_check=list(HealthCheck),
)  # fmt: skip
_TAKE_THE_TOKEN = ("revoke_token", "rotate_token")


@pytest.fixture(scope="module")
def proof(office: Office) -> dict[str, str]:
    return {"authorization": f"Bearer {office.rotate_token(story.caller('dana')).token}"}


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_nothing_that_the_document_allows_or_forbids_breaks_the_api(
    town: Served, proof: dict[str, str], mode: GenerationMode
) -> None:
    document = requests.get(f"{town.url}/api/openapi.json", headers=proof, timeout=30).json()
    seen, broken = set(), []
    with requests.Session() as session:
        for result in schemathesis.openapi.from_dict(document).get_all_operations():
            assert isinstance(result, Ok), result
            operation = result.ok()
            if operation.path.endswith(_TAKE_THE_TOKEN):
                continue  # every answer after it would be 401
            for case, status in _asked(operation, mode, town.url, session, proof):
                seen.add(status)
                if status >= 500:
                    broken.append((case, status))
    assert broken == []
    assert 401 not in seen
    assert seen & {200, 400, 404, 422}


def _asked(
    operation: Any, mode: GenerationMode, url: str, session: requests.Session, proof: dict[str, str]
) -> list[tuple[str, int]]:
    """Some cases of an operation, each with the status that came."""
    found: list[tuple[str, int]] = []

    @_TRIES
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        case.headers = {**dict(case.headers or {}), **proof}
        answer = case.call(base_url=url, session=session, timeout=30)
        found.append((case.as_curl_command(), answer.status_code))

    try:
        ask()
    except schemathesis.errors.SchemathesisError as error:
        if "negative" not in str(error).lower():
            raise  # nothing that is forbidden can be made for this operation
    return found

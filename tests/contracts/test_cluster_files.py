"""The files for containers are what their schemas and the server itself take."""

import json
import os
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs
import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml

from waypost.office.journal.address import address_of

FOLDER = Path(__file__).parents[2] / "examples" / "cluster"
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
OBJECTS: list[dict[str, Any]] = list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text()))


def test_compose_takes_its_file() -> None:
    path = files("check_jsonschema.builtin_schemas") / "vendor" / "compose-spec.json"
    validator = jsonschema_rs.validator_for(json.loads(path.read_bytes()))
    assert [error.message for error in validator.iter_errors(COMPOSE)] == []


@pytest.mark.parametrize("one", OBJECTS, ids=lambda one: f"{one['kind']}-{one['metadata']['name']}")
def test_kubernetes_takes_its_objects(one: dict[str, Any]) -> None:
    assert kubernetes_validate.validate(one, "1.31", strict=True)


def test_a_server_takes_its_settings_as_both_give_them() -> None:
    server = shutil.which("nats-server")
    assert server
    [pod] = _containers("journal")
    routes = next(one["value"] for one in pod["env"] if one["name"] == "ROUTES")
    assert len(json.loads(routes)) == 3
    given = COMPOSE["services"]["journal-1"]["environment"]["ROUTES"]
    assert len(json.loads(given)) == 3
    known = {"SERVER_NAME": "journal-0", "JOURNAL_TOKEN": "x", "ROUTES": routes}
    checked = subprocess.run(
        [server, "-t", "-c", str(FOLDER / "nats.conf")],
        env={**os.environ, **known}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stderr


def test_the_nodes_find_every_server() -> None:
    [node] = _containers("node")
    said = next(one["value"] for one in node["env"] if one["name"] == "WAYPOST_JOURNAL")
    address = address_of(said.replace("$(JOURNAL_TOKEN)", "token"))
    assert len(address.hosts) == len(address.monitors) == address.replicas == 3
    given = COMPOSE["services"]["node-1"]["environment"]["WAYPOST_JOURNAL"]
    address = address_of(given.replace("${JOURNAL_TOKEN}", "token"))
    assert [host.partition(":")[0] for host in address.hosts] == [
        name for name in COMPOSE["services"] if name.startswith("journal")
    ]
    assert len(address.monitors) == 3


def _containers(name: str) -> list[dict[str, Any]]:
    [found] = [
        one for one in OBJECTS if (one["kind"], one["metadata"]["name"]) == ("StatefulSet", name)
    ]
    containers: list[dict[str, Any]] = found["spec"]["template"]["spec"]["containers"]
    return containers

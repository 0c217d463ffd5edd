"""`waypost setup service`: a unit that leads to this office; it is written, never started."""

import configparser
import os
import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest

from commands.office_desk import OfficeDesk, office_desk
from commands.terminal import PATIENCE, environment, quick
from waypost.setup.service import service_of

__all__ = ["office_desk"]
pytestmark = pytest.mark.skipif(os.uname().sysname != "Linux", reason="writes a unit of systemd")


@pytest.fixture
def unit(office_desk: OfficeDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the unit belongs."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "systemd" / "user" / "waypost.service"


def test_the_unit_is_written_and_the_command_that_starts_it_told(unit: Path) -> None:
    said = quick("waypost", "setup", "service")
    assert (said.code, "systemctl --user enable --now waypost" in said.err) == (0, True)
    text = configparser.RawConfigParser(strict=False)
    text.read_string(unit.read_text())
    program, word = text["Service"]["ExecStart"].split()
    assert (os.access(program, os.X_OK), word) == (True, "serve")
    assert f"Environment=WAYPOST_HOME={os.environ['WAYPOST_HOME']}\n" in unit.read_text()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd")
def test_systemd_finds_nothing_wrong_with_it(
    unit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OACP_HOME", f'{tmp_path}/a folder with 100% "quotes"')
    assert quick("waypost", "setup", "service").code == 0
    world = environment(XDG_RUNTIME_DIR=str(tmp_path))
    words = ["systemd-analyze", "verify", "--user", "--man=no", str(unit)]
    done = subprocess.run(
        words, capture_output=True, text=True, env=world, timeout=PATIENCE, check=False
    )
    assert (done.returncode, str(unit) in done.stderr) == (0, False), done.stderr


def test_printing_writes_nothing(unit: Path) -> None:
    assert "ExecStart=" in quick("waypost", "setup", "service", "--print").out
    assert not unit.exists()


def test_undo_takes_it_away(unit: Path) -> None:
    quick("waypost", "setup", "service")
    said = quick("waypost", "setup", "service", "--undo")
    assert (said.code, unit.exists(), "disable" in said.err) == (0, False, True)
    assert quick("waypost", "setup", "service", "--undo").code == 3


def test_somebody_else_s_unit_stays(unit: Path) -> None:
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=/bin/true\n")
    for words in ([], ["--undo"]):
        assert quick("waypost", "setup", "service", *words).code == 1
    assert unit.read_text() == "[Service]\nExecStart=/bin/true\n"


def test_a_mac_gets_a_property_list(tmp_path: Path) -> None:
    variables = {"WAYPOST_HOME": "/home of <ada> & co"}
    service = service_of("darwin", ["/bin/waypost", "serve"], variables, {})
    assert service is not None
    told = plistlib.loads(service.text.encode())
    assert told["ProgramArguments"] == ["/bin/waypost", "serve"]
    assert told["EnvironmentVariables"] == variables
    assert service.path.endswith("Library/LaunchAgents/waypost.serve.plist")


def test_another_system_has_none() -> None:
    assert service_of("win32", ["waypost"], {}, {}) is None

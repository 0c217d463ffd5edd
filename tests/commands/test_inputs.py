"""What can lie in a folder: nothing there stops, blocks or outgrows a run."""

import os
import socket
import subprocess
from pathlib import Path

import pytest

from commands.terminal import Said, quick, say, shell
from schema_files import example
from waypost.commands.inputs import read_inputs
from waypost.dialects.text import MAX_BYTES
from waypost.errors import Problem

HANDOFF = example("oacp", "handoff")


def put(folder: Path, *names: str, data: bytes = HANDOFF) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def checked(folder: Path) -> Said:
    return say("waypost", "validate", "--json", str(folder))


def verdicts(folder: Path) -> dict[str, str]:
    """What is said of every input below a folder: ok, or the code of its first problem."""
    found = {}
    for one in checked(folder).objects:
        code = "ok" if one["valid"] else one["problems"][0]["code"]
        found[os.path.relpath(one["source"], folder)] = code
    return found


def test_a_folder_is_searched_in_order_and_to_its_depths(tmp_path: Path) -> None:
    put(tmp_path, "b.yaml", "a/z.yml", "a/b/c.json", "c.jsonl", ".hidden/.h.yaml", "B.yaml")
    expected = [".hidden/.h.yaml", "B.yaml", "a/b/c.json", "a/z.yml", "b.yaml"]
    assert [name for name in verdicts(tmp_path) if ".jsonl" not in name] == expected


def test_other_files_in_a_folder_are_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "a.yaml", "a.yaml~", "a.yaml.tmp", "README.md", "yaml", data=HANDOFF)
    assert verdicts(tmp_path) == {"a.yaml": "ok"}


def test_a_named_file_may_be_called_anything(tmp_path: Path) -> None:
    put(tmp_path, "letter.txt")
    assert quick("waypost", "validate", str(tmp_path / "letter.txt")).code == 0


def test_a_folder_called_like_a_file_is_a_folder(tmp_path: Path) -> None:
    put(tmp_path, "x.yaml/y.yaml", "x.yaml/z.jsonl/m.yaml")
    assert set(verdicts(tmp_path)) == {"x.yaml/y.yaml", "x.yaml/z.jsonl/m.yaml"}
    assert verdicts(tmp_path / "x.yaml") == {"y.yaml": "ok", "z.jsonl/m.yaml": "ok"}


def test_folders_that_hold_each_other_by_links_come_to_an_end(tmp_path: Path) -> None:
    put(tmp_path, "a/m.yaml")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "up.yaml").symlink_to(tmp_path)
    assert verdicts(tmp_path) == {"a/m.yaml": "ok"}


def test_links_that_lead_nowhere_are_a_problem_of_their_own(tmp_path: Path) -> None:
    put(tmp_path, "z.yaml")
    (tmp_path / "a.yaml").symlink_to("nowhere.yaml")
    (tmp_path / "b.yaml").symlink_to("b.yaml")
    (tmp_path / "c.yaml").symlink_to("z.yaml")
    expected = {"a.yaml": "not_found", "b.yaml": "unreadable", "c.yaml": "ok", "z.yaml": "ok"}
    assert verdicts(tmp_path) == expected


def test_pipes_and_sockets_never_make_it_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    os.mkfifo(tmp_path / "b.jsonl")
    (tmp_path / "c.yaml").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as open_socket:
        open_socket.bind(os.path.relpath(tmp_path / "d.json"))
        found = verdicts(tmp_path)
    put(tmp_path, "e.yaml")
    assert [found[n] for n in ("a.yaml", "b.jsonl", "c.yaml")] == ["not_a_file"] * 3
    assert found["d.json"] in ("not_a_file", "unreadable")


@pytest.mark.parametrize("name", ["a.yaml", "b.jsonl"])
def test_a_pipe_named_outright_never_makes_it_wait(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    said = say("waypost", "validate", "--json", str(tmp_path / name))
    assert (said.code, said.objects[0]["problems"][0]["code"]) == (5, "not_a_file")


def as_nobody() -> None:
    """Permissions don't hold for root: be somebody else."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def seen_by_nobody(folder: Path) -> list[str]:
    """What is found in a folder by somebody who isn't root."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        os.chdir(folder)
        as_nobody()
        found = [f"{one.source} {getattr(one.data, 'code', 'ok')}" for one in read_inputs(["."])]
        os.write(writer, "\n".join(found).encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as lines:
        return lines.read().split("\n")


def test_what_may_not_be_read_is_a_problem_of_its_own(tmp_path: Path) -> None:
    put(tmp_path, "a.yaml", "b.jsonl", "locked/c.yaml", "d.yaml")
    tmp_path.chmod(0o755)
    for name in ("a.yaml", "b.jsonl", "locked"):
        (tmp_path / name).chmod(0)
    found = seen_by_nobody(tmp_path)
    (tmp_path / "locked").chmod(0o700)
    codes = dict(line.split() for line in found)
    assert codes.pop("./d.yaml") == "ok"
    assert codes == dict.fromkeys(["./a.yaml", "./b.jsonl", "./locked"], "unreadable")


def test_a_file_that_vanishes_is_a_problem_of_its_own(tmp_path: Path) -> None:
    put(tmp_path, "a.yaml", "b.yaml", "c/d.yaml", "e.yaml")
    inputs = read_inputs([str(tmp_path)])
    assert next(inputs).data == HANDOFF
    (tmp_path / "b.yaml").unlink()
    (tmp_path / "c" / "d.yaml").unlink()
    (tmp_path / "c").rmdir()
    codes = [one.data.code if isinstance(one.data, Problem) else "ok" for one in inputs]
    assert codes == ["not_found", "not_found", "ok"]


def test_a_log_that_grows_is_read_to_its_new_end(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"{}\n" * 3)
    inputs = read_inputs([str(log)])
    assert next(inputs).source == f"{log}:1"
    with log.open("ab") as more:
        more.write(b"{}\n" * 100_000)
    assert sum(1 for _ in inputs) == 100_002


@pytest.mark.parametrize("source", ["-", "/dev/stdin", "/dev/fd/0"])
def test_a_stream_without_end_is_left_at_the_limit(tmp_path: Path, source: str) -> None:
    said = shell(f"yes | waypost validate --json {source}", tmp_path)
    (found,) = said.objects
    assert said.code == 5
    assert [one["code"] for one in found["problems"]] == ["too_large"]
    assert f"{MAX_BYTES + 1:,}" not in found["problems"][0]["message"]  # nobody counted them


def test_a_shell_s_process_substitution_can_be_read(tmp_path: Path) -> None:
    put(tmp_path, "a.yaml")
    said = shell(
        "waypost validate --json <(cat a.yaml) <(cat a.yaml) /dev/fd/3 3< a.yaml", tmp_path
    )
    assert [one["valid"] for one in said.objects] == [True] * 3


def test_a_file_of_ten_megabytes_is_refused_by_its_size(tmp_path: Path) -> None:
    put(tmp_path, "a.yaml", data=b"x: y\n" * 2_000_000)
    said = checked(tmp_path)
    (problem,) = said.objects[0]["problems"]
    assert (said.code, problem["code"]) == (5, "too_large")
    assert "10,000,000" in problem["message"]


def test_a_log_of_ten_megabytes_is_fine_when_its_lines_are(tmp_path: Path) -> None:
    long_line = b'{"x":"' + b"y" * (10 << 20) + b'"}\n'
    put(tmp_path, "a.jsonl", data=b"{}\n" + long_line + b"{}")
    codes = [one["problems"][0]["code"] for one in checked(tmp_path).objects]
    assert codes.count("too_large") == 1
    assert codes[1] == "too_large"
    assert len(codes) == 3


def test_the_limit_is_exact(tmp_path: Path) -> None:
    start = HANDOFF + b"# "
    put(tmp_path, "a.yaml", data=start + b"x" * (MAX_BYTES - len(start)))
    put(tmp_path, "b.yaml", data=start + b"x" * (MAX_BYTES - len(start) + 1))
    assert verdicts(tmp_path) == {"a.yaml": "ok", "b.yaml": "too_large"}


def test_a_thousand_bad_files_are_all_told_of(tmp_path: Path) -> None:
    put(tmp_path, *(f"{number:04}.yaml" for number in range(1000)), data=b"id: 1\n")
    said = quick("waypost", "validate", str(tmp_path))
    assert said.code == 5
    assert said.err.startswith("0 of 1000 valid, ")
    assert all(f"{number:04}.yaml:1:1" in said.out for number in range(1000))


def test_an_empty_folder_is_no_fault_but_is_told(tmp_path: Path) -> None:
    assert quick("waypost", "validate", str(tmp_path)) == (0, "", "no messages found\n")
    assert quick("waypost", "validate", "--json", str(tmp_path)) == (0, "", "")


def dig(folder: Path, depth: int) -> None:
    """Put a message at the bottom of very many folders; step by step, since the path is long."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("m.yaml", os.O_CREAT, 0o644, dir_fd=here))
    os.close(here)


def test_a_folder_deeper_than_python_s_stack_is_searched(tmp_path: Path) -> None:
    put(tmp_path, "0.yaml", "z.yaml")
    dig(tmp_path, 1200)
    try:
        sources = [one["source"] for one in checked(tmp_path).objects]
    finally:
        subprocess.run(["rm", "-rf", str(tmp_path / "d")], check=True)
    assert [source.rpartition("/")[2] for source in sources] == ["0.yaml", "m.yaml", "z.yaml"]


def test_standard_input_that_is_closed_is_the_world_s_fault(tmp_path: Path) -> None:
    said = shell("waypost validate - <&-", tmp_path)
    assert said.code in (1, 5)
    assert "inside waypost" not in said.err
    assert "Traceback" not in said.err

"""What is left of a lab that was killed is cleaned up, and nothing else is touched."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from breakstep.lab.home import base_directory, homes, lab_home
from breakstep.lab.leftovers import Cleaned, clean
from breakstep.lab.servers import record
from breakstep.lab.servers.record import MARKER, Identity, of_process
from breakstep.model.errors import LabError
from lab.up import base_of, own_labs, up

STUBBORN = """\
import signal, subprocess, sys, time
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
print("0", flush=True)
time.sleep(300)
"""
SUPERVISOR = """\
import sys, time
from pathlib import Path
from breakstep.lab.home import base_directory, lab_home
from breakstep.lab.servers.process import child, printed_port
with lab_home("test/stubborn", base_directory()) as home:
    log = home / "app.log"
    with child([sys.executable, "-c", sys.argv[1]], log) as process:
        printed_port(process, log)
        print(home, process.pid, flush=True)
        time.sleep(300)
"""


@pytest.fixture(name="labs")
def _labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of labs of the test's own."""
    for name in ("TMPDIR", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return base_directory()


def test_a_killed_supervisor_leaves_no_server_and_the_next_lab_cleans_its_directory(
    tmp_path: Path,
) -> None:
    """SIGKILL: the kernel tells the servers, and `lab up` removes the rest and says so."""
    with up("single/slow-sync", tmp_path) as first:
        assert first.ended(signal.SIGKILL) == -signal.SIGKILL
        with up("single/slow-sync", tmp_path, "second.log") as second:
            assert gone(first.app)
            assert "cleaned up single/slow-sync" in second.log.read_text()
            assert len(list(base_of(tmp_path).glob("single-*"))) == 1
            assert answers(second.url)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_polite_end_stops_every_server(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C and its like: the app has ended and the directory is gone before the lab is."""
    with up("single/slow-sync", tmp_path) as lab:
        assert lab.ended(number) == 130
        assert of_process(lab.app) is None
        assert not list(base_of(tmp_path).glob("single-*"))


def test_a_server_that_ends_by_itself_ends_the_lab_and_is_named(tmp_path: Path) -> None:
    """Nobody is left to wait in front of a stack that lost a part."""
    with up("single/slow-sync", tmp_path) as lab:
        os.kill(lab.app, signal.SIGKILL)
        assert lab.supervisor.wait(30) == 1
        assert f"error: app (process {lab.app}) has ended by itself" in lab.log.read_text()
        assert not list(base_of(tmp_path).glob("single-*"))


def test_two_labs_side_by_side_do_not_meet(tmp_path: Path) -> None:
    """The same lab twice: two addresses, and `down` ends both."""
    with (
        up("single/slow-sync", tmp_path) as one,
        up("single/slow-sync", tmp_path, "two.log") as other,
    ):
        assert one.url != other.url
        assert answers(one.url)
        assert answers(other.url)
        down = [sys.executable, "-m", "breakstep", "lab", "down"]
        ended = subprocess.run(down, env=own_labs(tmp_path), check=False, capture_output=True)
        assert ended.returncode == 0, ended.stderr
        assert one.supervisor.wait(30) == other.supervisor.wait(30) == 130
        assert gone(one.app)
        assert gone(other.app)


def test_ends_servers_that_did_not_listen_with_what_they_had_started(labs: Path) -> None:
    """A child that ignores every polite signal is killed with the rest of its process group."""
    with supervisor(STUBBORN) as (process, home, app):
        group = members(app)
        assert len(group) == 2
        process.kill()
        process.wait()
        assert clean(labs) == [Cleaned("test/stubborn", 2)]
        assert all(gone(pid) for pid in group)
        assert not home.exists()


def test_leaves_a_lab_alone_whose_supervisor_lives(labs: Path) -> None:
    """Cleaning up beside a lab that is up does nothing to it."""
    with lab_home("test/alive", labs) as home:
        assert clean(labs) == []
        assert home.exists()


def test_a_stranger_with_a_recorded_number_is_not_touched(labs: Path) -> None:
    """The id was given anew since: the start says so, and only the directory is removed."""
    with stranger() as process:
        now = of_process(process.pid)
        assert now is not None
        dead_lab(labs, Identity(now.pid, now.started - 1, now.boot))
        assert clean(labs) == [Cleaned("test/dead", 0)]
        assert process.poll() is None


@pytest.mark.parametrize("ours", [True, False])
def test_of_a_group_whose_leader_ended_only_what_is_marked_is_ended(
    labs: Path, *, ours: bool
) -> None:
    """Whoever carries no marker of that lab is nobody's leftover, whatever its group."""
    home = labs / "test-dead-x"
    with orphan({MARKER: str(home)} if ours else {}) as (leader, orphaned):
        dead_lab(labs, leader)
        assert clean(labs) == [Cleaned("test/dead", int(ours))]
        assert (of_process(orphaned) is None) is ours


def test_a_record_of_another_boot_names_nobody(labs: Path) -> None:
    """After a restart of the machine ids and starts mean something else."""
    with stranger() as process:
        now = of_process(process.pid)
        assert now is not None
        dead_lab(labs, Identity(now.pid, now.started, "another boot"))
        assert clean(labs) == [Cleaned("test/dead", 0)]
        assert process.poll() is None


def test_refuses_a_directory_of_labs_that_is_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever puts a link where labs live does not get to say where they do."""
    (tmp_path / "elsewhere").mkdir()
    base_of(tmp_path).symlink_to(tmp_path / "elsewhere")
    for name in ("TMPDIR", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with pytest.raises(LabError, match="is not ours: remove it, or set TMPDIR"):
        base_directory()


def test_a_damaged_record_is_no_reason_to_fail(labs: Path) -> None:
    """Half a file, or none: the directory goes, and nobody is ended for it."""
    home = dead_lab(labs, None)
    (home / f"app.log{record.SUFFIX}").write_text('{"pid": 1')
    assert clean(labs) == [Cleaned("test/dead", 0)]
    assert homes(labs) == []


def dead_lab(labs: Path, child: Identity | None) -> Path:
    """A lab whose supervisor is gone, with the record of a child."""
    home = labs / "test-dead-x"
    home.mkdir()
    (home / "name").write_text("test/dead")
    if child is not None:
        record.write(home / f"app.log{record.SUFFIX}", child)
    return home


@contextmanager
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """A process that no lab has started, the leader of a group."""
    environment = {name: text for name, text in os.environ.items() if name != MARKER}
    command = [sys.executable, "-c", "import time; time.sleep(300)"]
    with subprocess.Popen(command, env=environment, process_group=0) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def orphan(marker: Mapping[str, str]) -> Iterator[tuple[Identity, int]]:
    """A process whose group has the number of another that ended: that one, and its id."""
    plain = {name: text for name, text in os.environ.items() if name != MARKER}
    command = ["sh", "-c", "sleep 300 >/dev/null & echo $!; read _"]
    with subprocess.Popen(
        command,
        env={**plain, **marker},
        process_group=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as shell:
        assert shell.stdout is not None
        orphaned, leader = int(shell.stdout.readline()), of_process(shell.pid)
        assert leader is not None
        shell.communicate("")
    try:
        yield leader, orphaned
    finally:
        with suppress(ProcessLookupError):
            os.kill(orphaned, signal.SIGKILL)


@contextmanager
def supervisor(app: str) -> Iterator[tuple[subprocess.Popen[str], Path, int]]:
    """A supervisor with one child: its process, the lab's directory, the child's id."""
    command = [sys.executable, "-c", SUPERVISOR, app]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            home, pid = process.stdout.readline().split()
            yield process, Path(home), int(pid)
        finally:
            process.kill()


def members(group: int) -> list[int]:
    """The processes of a group."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if os.getpgid(int(entry.name)) == group:
                    found.append(int(entry.name))
            except ProcessLookupError:
                continue
    return found


def gone(pid: int) -> bool:
    """Whether that process ends within seconds."""
    give_up = time.monotonic() + 10.0
    while of_process(pid) is not None:
        if time.monotonic() > give_up:
            return False
        time.sleep(0.05)
    return True


def answers(url: str) -> bool:
    """Whether the app is there."""
    with urllib.request.urlopen(f"{url}/health", timeout=10.0) as answer:  # noqa: S310  the lab's own
        return bool(answer.status == 200)

"""Programs of the user's: what they print, how they end, and that nothing of them is left."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.model.errors import ProbeError
from breakstep.plan.probes import parse_probe
from breakstep.probe.command import Command, open_probe
from breakstep.probe.command_lines import newest, numbers
from breakstep.probe.reading import Reading

PATIENCE_S = 10.0


@contextmanager
def running(home: Path, script: str, options: str = ",timeout=10s") -> Iterator[Command]:
    """A probe on a shell script."""
    program = home / "signals.sh"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    probe = open_probe(parse_probe(f"command:{program}{options}"))
    try:
        yield probe
    finally:
        probe.close()


def failure(home: Path, script: str, options: str = ",timeout=10s") -> str:
    """What is said when the probe on a script does not start."""
    with pytest.raises(ProbeError) as caught, running(home, script, options):
        pass
    return str(caught.value)


def eventually(found: Callable[[], object]) -> object:
    """What comes first that is true."""
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        if value := found():
            return value
        time.sleep(0.01)
    raise AssertionError("it never came")


def later_failure(probe: Command) -> str:
    """What is said once the probe fails."""

    def says() -> str | None:
        try:
            probe.read()
        except ProbeError as error:
            return str(error)
        return None

    return str(eventually(says))


def test_reads_the_newest_numbers_of_a_program_that_runs_on(tmp_path: Path) -> None:
    """Each read gives what was printed since the last, and nothing where nothing was."""
    step = tmp_path / "step"
    script = f"""
    echo '{{"queue": 1, "unit": "jobs"}}'
    while [ ! -e {step} ]; do sleep 0.01; done
    echo '{{"queue": 2, "unit": "jobs"}}'
    echo '{{"queue": 3, "done": 5, "note": "x", "ok": true}}'
    exec sleep 60
    """
    with running(tmp_path, script) as probe:
        assert probe.read() == ()
        step.touch()
        found: dict[str, float] = {}

        def both() -> bool:
            found.update({reading.name: reading.value for reading in probe.read()})
            return len(found) > 1

        assert eventually(both)
        assert found == {"queue": 3.0, "done": 5.0}


def test_a_line_may_name_its_unit() -> None:
    """The unit of a line is that of all its numbers."""
    assert numbers(b'{"queue": 3, "unit": "jobs"}') == [Reading("queue", "jobs", 3.0)]


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("exit 3", "signals.sh ended with exit code 3"),
        ("echo cannot open the queue >&2; exit 1", 'exit code 1; it said "cannot open the queue"'),
        ("kill -9 $$", "was ended by signal 9"),
        ("echo queue: 3; exec sleep 60", '"queue: 3" is no JSON object of numbers'),
        ("""echo '{"queue": "3"}'; exec sleep 60""", "is no JSON object of numbers"),
        (r"printf '\033[2J\n'; exec sleep 60", r'"\\x1b[2J" is no JSON object'),
    ],
)
def test_a_program_without_numbers_ends_the_start(tmp_path: Path, script: str, says: str) -> None:
    """How it ended, what it said last and what it printed instead are in the reason."""
    assert says.replace("\\\\", "\\") in failure(tmp_path, script)


def test_a_silent_program_ends_the_start(tmp_path: Path) -> None:
    """Its time to print a first line is bounded."""
    says = failure(tmp_path, "exec sleep 60", ",timeout=200ms")
    assert "signals.sh printed no line for 0.2 s: it has to flush each" in says


def test_a_program_that_falls_silent_is_said_to(tmp_path: Path) -> None:
    """Silence is trouble once it lasts longer than the timeout."""
    with running(tmp_path, """echo '{"a": 1}'; exec sleep 60""", ",timeout=300ms") as probe:
        assert probe.read() == ()
        assert "printed no line for 0." in later_failure(probe)


def test_a_program_that_ends_is_said_to_have_ended_and_stays_so(tmp_path: Path) -> None:
    """Its last line counts; it is not started again."""
    starts = tmp_path / "starts"
    script = f"""echo x >>{starts}; echo '{{"a": 1}}'; sleep 0.2; echo '{{"a": 2}}'; exit 7"""
    with running(tmp_path, script) as probe:
        last = eventually(probe.read)
        assert last == [Reading("a", "", 2.0)]
        assert later_failure(probe) == later_failure(probe) == "signals.sh ended with exit code 7"
    assert starts.read_text() == "x\n"


def test_close_ends_the_program_and_its_children(tmp_path: Path) -> None:
    """Neither a child nor a program that ignores the request outlives the probe."""
    pids = tmp_path / "pids"
    script = f"""
    trap '' TERM
    sh -c 'echo $$ >>{pids}; trap "" TERM; while :; do sleep 1; done' &
    echo $$ >>{pids}
    while [ "$(wc -l <{pids})" -lt 2 ]; do sleep 0.01; done
    echo '{{"a": 1}}'
    while :; do sleep 1; done
    """
    with running(tmp_path, script) as probe:
        found = pids.read_text().split()
        assert len(found) == 2
    with pytest.raises(ProbeError, match="was stopped"):
        probe.read()
    eventually(lambda: not any(_alive(pid) for pid in found))


def _alive(pid: str) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_flood_is_bounded(tmp_path: Path) -> None:
    """A program that prints without end waits; a read takes its newest lines and returns."""
    flood = tmp_path / "flood.py"
    flood.write_text("while True: print('{\"a\": 1}')")
    probe = open_probe(parse_probe(f"command:{sys.executable} -u {flood}"))
    try:
        for _ in range(5):
            began = time.thread_time()
            assert eventually(probe.read) == [Reading("a", "", 1.0)]
            assert time.thread_time() - began < 1.0
    finally:
        probe.close()


def test_a_line_without_end_is_bounded(tmp_path: Path) -> None:
    """What never becomes a line is refused with its beginning, and not gathered."""
    says = failure(tmp_path, "while :; do printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; done")
    assert '…" is no JSON object' in says
    assert len(says) < 400


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("/nowhere/signals", "/nowhere/signals cannot be started (No such file or directory)"),
        ("/etc/passwd", "cannot be started (Permission denied): is it an executable"),
        ("echo 'a", "cannot be split into words: No closing quotation"),
        ("''", "cannot be started"),
    ],
)
def test_says_why_a_command_cannot_be_started(command: str, says: str) -> None:
    """The reason is the system's own."""
    with pytest.raises(ProbeError) as caught:
        open_probe(parse_probe(f"command:{command}"))
    assert says in str(caught.value)


def test_no_shell_looks_at_the_command(tmp_path: Path) -> None:
    """What a shell would act on is an argument like any other."""
    marker = tmp_path / "marker"
    with pytest.raises(ProbeError, match="is no JSON object"):
        open_probe(parse_probe(f"command:echo $HOME; touch {marker}"))
    assert not marker.exists()


@given(
    line=st.one_of(st.binary(max_size=200), st.text('{}[]":,0123456789eE.-Nan ').map(str.encode))
)
def test_any_line_gives_numbers_or_none(line: bytes) -> None:
    """No line raises."""
    assert all(reading.name.isprintable() for reading in numbers(line))


def test_deep_nesting_and_long_numbers_are_no_trouble() -> None:
    """What the interpreter refuses to read is no line of numbers."""
    assert numbers(b"[" * 60_000) == []
    assert numbers(b'{"a": ' + b"9" * 6_000 + b"}")[0].name == "a"
    assert newest([b'{"a": 1}', b"{" * 70_000]) == [Reading("a", "", 1.0)]

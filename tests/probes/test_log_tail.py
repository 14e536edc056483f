"""Following a log: whole lines from now on, whatever happens to the file."""

import os
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.model.errors import ProbeError
from breakstep.probe import log_tail
from breakstep.probe.log_tail import LINE_BYTES, LogTail


def append(path: Path, data: bytes) -> None:
    """Writes at the end."""
    with path.open("ab") as file:
        file.write(data)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log with a line in it."""
    log = tmp_path / "access.log"
    log.write_bytes(b"old\n")
    return log


def test_begins_at_the_end(path: Path) -> None:
    """What stood in the file before is not new; what follows is, once."""
    with closing(LogTail(path)) as tail:
        assert tail.new() == b""
        append(path, b"a\nb\n")
        assert [tail.new(), tail.new()] == [b"a\nb\n", b""]
        assert tail.end_of_file(4) == b"a\nb\n"


def test_waits_for_the_end_of_a_line(path: Path) -> None:
    """A line comes when it is whole."""
    with closing(LogTail(path)) as tail:
        append(path, b"a\nhal")
        assert tail.new() == b"a\n"
        append(path, b"f")
        assert tail.new() == b""
        append(path, b"\nb\n")
        assert tail.new() == b"half\nb\n"


@given(pieces=st.lists(st.binary(max_size=20)))
def test_where_the_writes_are_cut_makes_no_difference(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]
) -> None:
    """All whole lines come, in order, and nothing else."""
    log = tmp_path_factory.mktemp("tail") / "log"
    log.touch()
    with closing(LogTail(log)) as tail:
        seen = b""
        for piece in pieces:
            append(log, piece)
            seen += tail.new()
    written = b"".join(pieces)
    assert seen == written[: written.rfind(b"\n") + 1]


def test_follows_the_path_after_rotation(path: Path) -> None:
    """The old file is read until the new one has been there for a call; no line is lost."""
    with closing(LogTail(path)) as tail:
        path.rename(path.with_suffix(".1"))
        append(path.with_suffix(".1"), b"before\n")
        assert tail.new() == b"before\n"
        append(path, b"new\n")
        append(path.with_suffix(".1"), b"late\n")
        assert tail.new() == b"late\n"
        append(path.with_suffix(".1"), b"later\n")
        assert tail.new() == b"later\nnew\n"
        append(path, b"newer\n")
        assert tail.new() == b"newer\n"


def test_a_truncated_file_is_read_from_its_start(path: Path) -> None:
    """A file that became shorter has begun again; half a line of before is forgotten."""
    with closing(LogTail(path)) as tail:
        append(path, b"a\nhalf of a line")
        assert tail.new() == b"a\n"
        path.write_bytes(b"b\n")
        assert tail.new() == b"b\n"


def test_a_huge_line_is_dropped(path: Path) -> None:
    """A line without end is not kept, and the next one comes whole."""
    with closing(LogTail(path)) as tail:
        for _ in range(5):
            append(path, b"x" * LINE_BYTES)
            assert tail.new() == b""
        append(path, b"xx\nnext\n")
        assert tail.new() == b"next\n"


def test_says_that_it_is_behind(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One call reads so much and no more; the rest comes with the next."""
    monkeypatch.setattr(log_tail, "TAKE_BYTES", 6)
    with closing(LogTail(path)) as tail:
        append(path, b"one\ntwo\nsix\n")
        assert (tail.new(), tail.behind) == (b"one\n", True)
        assert (tail.new(), tail.behind) == (b"two\nsix\n", False)


def test_a_file_without_permission_or_that_is_none_is_refused(tmp_path: Path) -> None:
    """A pipe, a directory and a missing file are named with what is wrong."""
    os.mkfifo(tmp_path / "pipe")
    for place, reason in (
        (tmp_path / "pipe", "regular file"),
        (tmp_path, "regular file"),
        (tmp_path / "none", "No such file"),
        (Path("/dev/null"), "regular file"),
    ):
        with pytest.raises(ProbeError, match=reason):
            LogTail(place)


def test_a_closed_log_is_not_read(path: Path) -> None:
    """Closing twice is nothing, reading afterwards an error."""
    tail = LogTail(path)
    tail.close()
    tail.close()
    with pytest.raises(ProbeError, match="closed"):
        tail.new()

"""The directory of a run."""

import errno
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from breakstep.model.errors import StoreError
from breakstep.store.run_directory import RESULT, RunDirectory, run_id, storing


def test_ids_sort_by_time() -> None:
    """Listed by name, runs are in the order they were made."""
    first = run_id(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "ffffff")
    second = run_id(datetime(2026, 1, 2, 3, 4, 6, tzinfo=UTC), "000000")
    assert first == "20260102T030405Z-ffffff"
    assert first < second


def test_a_directory_is_made_with_its_parents(tmp_path: Path) -> None:
    """The first run of a project needs nothing prepared."""
    assert RunDirectory.create(tmp_path / "a" / "b").path.is_dir()


def test_another_run_is_never_written_over(tmp_path: Path) -> None:
    """A directory with any file of a run is refused, and the remedy named."""
    (tmp_path / RESULT).write_text("{}")
    with pytest.raises(StoreError, match=r"holds another run \(result.json\): choose another"):
        RunDirectory.create(tmp_path)


def test_files_of_other_kinds_are_no_hindrance(tmp_path: Path) -> None:
    """Notes beside a run are left alone."""
    (tmp_path / "notes.txt").write_text("mine")
    RunDirectory.create(tmp_path).write(RESULT, "{}")
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_path_through_a_file_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    """The message says where it failed, why, and what to do."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="a part of that path is a file; write elsewhere"):
        RunDirectory.create(tmp_path / "file" / "run")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "No space left on device; free some space, or write elsewhere"),
        (errno.EACCES, "Permission denied; write elsewhere with --out DIR"),
        (errno.EIO, "Input/output error; write elsewhere with --out DIR"),
    ],
)
def test_what_the_system_says_gets_a_remedy(code: int, words: str) -> None:
    """A full disk and a forbidden directory are told apart."""
    with pytest.raises(StoreError, match=words), storing(Path("run")):
        raise OSError(code, os.strerror(code))


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    """Writing again leaves the new text and no part of the old, nor a temporary file."""
    directory = RunDirectory.create(tmp_path)
    directory.write(RESULT, "a long first text")
    directory.write(RESULT, "short")
    assert [file.name for file in tmp_path.iterdir()] == [RESULT]
    assert (tmp_path / RESULT).read_text() == "short"


def test_a_failed_write_keeps_what_was_there(tmp_path: Path) -> None:
    """A text that cannot be encoded does not cost the file before it."""
    directory = RunDirectory.create(tmp_path)
    directory.write(RESULT, "first")
    with pytest.raises(UnicodeEncodeError):
        directory.write(RESULT, "\ud800")
    assert [file.name for file in tmp_path.iterdir()] == [RESULT]
    assert (tmp_path / RESULT).read_text() == "first"

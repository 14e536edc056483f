"""The history: run directories, and an index that may be lost at any time."""

import os
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from knees import broke_at
from results import FOUND

from breakstep.model.errors import StoreError
from breakstep.store.history import History, history
from breakstep.store.history_index import Index, index_file
from breakstep.store.result_json import dumps
from breakstep.store.run_directory import RESULT
from breakstep.store.run_reference import run_path


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """An index of its own."""
    return Index(tmp_path / "cache" / "history.sqlite")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place with three runs, which is also where runs are looked for by name."""
    found = tmp_path / "runs"
    for day in (1, 2, 3):
        store(found, f"2026010{day}T000000Z-{day}aaaaa", f"2026-01-0{day}T00:00:00+00:00")
    monkeypatch.setenv("BREAKSTEP_RUNS", str(found))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    return found


def store(place: Path, name: str, started_at: str) -> Path:
    """Puts a run there."""
    environment = {**FOUND.environment, "started_at": started_at}
    result = replace(broke_at(150.0, name=name), environment=environment)
    directory = place / name
    directory.mkdir(parents=True)
    (directory / RESULT).write_text(dumps(result))
    return directory


def ids(found: History) -> list[str]:
    """The days of the runs, in the order of the history."""
    return [entry.id[6:8] for entry in found.entries]


def test_runs_are_listed_by_the_time_they_started(place: Path, index: Index) -> None:
    """With what they found, newest last; times of other zones are put right."""
    store(place, "20251231T230000Z-x", "2026-01-02T01:00:00+02:00")
    found = history(place, index)
    assert ids(found) == ["01", "31", "02", "03"]
    entry = found.entries[-1]
    assert (entry.knee_per_s, entry.status, entry.command) == (150.0, "found", "find")
    assert entry.target == "http://127.0.0.1:8080/"


def test_nothing_is_read_twice(place: Path, index: Index) -> None:
    """With a warm index no result is opened; one that is new or changed is, alone."""
    first = history(place, index)
    assert first.read == 3
    again = history(place, index)
    assert (again.read, again.entries) == (0, first.entries)
    store(place, "20260104T000000Z-4", "2026-01-04T00:00:00+00:00")
    changed = place / first.entries[0].id / RESULT
    changed.write_text(changed.read_text().replace('"find"', '"check"'))
    after = history(place, index)
    assert after.read == 2
    assert after.entries[0].command == "check"


def test_a_run_that_is_gone_is_forgotten(place: Path, index: Index, tmp_path: Path) -> None:
    """The directories are the truth."""
    history(place, index)
    (place / "20260102T000000Z-2aaaaa").rename(tmp_path / "elsewhere")
    assert ids(history(place, index)) == ["01", "03"]
    assert len(index.known(place)) == 2


def test_places_do_not_mix(place: Path, index: Index, tmp_path: Path) -> None:
    """A place whose name begins like another is another."""
    store(tmp_path / "runs2", "20260105T000000Z-5", "2026-01-05T00:00:00+00:00")
    history(tmp_path / "runs2", index)
    assert ids(history(place, index)) == ["01", "02", "03"]
    assert ids(history(tmp_path / "runs2", index)) == ["05"]
    assert history(tmp_path / "runs2", index).read == 0


@pytest.mark.parametrize("damage", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_damaged_index_is_made_anew(place: Path, index: Index, damage: bytes) -> None:
    """And the history is right in the meantime."""
    history(place, index)
    index._file.write_bytes(damage)
    assert ids(history(place, index)) == ["01", "02", "03"]
    assert ids(history(place, index)) == ["01", "02", "03"]
    assert history(place, index).read == 0


def test_an_index_of_another_version_is_made_anew(place: Path, index: Index) -> None:
    """Its records may mean something else."""
    history(place, index)
    with sqlite3.connect(index._file) as database:
        database.execute("PRAGMA user_version = 99")
        database.execute("UPDATE runs SET record = '{}'")
    database.close()
    assert history(place, index).read == 3
    assert history(place, index).read == 0


def test_records_that_make_no_sense_are_thrown_away(place: Path, index: Index) -> None:
    """Of this version or not."""
    history(place, index)
    with sqlite3.connect(index._file) as database:
        database.execute("UPDATE runs SET record = '{\"stamp\": 1}'")
    database.close()
    assert ids(history(place, index)) == ["01", "02", "03"]


def test_a_locked_index_does_not_hold_anybody_up(place: Path, index: Index) -> None:
    """Somebody writes: the history is read from the runs."""
    history(place, index)
    store(place, "20260104T000000Z-4", "2026-01-04T00:00:00+00:00")
    writer = sqlite3.connect(index._file, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    assert ids(history(place, index)) == ["01", "02", "03", "04"]
    writer.execute("ROLLBACK")
    writer.close()


def test_a_cache_that_cannot_be_written_is_done_without(place: Path, tmp_path: Path) -> None:
    """A file stands where its directory should be."""
    (tmp_path / "file").write_text("")
    index = Index(tmp_path / "file" / "history.sqlite")
    assert history(place, index).read == 3
    assert history(place, index).read == 3


def test_many_may_look_at_once(place: Path, index: Index) -> None:
    """Eight at a time on a cold index all see the same."""
    seen: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: seen.append(ids(history(place, index)))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [["01", "02", "03"]] * 8
    assert history(place, index).read == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no JSON object"),
        ('{"format": "breakstep.result/2"}', "a newer breakstep wrote this"),
        ('{"format": "k6"}', "not a result"),
        ('{"format": "breakstep.result/1", "id": 1e999, "plan": [], "answer": 3}', ""),
    ],
)
def test_what_is_no_result_is_said_and_hinders_nobody(
    place: Path, index: Index, text: str, words: str
) -> None:
    """The others are listed; it is tried again each time, for it may have been mended."""
    directory = place / "broken"
    directory.mkdir()
    (directory / RESULT).write_text(text)
    found = history(place, index)
    if words:
        assert len(found.entries) == 3
        assert words in found.unreadable[0].why
        assert history(place, index).read == 1
    else:
        assert [entry.id for entry in found.entries][-1] == "broken"


def test_runs_are_found_in_directories_of_their_own(place: Path, index: Index) -> None:
    """A few levels down, but not through links, which may lead in circles."""
    store(place / "service" / "nightly", "20260104T000000Z-4", "2026-01-04T00:00:00+00:00")
    (place / "loop").symlink_to(place)
    assert ids(history(place, index)) == ["01", "02", "03", "04"]


def test_no_place_is_an_empty_history(tmp_path: Path, index: Index) -> None:
    """Before the first run."""
    assert history(tmp_path / "nowhere", index).entries == ()


def test_the_index_is_in_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """XDG_CACHE_HOME if it is absolute, as the standard asks, else ~/.cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert index_file() == tmp_path / "breakstep" / "history.sqlite"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert index_file() == tmp_path / ".cache" / "breakstep" / "history.sqlite"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("last", "3"),
        ("last-0", "3"),
        ("last-2", "1"),
        ("20260102T000000Z-2aaaaa", "2"),
        ("20260101", "1"),
        ("2aaaaa", "2"),
    ],
)
def test_a_run_has_many_names(place: Path, text: str, day: str) -> None:
    """Its id, the beginning or the ending of it, and its place from the end."""
    assert run_path(text) == place / f"2026010{day}T000000Z-{day}aaaaa"


def test_a_path_is_taken_for_itself(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The directory, its result, and a directory that happens to be called `last`."""
    directory = place / "20260101T000000Z-1aaaaa"
    assert run_path(str(directory)) == directory
    assert run_path(str(directory / RESULT)) == directory / RESULT
    monkeypatch.chdir(place)
    directory.rename(place / "last")
    assert run_path("last") == Path("last")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2026", "may be any of 3 runs"),
        ("20260103T000000Z-3aaaab", "did you mean 20260103T000000Z-3aaaaa"),
        ("last-3", "holds only 3 runs"),
        ("some/where", "no run at some/where"),
        ("\0", "there is no run"),
    ],
)
@pytest.mark.usefixtures("place")
def test_a_name_that_fits_none_or_many_says_what_there_is(text: str, words: str) -> None:
    """With what to write instead."""
    with pytest.raises(StoreError, match=words):
        run_path(text)


def test_an_empty_history_says_where_it_looked(tmp_path: Path) -> None:
    """Not that `last` is unknown."""
    with pytest.raises(StoreError, match="holds none"):
        run_path("last", tmp_path)


def test_what_is_no_file_is_no_run(place: Path, index: Index) -> None:
    """A pipe named like a result keeps nobody waiting."""
    (place / "pipe").mkdir()
    os.mkfifo(place / "pipe" / RESULT)
    found = history(place, index)
    assert (len(found.entries), found.unreadable) == (3, ())


def test_the_record_survives_the_index(place: Path, index: Index) -> None:
    """What is read from the index equals what is read from the run, every field of it."""
    fresh = history(place, Index(Path("/nonexistent/none")))
    history(place, index)
    assert history(place, index).entries == fresh.entries

"""What is missing is said with the remedy; nothing is guessed."""

from pathlib import Path

import pytest

from breakstep.lab import setup
from breakstep.lab.needs import NEEDS, require
from breakstep.lab.node_modules import cache_directory, node_modules
from breakstep.lab.servers.programs import program
from breakstep.model.errors import LabError


def test_everything_that_is_missing_is_told_at_once_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Two programs that are not in PATH and packages that are not in the cache."""
    alone(monkeypatch, tmp_path)
    with pytest.raises(LabError) as error:
        require(("node", "pgbouncer", "node-modules"))
    text = str(error.value)
    for part in ("node", "pgbouncer", "node-modules", "`breakstep lab setup`", "make lab-setup"):
        assert part in text


def test_a_program_that_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By whoever needs it first."""
    alone(monkeypatch, tmp_path)
    with pytest.raises(LabError, match=r"node is not installed: run `breakstep lab setup`"):
        program("node")
    with pytest.raises(LabError, match="packages of the Node labs are not installed"):
        node_modules()


def test_without_a_packager_the_packages_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Elsewhere than on Debian somebody else has to install them."""
    alone(monkeypatch, tmp_path)
    with pytest.raises(LabError, match=r"missing: .*nodejs.*; install them with this system's"):
        setup.set_up(lambda _line: None)


def test_where_nothing_is_missing_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second `lab setup` is one sentence."""
    monkeypatch.setattr(setup, "missing", lambda _needed: [])
    said: list[str] = []
    setup.set_up(said.append)
    assert said == ["everything the labs need is installed"]


def test_the_cache_of_npm_has_a_directory_for_each_state_of_the_lockfile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is the user's, and named after what is in it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory().parent == tmp_path / "breakstep" / "labs"
    assert cache_directory().name.startswith("node-")


def test_every_need_has_a_package_or_a_way_to_get_it() -> None:
    """The one that pip installs is psycopg."""
    assert [name for name, need in NEEDS.items() if need.package is None] == ["psycopg"]


def alone(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """No program is to be found, and no package in the cache."""
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.setattr("breakstep.lab.servers.programs._SYSTEM", ())

"""The files of docs/ci: YAML that a pipeline reads, with commands that breakstep understands."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from breakstep.cli.app import app

FILES = sorted((Path(__file__).parents[2] / "docs" / "ci").glob("*.yml"))


def commands(value: object) -> Iterator[list[str]]:
    """Every call of `breakstep check` in nested YAML, as words."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from commands(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from commands(inner)
    elif isinstance(value, str) and value.startswith("breakstep check"):
        yield shlex.split(value)[2:]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_commands_of_a_pipeline_are_understood(file: Path) -> None:
    """One load and one change in each file, with flags that exist."""
    found = list(commands(yaml.safe_load(file.read_text())))
    check = get_command(app).get_command(None, "check")  # type: ignore[attr-defined]
    for words in found:
        check.make_context("check", list(words))
    assert ["--head-command" in words for words in found] == [False, True]


def test_there_is_a_file_for_each_forge() -> None:
    """GitHub and GitLab."""
    assert [file.stem for file in FILES] == ["github-actions", "gitlab-ci"]

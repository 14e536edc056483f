"""The published JSON Schema, and the file to begin with."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from files import TARGET, Files
from jsonschema import Draft202012Validator
from plans import plan_of

from breakstep.plan.example import example
from breakstep.plan.schema import schema_text
from breakstep.plan.words import Flags

PUBLISHED = Path(__file__).parents[2] / "docs" / "breakstep.schema.json"
COMMENTED = re.compile(r"^(\s*)# ([a-z-]+: .*)$")


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A place for a file."""
    return Files(tmp_path)


def wrong(text: str) -> list[str]:
    """What an editor underlines in a file."""
    found = Draft202012Validator(json.loads(schema_text())).iter_errors(yaml.safe_load(text))
    return [error.message for error in found]


def test_the_published_schema_is_that_of_the_reader() -> None:
    """UPDATE_GOLDEN=1 rewrites it."""
    if os.environ.get("UPDATE_GOLDEN"):
        PUBLISHED.write_text(schema_text(), encoding="utf-8")
    assert PUBLISHED.read_text(encoding="utf-8") == schema_text()


def test_the_schema_is_one() -> None:
    """Of draft 2020-12, and every key is explained."""
    schema = json.loads(schema_text())
    Draft202012Validator.check_schema(schema)
    assert all("description" in inner for inner in keys_of(schema).values())


def keys_of(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """All keys of a file, by path."""
    found = {}
    for name, inner in schema.get("properties", {}).items():
        found[name] = inner
        nested = inner.get("items", inner)
        found |= {f"{name}.{key}": value for key, value in keys_of(nested).items()}
    return found


@pytest.mark.parametrize(
    "text",
    [
        TARGET,
        f"{TARGET}load:\nplan:\n",
        f"{TARGET}slo: p95<200ms\nload: {{steps: 50, ramp: 1.5s}}\nprobes: host",
        f"{TARGET}slo: [p95<200ms, {{a: errors<1%}}, 'b: goodput>97%']",
        f"{TARGET}requests: [{{name: 404, weight: 2, headers: {{A: 1, B: true}}, body: 5}}]",
    ],
)
def test_what_is_right_is_right_for_both(files: Files, text: str) -> None:
    """An editor does not underline what the reader takes; SLOs of unknown requests aside."""
    assert wrong(text) == []
    if "{a:" not in text:
        files.plan(text)


@pytest.mark.parametrize(
    "text",
    [
        "load: {}",
        f"{TARGET}laod: {{}}",
        f"{TARGET}load: {{hold: 10}}",
        f"{TARGET}load: {{hold: soon}}",
        f"{TARGET}load: {{from: 0}}",
        f"{TARGET}load: {{from: fast}}",
        f"{TARGET}load: {{spin: 1}}",
        f"{TARGET}load: {{seed: many}}",
        f"{TARGET}load: {{effort: low}}",
        f"{TARGET}slo: [p95<]",
        f"{TARGET}requests: {{path: /}}",
    ],
)
def test_what_is_wrong_is_wrong_for_both(files: Files, text: str) -> None:
    """An editor underlines what the reader refuses, where the shape tells."""
    assert wrong(text) != []
    assert files.faults(text)


URL = "http://127.0.0.1:8080/shop?page=2"


def test_the_file_to_begin_with_asks_for_what_the_url_does(files: Files) -> None:
    """Usable as it is, and the same plan."""
    assert wrong(example(URL)) == []
    assert files.plan(example(URL)) == plan_of(Flags(URL))


def test_the_file_of_the_documents_is_right(files: Files) -> None:
    """What readers copy runs."""
    text = (PUBLISHED.parent / "file.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    (files.directory / "order.json").write_text("{}")
    assert wrong(shown) == []
    assert len(files.plan(shown, environment={"TOKEN": "t"}).scenarios) == 2


def test_the_file_to_begin_with_names_its_schema_and_every_key() -> None:
    """In the first line, where editors look; what can be said is there, behind a #."""
    text = example(URL)
    assert text.startswith("# yaml-language-server: $schema=breakstep.schema.json\n")
    for path in keys_of(json.loads(schema_text())):
        assert re.search(rf"\b{path.rpartition('.')[2]}:", text), path


def uncommented() -> Iterator[str]:
    """The file with one of its examples made true."""
    lines = example(URL).splitlines()
    for number, line in enumerate(lines):
        if number and (match := COMMENTED.match(line)):
            changed = [*lines[:number], match[1] + match[2], *lines[number + 1 :]]
            yield "\n".join(changed)


@pytest.mark.parametrize("text", list(uncommented()))
def test_every_example_in_it_is_right(files: Files, text: str) -> None:
    """Taking away one # gives another file that runs; `by` needs its ends."""
    (files.directory / "ca.pem").write_text("")
    (files.directory / "body.json").write_text("{}")
    assert wrong(text) == []
    text = text.replace("  by: 50", "  from: 50\n  to: 500\n  by: 50")
    files.plan(text, Flags(keep_alive=True), {"TOKEN": "t"})


@pytest.mark.parametrize("url", ["http://me:abc@h:1/?api_key=abc", "http://abc@h/"])
def test_secrets_of_the_url_become_variables(url: str) -> None:
    """They are not written into a file that will be committed."""
    text = example(url)
    assert "abc" not in text
    assert "${TARGET_PASSWORD}" in text

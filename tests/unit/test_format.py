"""Results of other versions of the format."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from results import FOUND

from breakstep.model.errors import StoreError
from breakstep.store.result_json import from_json, read_result, to_json

FORMATS = Path(__file__).parents[1] / "data" / "formats"


@pytest.mark.parametrize("file", sorted(FORMATS.glob("*.json")), ids=lambda file: file.stem)
def test_every_form_of_the_format_so_far_is_read(file: Path) -> None:
    """What an older breakstep wrote still has its answer and its steps."""
    result = read_result(file)
    assert result.answer.sustainable_per_s is not None
    assert result.steps[0].verdict.criteria[0].slo.startswith("p95<")


def test_what_was_not_written_yet_is_unknown() -> None:
    """The first form had no reasons for a stop and no estimates."""
    first = read_result(FORMATS / "result-1-first.json")
    assert first.runs[0].why == ""
    assert first.steps[0].verdict.criteria[0].estimate is None


@pytest.mark.parametrize(
    "place",
    [
        ("answer",),
        ("trust",),
        ("trust", "checks", 0),
        ("runs", 0),
        ("runs", 0, "steps", 0),
        ("runs", 0, "steps", 0, "response_ms"),
        ("runs", 0, "steps", 0, "in_flight"),
        ("runs", 0, "steps", 0, "generator"),
        ("runs", 0, "steps", 0, "criteria", 0),
    ],
)
def test_keys_of_a_later_version_are_passed_over(place: tuple[str | int, ...]) -> None:
    """A field that a later breakstep adds anywhere does not keep this one from reading the rest."""
    document = json.loads(json.dumps(to_json(FOUND)))
    inside = document
    for step in place:
        inside = inside[step]
    inside["added_later"] = {"by": 1}
    assert from_json(document) == FOUND


def test_a_section_of_a_later_version_is_kept() -> None:
    """What is read and written again loses nothing."""
    document = {**to_json(FOUND), "added_later": {"by": 1}}
    assert from_json(document) == replace(FOUND, sections={"added_later": {"by": 1}})


def test_a_later_format_is_refused_with_what_to_do() -> None:
    """A change of meaning must not be misread."""
    with pytest.raises(StoreError, match=r"a newer breakstep wrote this.*upgrade this one"):
        from_json({**to_json(FOUND), "format": "breakstep.result/2"})


@pytest.mark.parametrize("found", [None, 1, "breakstep.result/0", "breakstep.other/2", "k6"])
def test_another_format_is_not_taken_for_a_later_one(found: object) -> None:
    """It is called what it is."""
    with pytest.raises(StoreError, match="not a result that this breakstep reads"):
        from_json({**to_json(FOUND), "format": found})

"""The result file."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from golden import assert_golden
from results import FOUND

from breakstep.model.errors import StoreError
from breakstep.model.record import RequestRecord
from breakstep.store.result_json import dumps, from_json, read_result, to_json
from breakstep.store.run_directory import RESULT, RunDirectory

DURATIONS = {"mean", "p50", "p75", "p90", "p95", "p98", "p99", "p99_9", "p99_99", "max"}
STEP = {
    *("index", "offered_per_s", "arrivals", "sent", "completed", "ok", "outcomes"),
    *("sent_per_s", "completed_per_s", "goodput_per_s", "response_ms", "service_ms"),
    *("lateness_ms", "in_flight", "queue", "verdict", "reasons", "window"),
}


def test_the_contract_holds() -> None:
    """Every key that other programs may rely on is there."""
    document = to_json(FOUND)
    step = document["runs"][0]["steps"][0]
    assert document["format"] == "breakstep.result/1"
    assert step.keys() >= STEP
    assert step["response_ms"].keys() >= DURATIONS
    assert step["in_flight"].keys() == {"mean", "max", "start", "end"}
    assert step["window"].keys() == {"from", "to"}
    assert document["diagnosis"]["kind"] == "not_observed"
    assert document["trust"]["checks"][0].keys() >= {"name", "value", "limit", "verdict"}


def test_the_file_does_not_change_unnoticed() -> None:
    """A format with a version is the same text until the version says otherwise."""
    assert_golden("result.json", dumps(FOUND))


def test_a_result_read_back_is_the_same() -> None:
    """Nothing is lost or changed between the records and the file."""
    assert from_json(json.loads(dumps(FOUND))) == FOUND


def test_the_requests_of_a_mix_are_read_back_and_a_single_one_has_none() -> None:
    """The key is there only where it says something."""
    (run,) = FOUND.runs
    step = run.steps[0]
    alone = RequestRecord(step.arrivals, step.ok, step.outcomes, step.response_ms)
    mixed = replace(step, requests={"browse": alone, "<b>": alone})
    with_mix = replace(FOUND, runs=(replace(run, steps=(mixed, *run.steps[1:])),))
    document = json.loads(dumps(with_mix))
    assert list(document["runs"][0]["steps"][0]["requests"]) == ["browse", "<b>"]
    assert "requests" not in document["runs"][0]["steps"][1]
    assert from_json(document) == with_mix


def test_sections_of_other_verbs_are_kept() -> None:
    """Another verb's section comes back, and a diagnosis replaces the unobserved one."""
    sections = {"check": {"verdict": "pass"}, "diagnosis": {"kind": "cpu_workers"}}
    with_sections = replace(FOUND, sections=sections)
    assert from_json(json.loads(dumps(with_sections))) == with_sections


def test_a_run_directory_is_read_by_its_name(tmp_path: Path) -> None:
    """The directory or the file: either names the run."""
    file = RunDirectory.create(tmp_path).write(RESULT, dumps(FOUND))
    assert read_result(tmp_path) == read_result(file) == FOUND


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "holds no JSON object"),
        ('{"format": "breakstep.result/9"}', "its format is 'breakstep.result/9'"),
        ('{"format": "breakstep.result/1"}', "incomplete: 'diagnosis' is missing"),
    ],
)
def test_a_file_that_is_no_result_is_an_error_that_says_so(
    tmp_path: Path, text: str, words: str
) -> None:
    """Truncated, foreign and later files are told apart."""
    (tmp_path / RESULT).write_text(text)
    with pytest.raises(StoreError, match=words):
        read_result(tmp_path)


def test_a_missing_file_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    """The message says what to name instead."""
    with pytest.raises(StoreError, match="name a run directory"):
        read_result(tmp_path / "nowhere")


def test_damage_inside_a_result_is_an_error(tmp_path: Path) -> None:
    """A field of the wrong kind is not passed on."""
    document = {**to_json(FOUND), "runs": [{"steps": 3}]}
    (tmp_path / RESULT).write_text(json.dumps(document))
    with pytest.raises(StoreError, match="damaged"):
        read_result(tmp_path)

"""The Python interface: the same records as on the disk."""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import breakstep
from acceptance.target import target
from breakstep import Answer, Result, RunRecord, StepRecord
from breakstep.store.result_json import read_result

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

pytestmark = pytest.mark.sockets


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A quick service."""
    with target("--servers", "8", "--service", "constant:1ms") as found:
        yield found


def find(url: str, out: Path | None = None) -> Result:
    """The shortest search of two steps."""
    return breakstep.find(
        url, slo=["p95<1s", "errors<1%"], steps=[50, 100], hold="300ms", warmup="0s", out=out
    )


def test_what_is_returned_is_what_was_written(url: str, tmp_path: Path) -> None:
    """The same result, typed, whether it comes from the call or from the directory."""
    result = find(url, tmp_path / "run")
    assert read_result(tmp_path / "run").runs == result.runs
    assert read_result(tmp_path / "run").answer == result.answer
    assert isinstance(result, Result)
    assert isinstance(result.answer, Answer)
    assert isinstance(result.runs[0], RunRecord)
    assert all(isinstance(step, StepRecord) for step in result.steps)
    assert {step.offered_per_s for step in result.steps} == {50.0, 100.0}


def test_nothing_is_printed_and_nothing_is_written_unasked(
    url: str, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library is silent, and leaves the working directory alone."""
    monkeypatch.chdir(tmp_path)
    find(url)
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_records_cannot_be_changed(url: str) -> None:
    """They are values."""
    result = find(url)
    records: tuple[DataclassInstance, ...] = (result, result.answer, *result.runs, *result.steps)
    for record in records:
        name = fields(record)[0].name
        with pytest.raises(AttributeError):
            setattr(record, name, None)


def test_every_fault_of_a_plan_is_in_the_error() -> None:
    """As a list, for programs; as text, for people."""
    with pytest.raises(breakstep.PlanError) as raised:
        breakstep.find("ftp://h/", slo="fast", steps=[2, 1], hold="x", headers=[("", "v")])
    assert len(raised.value.faults) == 5
    assert str(raised.value) == "\n".join(raised.value.faults)


def test_a_target_that_is_not_there_is_an_error_of_its_own() -> None:
    """All of ours can be caught as one."""
    with pytest.raises(breakstep.TargetError, match="connection refused"):
        breakstep.find("http://127.0.0.1:1/")
    assert issubclass(breakstep.TargetError, breakstep.BreakstepError)

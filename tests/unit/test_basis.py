"""The load of a gate from an earlier run."""

from dataclasses import replace
from pathlib import Path

import pytest
from gates import gated
from results import FOUND

from breakstep.model.errors import PlanError
from breakstep.session.basis import basis_of, newest_basis
from breakstep.store.result_json import dumps


def test_it_lies_between_half_and_two_thirds_of_the_breaking_load() -> None:
    """And the run's SLOs come with it."""
    basis = basis_of(replace(FOUND, answer=replace(FOUND.answer, knee_per_s=400.0)))
    assert 200.0 <= basis.rate_per_s <= 400.0 * 2 / 3
    assert list(basis.slos) == ["p95<200ms", "errors<1%"]


@pytest.mark.parametrize(
    "result",
    [gated("pass"), replace(FOUND, answer=replace(FOUND.answer, sustainable_per_s=None))],
)
def test_a_run_that_found_no_breaking_load_is_refused(result: object) -> None:
    """With what to do instead."""
    with pytest.raises(PlanError, match="give --rate"):
        basis_of(result)  # type: ignore[arg-type]


def test_the_newest_search_of_the_target_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not one of another target, nor one that found nothing."""
    monkeypatch.setenv("BREAKSTEP_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    kept("old", "2026-01-01T00:00:00+00:00", knee_per_s=100.0)
    newer = kept("new", "2026-01-02T00:00:00+00:00", knee_per_s=200.0)
    kept("other", "2026-01-03T00:00:00+00:00", knee_per_s=900.0, url="http://other/")
    kept("none", "2026-01-04T00:00:00+00:00", knee_per_s=None, status="inconclusive")
    found = newest_basis("http://127.0.0.1:8080/")
    assert found is not None
    assert (found.run, found.rate_per_s) == (newer, 120.0)
    assert newest_basis("http://nobody/") is None


def kept(
    name: str,
    started_at: str,
    knee_per_s: float | None,
    url: str = "http://127.0.0.1:8080/",
    status: str = "found",
) -> str:
    """A run in the history; its id."""
    answer = replace(FOUND.answer, knee_per_s=knee_per_s, status=status)  # type: ignore[arg-type]
    result = replace(
        FOUND,
        id=name,
        answer=answer,
        plan={**FOUND.plan, "target": {"url": url}},
        environment={**FOUND.environment, "started_at": started_at},
    )
    place = Path(__import__("os").environ["BREAKSTEP_RUNS"]) / name
    place.mkdir(parents=True)
    (place / "result.json").write_text(dumps(result))
    return name

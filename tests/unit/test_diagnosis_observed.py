"""What a diagnosis looks at, also when it is little, wrong or hostile."""

from __future__ import annotations

from dataclasses import replace

import labelled
import numpy as np
import pytest
from fakes import record
from hypothesis import given
from hypothesis import strategies as st
from results import result
from stacks import Stack, level

from breakstep.analysis.signals import Series
from breakstep.diagnosis.diagnose import diagnose
from breakstep.diagnosis.observed import Observed, observed_of
from breakstep.model.outcome import OUTCOMES
from breakstep.model.record import Answer, InFlight, StepRecord, Trust
from breakstep.model.signal import Signal
from breakstep.search.controller import Done
from breakstep.store.finding_json import to_section

CPU = Signal("host", "host", "cpu", "share")
ONE = result([record(0, 300.0, "fail", p95_ms=312.0)], Done("floor", ""))


def _series(signal: Signal, at_s: list[float], values: list[float]) -> Series:
    return Series(signal, np.array(at_s, dtype=float), np.array(values, dtype=float))


def test_a_signal_belongs_to_the_step_in_whose_window_it_was_sampled() -> None:
    """The samples of other steps, and those between two, are no part of it."""
    stack = Stack({"servers": "1", "service": "constant:1ms"}, (50.0, 100.0), {})
    outcome, _ = stack.run()
    first, second = outcome.steps
    times = [first.window_from + 1, first.window_to + 1, second.window_from + 1]
    observed = observed_of(outcome, [_series(CPU, times, [0.1, 0.9, 0.3])])
    track = observed.tracks("host", "cpu")[0]
    assert [(p.per_s, p.value) for p in track.points] == [(50.0, 0.1), (100.0, 0.3)]


def test_a_short_window_borrows_from_its_warm_up() -> None:
    """The load was the same; a step cut short after a second was read twice at most."""
    stack = Stack({"servers": "1", "service": "constant:1ms"}, (50.0,), {}, hold_s=1.0)
    outcome, _ = stack.run()
    at_s = outcome.steps[0].window_from - 0.5
    assert observed_of(outcome, [_series(CPU, [at_s], [0.5])]).tracks("host", "cpu")
    cold = replace(outcome, plan={**outcome.plan, "warmup_s": 0.0})
    assert not observed_of(cold, [_series(CPU, [at_s], [0.5])]).tracks("host", "cpu")


def test_a_signal_that_was_read_often_needs_no_warm_up() -> None:
    """In the warm-up of the load that breaks it a pool is still filling up."""
    stack = Stack({"servers": "1", "service": "constant:1ms"}, (50.0,), {}, hold_s=1.0)
    outcome, _ = stack.run()
    begin_s = outcome.steps[0].window_from
    at_s = [begin_s + 0.2 * number for number in range(-5, 5)]
    filling = _series(CPU, at_s, [0.2] * 5 + [1.0] * 5)
    (track,) = observed_of(outcome, [filling]).tracks("host", "cpu")
    assert [point.value for point in track.points] == [1.0]


def test_steps_of_several_runs_are_pooled_by_load() -> None:
    """Each counts as much as it has samples."""
    stack = Stack({"servers": "1", "service": "constant:1ms"}, (50.0, 50.0), {})
    outcome, _ = stack.run()
    first, second = outcome.steps
    times = [first.window_from + 1, first.window_from + 2, second.window_from + 1]
    observed = observed_of(outcome, [_series(CPU, times, [0.1, 0.1, 0.4])])
    assert [p.value for p in observed.tracks("host", "cpu")[0].points] == [pytest.approx(0.2)]


def test_an_agent_whose_clock_was_set_is_still_one_signal() -> None:
    """Its series before and after differ in their offset only."""
    stack = Stack({"servers": "1", "service": "constant:1ms"}, (50.0,), {})
    outcome, _ = stack.run()
    at_s = outcome.steps[0].window_from
    later = replace(CPU, clock_offset_s=0.25)
    both = [_series(CPU, [at_s + 1], [0.1]), _series(later, [at_s + 2], [0.3])]
    points = observed_of(outcome, both).tracks("host", "cpu")[0].points
    assert [point.value for point in points] == [pytest.approx(0.2)]


def test_invalid_steps_are_not_believed() -> None:
    """Neither their load nor their signals count."""
    stack = replace(labelled.event_loop(), change=_all_invalid)
    observed = stack.observed()
    assert not observed.valid
    assert observed.break_per_s is None
    assert diagnose(observed).kind == "not_observed"


def _all_invalid(step: StepRecord) -> StepRecord:
    return replace(step, verdict=replace(step.verdict, name="invalid"))


@pytest.mark.parametrize(
    "observed",
    [
        Observed((), Answer("inconclusive", None, None), Trust("trusted")),
        observed_of(ONE, []),
        observed_of(replace(ONE, runs=()), []),
        observed_of(ONE, [_series(CPU, [], [])]),
        observed_of(replace(ONE, plan={}, environment={}), []),
        observed_of(replace(ONE, plan={"target": 5, "warmup_s": "x"}), []),
    ],
    ids=["nothing", "one-step", "no-steps", "no-samples", "no-plan", "odd-plan"],
)
def test_little_is_no_crash(observed: Observed) -> None:
    """Nothing named, and something said."""
    finding = diagnose(observed)
    assert finding.kind == "not_observed"
    assert finding.says


def test_a_single_step_that_failed_can_still_show_a_full_resource() -> None:
    """Without lighter loads there is no forecast and no onset: less than sure."""
    finding = diagnose(replace(labelled.event_loop(), loads=(200.0,)).observed())
    assert (finding.kind, finding.confidence) == ("event_loop", "medium")


@pytest.mark.parametrize("lie", [np.nan, np.inf, -np.inf, 1e308, -1e300, -5.0, 0.0])
@pytest.mark.parametrize("name", ["event_loop", "database_cpu", "io_workers", "garbage_collection"])
def test_probes_that_lie_crash_nothing(name: str, lie: float) -> None:
    """Whatever they deliver in place of numbers, in every signal or in one."""
    outcome, series = getattr(labelled, name)().run()
    everywhere = [Series(s.signal, s.at_s, np.full_like(s.values, lie)) for s in series]
    now_and_then = [_spoilt(s, lie) for s in series]
    for lies in (everywhere, now_and_then):
        section = to_section(diagnose(observed_of(outcome, lies)))
        assert all(np.isfinite(row["value"]) for row in section["evidence"])


def _spoilt(series: Series, lie: float) -> Series:
    values = series.values.copy()
    values[::7] = lie
    return Series(series.signal, series.at_s, values)


def test_now_and_then_a_lie_does_not_change_the_finding() -> None:
    """What is no number is passed over."""
    outcome, series = labelled.event_loop().run()
    finding = diagnose(observed_of(outcome, [_spoilt(s, float("nan")) for s in series]))
    assert (finding.kind, finding.confidence) == ("event_loop", "high")


KINDS = ("host", "process", "node", "postgres", "php-fpm", "listen", "go", "cgroup", "nginx")
NAMES = (
    "cpu",
    "cpu{core=0}",
    "busiest_thread",
    "loop_utilisation",
    "active",
    "workers",
    "queue",
    "queue_limit",
    "gc",
    "gomaxprocs",
    "quota",
    "pool_busy{pool=pg}",
    "pool_size{pool=pg}",
    "pool_waiting{pool=pg}",
    "listen_overflows",
    "accept_queue",
    "accept_queue_limit",
    "transactions",
    "connections",
    "max_connections",
    "errors{says=\x1b[31m}",
    "throttled_periods",
)
_DRAWN = st.tuples(
    st.sampled_from(KINDS),
    st.sampled_from(NAMES),
    st.lists(st.floats(0.0, 2.0) | st.floats(), min_size=6, max_size=6),
)


@given(drawn=st.lists(_DRAWN, max_size=12))
def test_any_signals_give_a_finding(drawn: list[tuple[str, str, list[float]]]) -> None:
    """Any value of any signal at any load: a finding with finite numbers, never an exception."""
    series = [
        _series(
            Signal(f"{kind}:x", kind, name, "share"),
            [step.window_from + 1.0 for step in LADDER.steps],
            values,
        )
        for kind, name, values in drawn
    ]
    finding = diagnose(observed_of(LADDER, series))
    assert all(np.isfinite(row.value) for row in finding.evidence)


LADDER = result(
    [
        record(0, 50.0),
        record(1, 100.0),
        record(2, 150.0),
        record(3, 200.0),
        record(4, 250.0),
        record(5, 300.0, "fail", p95_ms=312.0, queue="growing"),
    ],
    Done("broken", ""),
)

_STEPS = st.builds(
    lambda load, verdict, ok, statuses, flight: replace(
        record(0, load, verdict),
        arrivals=100,
        ok=ok,
        outcomes={**dict.fromkeys(OUTCOMES, 0), "ok": ok, "http_error": 100 - ok},
        statuses=statuses,
        in_flight=InFlight(flight, int(flight), 0, int(flight)),
        completed_per_s=flight,
    ),
    st.floats(0.001, 1e6),
    st.sampled_from(["pass", "fail", "undecided", "invalid"]),
    st.integers(0, 100),
    st.dictionaries(st.integers(100, 599), st.integers(0, 100), max_size=3),
    st.floats(0.0, 1e6),
)


@given(steps=st.lists(_STEPS, max_size=6))
def test_any_steps_give_a_finding(steps: list[StepRecord]) -> None:
    """Any history, also one that no service would have."""
    numbered = [replace(step, index=k) for k, step in enumerate(steps)]
    outcome = result(numbered, Done("interrupted", ""))
    series = [_series(CPU, [step.window_from for step in numbered], [0.99] * len(numbered))]
    assert diagnose(observed_of(outcome, series)).says


def test_a_remote_target_is_not_taken_for_local() -> None:
    """Then the cores of this machine are no limit of the service."""
    stack = replace(
        labelled.event_loop(),
        plan={"target": {"addresses": ["10.0.0.5"]}, "warmup_s": 2.0},
        signals={("process:node", "process", "cpu", "cores"): level(2.0)},
    )
    observed = stack.observed()
    assert not observed.local
    assert diagnose(observed).kind == "not_observed"

"""An hour of a run, made up: steps, seconds, response times and signals, for tests of reports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from fakes import WINDOW_FROM, record
from results import result

from breakstep.analysis.signals import Series
from breakstep.model.signal import Signal, labelled
from breakstep.search.controller import Done
from breakstep.store.intervals_csv import IntervalRow
from breakstep.store.recorded import Recorded
from breakstep.store.response_columns import BUCKETS, COLUMNS_MAX, ResponseColumn

if TYPE_CHECKING:
    from breakstep.model.record import Result, StepRecord

HOUR_S = 3600
STEP_S = 60
SAMPLES_PER_S = 5
SIGNALS = 80


def hour() -> tuple[Result, Recorded]:
    """The result of an hour of steps, and what was recorded of it."""
    generator = np.random.default_rng(1)
    steps = [_step(index) for index in range(HOUR_S // STEP_S)]
    recorded = Recorded(
        rows=tuple(_row(second) for second in range(HOUR_S)),
        series=tuple(_series(number, generator) for number in range(SIGNALS)),
        columns=tuple(_column(number, generator) for number in range(COLUMNS_MAX)),
    )
    return result(steps, Done("broken", "")), recorded


def _step(index: int) -> StepRecord:
    step = record(index, 100.0 + 10.0 * index, "fail" if index % 7 == 6 else "pass")
    start = WINDOW_FROM + STEP_S * index + 5.0
    return replace(step, window_from=start, window_to=start + STEP_S - 5.0)


def _row(second: int) -> IntervalRow:
    step, within = divmod(second, STEP_S)
    p50_ms = 10.0 + step + 0.1 * (second % 13)
    return IntervalRow(
        from_s=WINDOW_FROM + second,
        to_s=WINDOW_FROM + second + 1.0,
        run=0,
        step=step,
        phase="warmup" if within < 5 else "hold",
        arrivals=100 + 10 * step,
        failed=second % 11,
        completed=95 + 10 * step,
        response_p50_ms=p50_ms,
        response_p95_ms=3.0 * p50_ms,
        response_p99_ms=4.0 * p50_ms,
        response_max_ms=9.0 * p50_ms,
        in_flight_end=second % 40,
    )


def _series(number: int, generator: np.random.Generator) -> Series:
    """Noise: nothing repeats, so no drawing is small by chance."""
    at_s = WINDOW_FROM + np.arange(HOUR_S * SAMPLES_PER_S) / SAMPLES_PER_S
    signal = Signal(f"probe{number % 7}", "process", labelled(f"signal{number}"), "cores")
    return Series(signal, at_s, generator.random(len(at_s)))


def _column(number: int, generator: np.random.Generator) -> ResponseColumn:
    counts = np.zeros(BUCKETS, dtype=np.int64)
    counts[35:65] = generator.integers(0, 300, 30)
    length_s = HOUR_S / COLUMNS_MAX
    start = WINDOW_FROM + number * length_s
    return ResponseColumn(start, start + length_s, counts)

"""Levels and whole sweeps for tests."""

from dataclasses import replace

from fakes import WINDOW_FROM, FakeHistogram, trust_of

from breakstep.analysis.closed_laws import Closed, laws
from breakstep.analysis.durations import summarise
from breakstep.analysis.throughput_knee import throughput_knee
from breakstep.analysis.usl import Point, fit_usl
from breakstep.model.outcome import OUTCOMES
from breakstep.model.record import Answer, Generator, InFlight, Result
from breakstep.model.sweep import Comparison, Level, Side, Sweep
from breakstep.model.units import NS_PER_S
from breakstep.store.sweep_json import to_section

HOLD_S = 5.0
RESAMPLES = 20


def level(
    concurrency: int,
    per_s: float,
    *,
    think_s: float = 0.0,
    failed: int = 0,
    trust: str = "trusted",
) -> Level:
    """A level of five seconds whose responses take exactly what the closed model demands."""
    response_s = concurrency / per_s - think_s
    spread = FakeHistogram(
        round(response_s * NS_PER_S * factor) for factor in (0.9, 0.95, 1.0, 1.05, 1.1)
    )
    times = summarise(spread)
    arrivals = round(per_s * HOLD_S)
    flying = per_s * response_s
    return Level(
        index=0,
        concurrency=concurrency,
        arrivals=arrivals,
        ok=arrivals - failed,
        outcomes={**dict.fromkeys(OUTCOMES, 0), "ok": arrivals - failed, "http_error": failed},
        statuses={200: arrivals - failed, 503: failed},
        causes={},
        completed_per_s=per_s,
        response_ms=times,
        service_ms=times,
        lateness_ms=times,
        in_flight=InFlight(flying, concurrency, concurrency, concurrency),
        laws=laws(Closed(concurrency, think_s, HOLD_S, per_s, response_s, flying)),
        connections=concurrency,
        connections_opened=0,
        generator=Generator(0.1, 0.1, 0.0),
        window_from=WINDOW_FROM,
        window_to=WINDOW_FROM + HOLD_S,
        cut_short=None,
        trust=trust_of(trust),
    )


def swept(*levels: Level, think_s: float = 0.0) -> Sweep:
    """What a sweep makes of these levels."""
    usable = [found for found in levels if found.unusable is None]
    return Sweep(
        think_ms=1000.0 * think_s,
        levels=tuple(replace(found, index=index) for index, found in enumerate(levels)),
        stop_reason="done",
        why="every level was measured",
        knee=throughput_knee(levels),
        usl=fit_usl([Point(x.concurrency, x.completed_per_s) for x in usable], RESAMPLES),
        compare_open=None,
        notes=(),
    )


def four_servers() -> Sweep:
    """Four servers of 5 ms: 800/s from four users on."""
    powers = (2**k for k in range(8))
    return swept(*(level(n, min(200.0 * n, 800.0)) for n in powers))


def shared_service() -> Sweep:
    """A service that follows the law: α 0.05, β 0.0005, γ 100/s, peak at 44 users."""
    powers = (2**k for k in range(8))
    return swept(*(level(n, 100 * n / (1 + 0.05 * (n - 1) + 5e-4 * n * (n - 1))) for n in powers))


def compared() -> Sweep:
    """A hundred users who think 200 ms at a server that carries 200/s, as both models."""
    found = swept(level(20, 97.6, think_s=0.2), level(100, 200.0, think_s=0.2), think_s=0.2)
    closed = found.levels[-1]
    slow = summarise(FakeHistogram([1_000_000_000, 4_000_000_000, 5_000_000_000]))
    comparison = Comparison(
        concurrency=100,
        think_ms=200.0,
        unloaded_ms=5.0,
        nominal_per_s=487.8,
        window_s=HOLD_S,
        not_sent=1439,
        closed=Side(200.0, closed.arrivals, closed.ok, 0, closed.response_ms),
        open=Side(470.0, 2440, 2040, 400, slow),
        trust=trust_of(),
    )
    return replace(found, compare_open=comparison)


def result_of(sweep: Sweep) -> Result:
    """The result that holds it."""
    return Result(
        id="20260102T030405Z-1a2b3c",
        command="sweep",
        plan={"target": {"url": "http://127.0.0.1:8080/"}},
        environment={"breakstep": "0.1.0", "cores": 2},
        runs=(),
        answer=Answer("found", None, None, capacity_per_s=sweep.knee.highest_per_s),
        trust=trust_of(),
        sections={"sweep": to_section(sweep)},
    )

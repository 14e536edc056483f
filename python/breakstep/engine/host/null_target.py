"""How much this machine can generate, measured on a server that does nothing."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from breakstep._engine import Engine, Segment, Tally, request_bytes
from breakstep.engine.generator import drain
from breakstep.engine.step_runner import LEAD_NS, LOOK_NS
from breakstep.model.errors import EngineError
from breakstep.model.plan import Plan
from breakstep.model.units import NS_PER_MS, NS_PER_S

CONCURRENCY = 64
WARMUP_NS = 500 * NS_PER_MS
SOON_NS = NS_PER_S
"""A server that does nothing has answered by then."""


@dataclass(frozen=True, slots=True)
class Generated:
    """What one worker reached. `generator_share` is of its core; below 1 the server was the limit.

    `request_cpu_ns` is the generator's CPU time a request at full speed.
    """

    rate_per_s: float
    generator_share: float
    request_cpu_ns: float


@dataclass(frozen=True, slots=True)
class Carried:
    """What became of an open load: arrivals, those answered ok, the p99 of all response times."""

    arrivals: int
    ok: int
    p99_ns: int


def carry(
    plan: Plan, rate_per_s: float, length_ns: int, stopping: Callable[[], bool]
) -> Carried | None:
    """Offers the rate with the workers, cores and arrivals of the plan; None if stopped before.

    The server speaks HTTP in plain text, whatever the plan's target does. Raises EngineError.
    """
    with _null_target(plan.pin) as address:
        engine = Engine(
            address=address,
            request=request_bytes("GET", "/", address, (), b"", keep_alive=True),
            workers=plan.workers,
            pin=plan.pin,
            spin=plan.spin,
            timeout_ns=SOON_NS,
        )
        try:
            engine.start()
            start_ns = engine.now_ns() + LEAD_NS
            for from_ns, duration_ns in ((start_ns, WARMUP_NS), (start_ns + WARMUP_NS, length_ns)):
                engine.append(
                    Segment(
                        start_ns=from_ns,
                        duration_ns=duration_ns,
                        from_per_s=rate_per_s,
                        to_per_s=rate_per_s,
                        arrivals=plan.arrivals,
                        seed=plan.seed,
                    )
                )
            tally = _held(engine, start_ns + WARMUP_NS + length_ns + SOON_NS, stopping)
        except OSError as error:
            raise EngineError(f"the load generator cannot start: {error}") from error
        finally:
            engine.stop()
    if tally is None or tally.arrivals == 0:
        return None
    return Carried(tally.arrivals, tally.outcomes["ok"], tally.response().quantile_ns(0.99))


def generate(
    cores: Sequence[int], length_ns: int, stopping: Callable[[], bool]
) -> Generated | None:
    """Closed load for `length_ns` after a short warm-up; None if stopped before.

    The server is a process of its own, on other cores than `cores` if there are any.
    Raises EngineError if it does not start.
    """
    with _null_target(cores) as address:
        engine = Engine(
            address=address,
            request=request_bytes("GET", "/", address, (), b"", keep_alive=True),
            pin=cores,
        )
        try:
            engine.start()
            return _measured(engine, length_ns, stopping)
        except OSError as error:
            raise EngineError(f"the load generator cannot start: {error}") from error
        finally:
            engine.stop()


def _measured(engine: Engine, length_ns: int, stopping: Callable[[], bool]) -> Generated | None:
    start_ns = engine.now_ns() + LEAD_NS
    for from_ns, duration_ns in ((start_ns, WARMUP_NS), (start_ns + WARMUP_NS, length_ns)):
        engine.append(Segment(start_ns=from_ns, duration_ns=duration_ns, concurrency=CONCURRENCY))
    tally = _held(engine, start_ns + WARMUP_NS + length_ns + LOOK_NS, stopping)
    if tally is None:
        return None
    return Generated(
        rate_per_s=tally.completed * NS_PER_S / length_ns,
        generator_share=tally.cpu_ns / length_ns,
        request_cpu_ns=tally.cpu_ns / max(1, tally.completed),
    )


def _held(engine: Engine, until_ns: int, stopping: Callable[[], bool]) -> Tally | None:
    """What happened in the second segment."""
    tally = Tally()
    while engine.now_ns() < until_ns:
        for interval in drain(engine, LOOK_NS):
            if interval.segment == 1:
                tally.merge(interval.tally)
        if stopping():
            return None
    return tally


@contextmanager
def _null_target(cores: Sequence[int]) -> Iterator[str]:
    """The address of a server without service time, `IP:PORT`."""
    command = [sys.executable, "-m", "breakstep", "target", "--service", "0"]
    with (
        _elsewhere(cores),
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,  # noqa: S603
    ):
        try:
            first = server.stdout.readline() if server.stdout else ""
            if "listening on " not in first:
                raise EngineError("the null target did not start; see the lines above")
            yield first.strip().rpartition("//")[2]
        finally:
            server.terminate()


@contextmanager
def _elsewhere(cores: Sequence[int]) -> Iterator[None]:
    """Keeps this thread, and the children it starts, off these cores if others are left."""
    allowed = os.sched_getaffinity(0)
    others = allowed - set(cores)
    if cores and others:
        os.sched_setaffinity(0, others)
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)

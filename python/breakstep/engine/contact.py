"""One user with a pause between requests: whether the target answers, how fast without load.

Used before the first step, and after a failed one until the target is as fast as it was.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from breakstep._engine import Engine, Segment, Tally
from breakstep.engine.generator import drain, start_engine
from breakstep.engine.step_runner import LEAD_NS, LOOK_NS
from breakstep.model.plan import Plan, Scenario
from breakstep.model.units import NS_PER_MS, NS_PER_S

THINK_NS = 10 * NS_PER_MS
ROUND_NS = NS_PER_S
SINGLE_NS = NS_PER_MS
"""Over before its one user has thought."""
ENOUGH = 5
ROUNDS_MAX = 10
RECOVERED_FACTOR = 2
"""Below one more service time in the queue, so that a busy target is not taken for a free one."""


@dataclass(frozen=True, slots=True)
class Contact:
    """What the requests met. `median_ns` is of the ok answers, None without any."""

    tally: Tally
    median_ns: int | None


def first_contact(engine: Engine, stopping: Callable[[], bool]) -> Contact:
    """Sends requests one at a time for a second, longer if the target is slow but answers.

    Raises EngineError.
    """
    tally = Tally()
    for _ in range(ROUNDS_MAX):
        _round(engine, tally, stopping)
        if stopping() or not tally.statuses or _ended(tally) >= ENOUGH:
            break
    return _contact(tally)


def one_request(engine: Engine, stopping: Callable[[], bool]) -> None:
    """Sends one, and waits until it has ended. Raises EngineError."""
    _offer(engine, Tally(), stopping, SINGLE_NS, NS_PER_S)


def ask_each(plan: Plan, stopping: Callable[[], bool]) -> Iterator[tuple[Scenario, Tally]]:
    """Sends each request of the plan once, one after another, and tells what became of it.

    Raises EngineError.
    """
    for scenario in plan.scenarios:
        if stopping():
            return
        # An engine of its own: in a mix nobody can say beforehand when a request's turn comes.
        alone = replace(plan, scenarios=(scenario,), workers=1, pin=())
        engine, tally = start_engine(alone, 1), Tally()
        try:
            _offer(engine, tally, stopping, SINGLE_NS, NS_PER_S)
        finally:
            engine.stop()
        yield scenario, tally


def settle(engine: Engine, unloaded_ns: int, stopping: Callable[[], bool]) -> bool:
    """Waits until the target is about as fast as unloaded; False if it is not in ten rounds."""
    for _ in range(ROUNDS_MAX):
        tally = Tally()
        _round(engine, tally, stopping)
        median_ns = _contact(tally).median_ns
        if median_ns is not None and median_ns <= RECOVERED_FACTOR * max(unloaded_ns, NS_PER_MS):
            return True
        if stopping():
            break
    return False


def _round(engine: Engine, tally: Tally, stopping: Callable[[], bool]) -> None:
    _offer(engine, tally, stopping, ROUND_NS, THINK_NS)


def _offer(
    engine: Engine, tally: Tally, stopping: Callable[[], bool], duration_ns: int, think_ns: int
) -> None:
    start_ns = engine.now_ns() + LEAD_NS
    end_ns = start_ns + duration_ns
    engine.append(
        Segment(start_ns=start_ns, duration_ns=duration_ns, concurrency=1, think_ns=think_ns)
    )
    while engine.now_ns() < end_ns or tally.arrivals == 0 or _ended(tally) < tally.arrivals:
        for interval in drain(engine, LOOK_NS):
            tally.merge(interval.tally)
        if stopping():
            return


def _contact(tally: Tally) -> Contact:
    ok = tally.histogram("ok")
    return Contact(tally, ok.quantile_ns(0.5) if ok.count else None)


def _ended(tally: Tally) -> int:
    return sum(tally.outcomes.values())

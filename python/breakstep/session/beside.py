"""Load in the open or the closed model on an engine, and load on another engine beside it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from breakstep._engine import Engine, Tally
from breakstep.engine.ledger import Second
from breakstep.engine.step_runner import Snapshot, StepRunner, Watch
from breakstep.model.errors import BreakstepError
from breakstep.model.interfere import Offer
from breakstep.model.plan import Plan, Step
from breakstep.model.units import NS_PER_S
from breakstep.plan.limits import Machine
from breakstep.search.controller import step_seed
from breakstep.session.closed_level import ClosedLoad, ClosedRunner, whole_seconds
from breakstep.session.stage import engine_for

_ENDLESS_NS = 3600 * NS_PER_S
"""Longer than any load beside another lasts: it is ended when that one is."""


@dataclass(frozen=True, slots=True)
class Watched:
    """What is called while load goes on: every finished second, a look now and then, an end."""

    second: Callable[[Second], None]
    look: Callable[[Snapshot], None]
    stopping: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Taken:
    """What happened in the window of a load. Times are ns on the engine's clock."""

    tally: Tally
    from_ns: int
    to_ns: int
    in_flight_start: int
    in_flight_end: int
    in_flight_max: int
    busiest_worker_cpu_ns: int
    interrupted: bool
    epoch_wall_ns: int

    @property
    def length_s(self) -> float:
        """Of the window; never 0."""
        return max(self.to_ns - self.from_ns, 1) / NS_PER_S


def offer(engine: Engine, plan: Plan, what: Offer, index: int, watched: Watched) -> Taken:
    """Offers a load for the plan's warm-up and hold, until all has ended. Raises EngineError.

    The arrivals of a rate are the same for the same `index`.
    """
    wall_ns = engine.epoch_wall_ns
    if what.connections is not None:
        return _closed(engine, plan, what.connections, (index, wall_ns), watched)
    return _open(engine, plan, what.rate_per_s or 0.0, (index, wall_ns), watched)


def _closed(
    engine: Engine, plan: Plan, connections: int, which: tuple[int, int], watched: Watched
) -> Taken:
    runner = ClosedRunner(
        engine,
        plan.workers,
        plan.timeout_ns,
        lambda _load, second: watched.second(second),
        watched.look,
        watched.stopping,
    )
    load = ClosedLoad(which[0], connections, 0, whole_seconds(plan.warmup_ns), plan.hold_ns)
    found = runner.run(load)
    return Taken(
        found.tally,
        found.from_ns,
        found.to_ns,
        found.in_flight_start,
        found.in_flight_end,
        found.in_flight_max,
        found.busiest_worker_cpu_ns,
        found.interrupted,
        which[1],
    )


def _open(
    engine: Engine, plan: Plan, rate_per_s: float, which: tuple[int, int], watched: Watched
) -> Taken:
    step = Step(
        index=which[0],
        rate_per_s=rate_per_s,
        ramp_from_per_s=0.0,
        ramp_ns=0,
        warmup_ns=whole_seconds(plan.warmup_ns),
        hold_ns=plan.hold_ns,
        seed=step_seed(plan.seed, which[0]),
    )
    runner = StepRunner(engine, plan)
    found = runner.run(step, Watch(watched.second, watched.look, watched.stopping))
    return Taken(
        found.tally,
        found.window.from_ns,
        found.window.to_ns,
        found.window.in_flight_start,
        found.in_flight_end,
        found.in_flight_max,
        found.busiest_worker_cpu_ns,
        found.interrupted,
        which[1],
    )


@dataclass(slots=True)
class Beside:
    """A load in a thread of its own. `taken` is there once it has ended."""

    taken: Taken | None = None
    failure: BreakstepError | None = None
    _end: threading.Event = field(default_factory=threading.Event)

    def run(self, engine: Engine, plan: Plan, what: Offer, index: int) -> None:
        """Offers the load until told to end."""
        watched = Watched(lambda _second: None, lambda _snapshot: None, self._end.is_set)
        try:
            self.taken = offer(engine, plan, what, index, watched)
        except BreakstepError as error:
            self.failure = error

    def end(self) -> None:
        """Tells it to."""
        self._end.set()


@contextmanager
def beside(plan: Plan, what: Offer, index: int, machine: Machine) -> Iterator[Beside]:
    """Load until left, on an engine of its own. Raises what went wrong with it on leaving."""
    endless = replace(plan, hold_ns=_ENDLESS_NS)
    other = Beside()
    with engine_for(endless, machine) as engine:
        thread = threading.Thread(target=other.run, args=(engine, endless, what, index))
        thread.start()
        try:
            yield other
        finally:
            other.end()
            thread.join()
    if other.failure is not None:
        raise other.failure

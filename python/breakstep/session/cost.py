"""`doctor --cost`: requests one after another, and the CPU of each process before and after."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from breakstep._engine import Engine, Tally
from breakstep.analysis.cost import Batch, Cost, Costs, cost_of
from breakstep.analysis.durations import summarise
from breakstep.analysis.trust import trust_of
from breakstep.engine.contact import first_contact
from breakstep.engine.reach import at_its_address
from breakstep.model.errors import ProbeError
from breakstep.model.plan import Plan
from breakstep.model.probe import ProbeSpec
from breakstep.model.record import Check
from breakstep.model.units import NS_PER_S
from breakstep.plan import limits
from breakstep.plan.redact import redact_url
from breakstep.probe.reading import Probe
from breakstep.probe.registry import open_probe
from breakstep.session.closed_level import ClosedLoad, ClosedRunner
from breakstep.session.contact import check_contact
from breakstep.session.stage import engine_for

BATCHES = 10
IDLE_SHARE = 0.15
"""Of the time, to see what the processes take without requests."""
_CPU = "cpu"


def cost(plan: Plan, length_ns: int, stopping: Callable[[], bool]) -> Costs:
    """Measures for about `length_ns`. Raises PlanError, TargetError, ProbeError, EngineError."""
    plan = at_its_address(plan)
    with _opened(plan.probes) as probes, engine_for(plan, limits.read_machine()) as engine:
        contact = first_contact(engine, stopping)
        if not stopping():
            check_contact(plan, contact)
        idle_cores = _idle(probes, round(IDLE_SHARE * length_ns), stopping)
        hold_ns = round((1.0 - IDLE_SHARE) * length_ns / BATCHES)
        books = _Books({label: [] for label in probes})
        for index in range(BATCHES):
            if stopping():
                break
            books.add(probes, engine, plan, ClosedLoad(index, 1, 0, 0, hold_ns), stopping)
    found = tuple(cost_of(label, books.batches[label], idle_cores[label]) for label in probes)
    return _costs(plan, books.tally, found, interrupted=stopping())


@dataclass(slots=True)
class _Books:
    """The batches of each probe, and what became of the requests."""

    batches: dict[str, list[Batch]]
    tally: Tally = field(default_factory=Tally)

    def add(
        self,
        probes: Mapping[str, Probe],
        engine: Engine,
        plan: Plan,
        load: ClosedLoad,
        stopping: Callable[[], bool],
    ) -> None:
        """One batch: nothing is in flight when the counters are read."""
        runner = ClosedRunner(
            engine,
            plan.workers,
            plan.timeout_ns,
            lambda _load, _second: None,
            lambda _snapshot: None,
            stopping,
        )
        before, began_ns = _cpu_s(probes), time.monotonic_ns()
        measured = runner.run(load)
        after, took_ns = _cpu_s(probes), time.monotonic_ns() - began_ns
        if measured.interrupted:
            return
        self.tally.merge(measured.tally)
        for label, batches in self.batches.items():
            used_s = after[label] - before[label]
            batches.append(Batch(measured.tally.arrivals, took_ns / NS_PER_S, used_s))


@contextmanager
def _opened(specs: Sequence[ProbeSpec]) -> Iterator[Mapping[str, Probe]]:
    """The probes by label. Raises ProbeError with the trouble of each."""
    probes, faults = {}, []
    for spec in specs:
        try:
            probes[spec.label] = open_probe(spec)
        except ProbeError as error:
            faults.append(f"--probe {spec.label}: {error}")
    try:
        if faults:
            raise ProbeError("\n".join(faults))
        _cpu_s(probes)
        yield probes
    finally:
        for probe in probes.values():
            with suppress(ProbeError):
                probe.close()


def _cpu_s(probes: Mapping[str, Probe]) -> Mapping[str, float]:
    """The CPU that each has used so far. Raises ProbeError for one that keeps no such counter."""
    return {label: _counter(label, probe) for label, probe in probes.items()}


def _counter(label: str, probe: Probe) -> float:
    for reading in probe.read():
        if reading.name == _CPU and reading.counter:
            return reading.value
    raise ProbeError(f"--probe {label}: it counts no CPU; use process:NAME or cgroup:PATH")


def _idle(
    probes: Mapping[str, Probe], length_ns: int, stopping: Callable[[], bool]
) -> Mapping[str, float]:
    """Cores that each takes while nobody asks."""
    before, began_ns = _cpu_s(probes), time.monotonic_ns()
    while not stopping() and time.monotonic_ns() - began_ns < length_ns:
        time.sleep(0.05)
    after, took_s = _cpu_s(probes), (time.monotonic_ns() - began_ns) / NS_PER_S
    return {label: (after[label] - before[label]) / took_s for label in probes}


def _costs(plan: Plan, tally: Tally, found: tuple[Cost, ...], *, interrupted: bool) -> Costs:
    failed = tally.arrivals - tally.outcomes["ok"]
    share = failed / tally.arrivals if tally.arrivals else 0.0
    says = f"{failed} of {tally.arrivals} requests failed: their cost is not that of an answer"
    checks = [Check("requests_failed", share, 0.0, "noisy", says)] if failed else []
    return Costs(
        url=redact_url(plan.target.url),
        requests=tally.arrivals,
        failed=failed,
        response_p50_ms=summarise(tally.response()).p50,
        costs=found,
        trust=trust_of(checks),
        interrupted=interrupted,
    )

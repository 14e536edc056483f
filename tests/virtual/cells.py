"""Services whose breaking load is known, searched and judged as often as wanted."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from breakstep.analysis.effort import LEISURELY_FROM
from breakstep.analysis.prediction import Prediction, lone_times_ns, predict
from breakstep.analysis.theory import Law, knee_rho
from breakstep.model.plan import Step
from breakstep.model.slo import parse_slo
from breakstep.model.units import NS_PER_MS, NS_PER_S
from breakstep.search.answer import Terms
from breakstep.search.controller import Done, StepShape, step_seed
from breakstep.search.light import Light
from breakstep.search.standard import Standard
from breakstep.search.standard_answer import answer
from breakstep.session.foresight import NARROW
from virtual.service import VirtualService

if TYPE_CHECKING:
    from breakstep.model.plan import Search
    from breakstep.model.record import Answer, StepRecord, VerdictName
    from breakstep.model.slo import Slo

KNEES = Path(__file__).parents[1] / "data" / "reference_knees.json"
SERVICE_MS = 1.0
WARMUP_NS = 2 * NS_PER_S
SHORTEST_NS = NS_PER_S
BRIEF_NS = (NS_PER_S // 20, NS_PER_S // 10)
"""Warm-up and shortest hold of a brief search: the defaults for a service of 20 ms, in ms."""
LAWS: dict[Law, str] = {"M/M": "exponential", "M/D": "constant"}
TABLED = (0.95, 0.99)
FAR_TOO_MANY = 100
TRUTH_ARRIVALS = 4_000_000
"""At each of the rates at which a truth without a formula is simulated."""
TRUTH_SEED = 9_000
LIGHT_SEEDS = 5_000
"""Beyond those of searches."""


@dataclass(frozen=True)
class Cell:
    """Poisson arrivals at servers with a service of 1 ms on average, and one SLO."""

    law: Law
    servers: int
    slo_over_service: int
    quantile: float
    discipline: str = "fcfs"

    def __str__(self) -> str:
        shared = "" if self.discipline == "fcfs" else f" {self.discipline}"
        name = f"{self.law}/{self.servers}{shared}"
        return f"{name} p{100 * self.quantile:g} T/D={self.slo_over_service}"

    @property
    def slo(self) -> Slo:
        """A bound of some services' length on the quantile."""
        return parse_slo(f"p{100 * self.quantile:g}<{self.slo_over_service * SERVICE_MS:g}ms")

    @property
    def capacity_per_s(self) -> float:
        """All servers busy all the time."""
        return self.servers * 1000.0 / SERVICE_MS

    @property
    def rho(self) -> float:
        """The utilisation at the knee: from the reference table, from theory, or simulated."""
        if self.discipline != "fcfs":
            return simulated_rho(self)
        if self.quantile not in TABLED:
            return knee_rho(self.law, self.servers, self.quantile, self.slo_over_service) or 0.0
        key = (self.quantile, self.slo_over_service, self.servers)
        rows = json.loads(KNEES.read_text())["rows"]
        found = (r for r in rows if (r["quantile"], r["slo_over_service"], r["servers"]) == key)
        return float(next(found)[f"{self.law}/c"])

    @property
    def knee_per_s(self) -> float:
        """The true breaking load."""
        return self.rho * self.capacity_per_s

    def service(self) -> VirtualService:
        """A fresh one."""
        flags = {
            "servers": str(self.servers),
            "service": f"{LAWS[self.law]}:{SERVICE_MS:g}ms",
            "discipline": self.discipline,
        }
        return VirtualService(flags, (self.slo,))


@cache
def simulated_rho(cell: Cell) -> float:
    """Where ln P(bad) crosses what is allowed, by long runs around it: for want of a formula."""
    low, high = 0.05, 0.99
    for points, arrivals in ((9, TRUTH_ARRIVALS // 8), (5, TRUTH_ARRIVALS)):
        rhos = np.linspace(low, high, points)
        logs = [log(_share(cell, float(rho), arrivals)) for rho in rhos]
        above = next(index for index, value in enumerate(logs) if value > log(1.0 - cell.quantile))
        low, high = float(rhos[max(0, above - 1)]), float(rhos[above])
    return float(np.interp(log(1.0 - cell.quantile), logs, rhos))


def _share(cell: Cell, rho: float, arrivals: int) -> float:
    rate = rho * cell.capacity_per_s
    step = step_at(rate, (round(arrivals / rate * NS_PER_S),), TRUTH_SEED)
    rows = cell.service().hold(step, step.hold_ns).rows
    return max(1.0, float(np.count_nonzero(rows.response_ns > cell.slo.bound_ns))) / len(rows)


TAILS = (Cell("M/M", 1, 10, 0.999), Cell("M/M", 8, 10, 0.999), Cell("M/D", 8, 5, 0.999))
SHARED = (Cell("M/M", 1, 10, 0.95, "ps"), Cell("M/M", 8, 10, 0.95, "ps"))
CELLS = tuple(
    Cell(law, servers, bound, quantile)
    for law, servers, bound, quantile in product(LAWS, (1, 8), (5, 10), (0.95, 0.99))
)


@dataclass(frozen=True)
class Searched:
    """A whole search and its answer."""

    history: list[StepRecord]
    done: Done
    answer: Answer
    offered: int

    @property
    def held_s(self) -> float:
        """Seconds of holds."""
        return sum(step.window_to - step.window_from for step in self.history)

    def error(self, knee_per_s: float) -> float:
        """Of the knee, relative; infinite without one."""
        found = self.answer.knee_per_s
        return float("inf") if found is None else found / knee_per_s - 1.0

    def covers(self, knee_per_s: float) -> bool:
        """Whether the true knee lies in the interval."""
        interval = self.answer.knee_interval_per_s
        return interval is not None and interval[0] <= knee_per_s <= interval[1]


def searcher(load: Search, from_per_s: float, seed: int) -> Standard:
    """The controller as a plan would make it."""
    brief = load.first_look < LEISURELY_FROM
    warmup_ns, shortest_ns = BRIEF_NS if brief else (WARMUP_NS, SHORTEST_NS)
    shape = StepShape(0, warmup_ns, shortest_ns, seed)
    return Standard(from_per_s, load.to_per_s, load.first_look, load.looks, load.width, shape)


def search(service: VirtualService, controller: Standard) -> Searched:
    """Runs the search to its end."""
    history: list[StepRecord] = []
    for _ in range(FAR_TOO_MANY):
        step = controller.next_step(history)
        if isinstance(step, Done):
            terms = Terms(tuple(service.slos), assumed=False, arrivals=service.arrivals)
            found = answer(controller, history, step, terms)
            return Searched(history, step, found, service.offered)
        history.append(service.run(step))
    msg = "the search did not end"
    raise AssertionError(msg)


def search_cell(cell: Cell, load: Search, seed: int) -> Searched:
    """From nine hundredths of the capacity: no load of the search is the knee by accident."""
    return search(cell.service(), searcher(load, 0.09 * cell.capacity_per_s, seed))


def search_foretold(cell: Cell, load: Search, seed: int) -> Searched:
    """As with `--servers`: light loads, and a search around a narrow prediction from them."""
    foretold, light = foretell(cell, seed)
    controller = searcher(load, 0.09 * cell.capacity_per_s, seed)
    if isinstance(foretold, Prediction) and is_narrow(foretold):
        controller = replace(controller, foretold_per_s=foretold.interval_per_s)
    found = search(cell.service(), controller)
    return replace(found, offered=found.offered + light)


def is_narrow(foretold: Prediction | str) -> bool:
    """Whether a search would begin around it."""
    if isinstance(foretold, str):
        return False
    low, high = foretold.interval_per_s
    return high <= low * (1.0 + NARROW)


def foretell(cell: Cell, seed: int) -> tuple[Prediction | str, int]:
    """The prediction, and the arrivals of the light loads it was made from."""
    shape, service = StepShape(0, WARMUP_NS, SHORTEST_NS, LIGHT_SEEDS + seed), cell.service()
    controller = Light(cell.servers, round(SERVICE_MS * NS_PER_MS), shape)
    history: list[StepRecord] = []
    rows = []
    while not isinstance(step := controller.next_step(history), Done):
        rows.append(service.hold(step, step.hold_ns).rows)
        history.append(service.run(step))
    return predict(lone_times_ns(rows), cell.slo, cell.servers, seed), service.offered


def judge_cell(cell: Cell, times_knee: float, load: Search, seed: int) -> StepRecord:
    """One step of the search's looks at a multiple of the true knee."""
    rate = times_knee * cell.knee_per_s
    looks_ns = tuple(
        round(load.first_look * 2**number / rate * NS_PER_S) for number in range(load.looks)
    )
    return cell.service().run(step_at(rate, looks_ns, seed))


def step_at(rate_per_s: float, looks_ns: tuple[int, ...], seed: int) -> Step:
    """A step that is judged at these looks."""
    return Step(
        index=seed,
        rate_per_s=rate_per_s,
        ramp_from_per_s=0.0,
        ramp_ns=0,
        warmup_ns=WARMUP_NS,
        hold_ns=looks_ns[-1],
        seed=step_seed(7, seed),
        looks_ns=looks_ns,
    )


def verdicts(cell: Cell, times_knee: float, load: Search, runs: int) -> dict[VerdictName, int]:
    """How often each verdict was given."""
    seen: dict[VerdictName, int] = {"pass": 0, "fail": 0, "undecided": 0}
    for seed in range(runs):
        seen[judge_cell(cell, times_knee, load, seed).verdict.name] += 1
    return seen

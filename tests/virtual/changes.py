"""Changes of a service whose size is known, judged as often as wanted, in no time at all."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from breakstep.analysis.comparison import block_of, compare
from breakstep.model.plan import Step
from breakstep.model.units import NS_PER_S
from breakstep.search.controller import step_seed
from virtual.service import VirtualService

if TYPE_CHECKING:
    from breakstep.model.check import Block, Side
    from breakstep.model.record import VerdictName

PAIRS = 10
LOSS = 0.15
TAIL = 0.95
WARMUP_PART = 0.25
"""Of the hold: a fifth of a block."""
SIDES: tuple[Side, Side] = ("base", "head")


@dataclass(frozen=True)
class Scene:
    """Poisson arrivals at a service, and how much the blocks differ for no reason of ours.

    `law` has a place for the mean in ms. `noise` is the standard deviation of ln of a block's own
    speed: what a host does to it.
    """

    name: str
    law: str
    servers: int
    mean_ms: float
    rho: float
    per_block: int
    noise: float = 0.0
    discipline: str = "fcfs"

    @property
    def rate_per_s(self) -> float:
        """Of the load, from the utilisation of the base."""
        return self.rho * self.servers * 1_000.0 / self.mean_ms


def verdict(scene: Scene, slower: float, seed: int) -> VerdictName:
    """Of one check of a head that takes this many times as long."""
    return compare(_blocks(scene, slower, seed), LOSS, TAIL).verdict


def verdicts(scene: Scene, slower: float, checks: int) -> Counter[VerdictName]:
    """How often each was given."""
    return Counter(verdict(scene, slower, seed) for seed in range(checks))


def _blocks(scene: Scene, slower: float, seed: int) -> list[Block]:
    chance = np.random.default_rng([seed, round(1_000 * slower)])
    return [
        _block(scene, scene.mean_ms * factor * float(np.exp(scene.noise * wobble)), at)
        for pair, wobbles in enumerate(chance.standard_normal((PAIRS, 2)))
        for side, factor, wobble in zip(SIDES, (1.0, slower), wobbles, strict=True)
        for at in [(seed, pair, side)]
    ]


def _block(scene: Scene, mean_ms: float, at: tuple[int, int, Side]) -> Block:
    """Both sides of a pair have the same arrivals, and service times of their own."""
    seed, pair, side = at
    hold_ns = round(scene.per_block / scene.rate_per_s * NS_PER_S)
    step = Step(
        index=pair,
        rate_per_s=scene.rate_per_s,
        ramp_from_per_s=0.0,
        ramp_ns=0,
        warmup_ns=round(WARMUP_PART * hold_ns),
        hold_ns=hold_ns,
        seed=step_seed(seed, pair),
    )
    service = VirtualService(
        {
            "servers": str(scene.servers),
            "service": scene.law.format(mean_ms),
            "discipline": scene.discipline,
        },
        (),
        at=lambda _: {"seed": str(step_seed(step.seed, SIDES.index(side)))},
    )
    return block_of(service.hold(step, hold_ns).rows, pair, side, TAIL)

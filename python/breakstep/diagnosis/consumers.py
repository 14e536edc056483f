"""The programs whose CPU was sampled, each once, and the generator beside them."""

from collections.abc import Sequence
from dataclasses import dataclass

from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.roles import Role, machine_of, role_of
from breakstep.diagnosis.track import Track
from breakstep.model.signal import label_of

ALIKE = 0.25
"""Two probes of one program agree to so much of what they say it used."""


@dataclass(frozen=True, slots=True)
class Consumer:
    """A program whose CPU was sampled, in cores."""

    source: str
    kind: str
    role: Role
    cpu: Track


def consumers(observed: Observed) -> tuple[Consumer, ...]:
    """Each program once; of two probes of one program the first in this order counts."""
    found: list[Consumer] = []
    for kind in ("process", "postgres", "redis", "node"):
        whole = (track for track in observed.tracks(kind, "cpu") if not label_of(track.name))
        found += [Consumer(t.source, kind, _role(observed, t), t) for t in whole]
    return tuple(one for k, one in enumerate(found) if not _again(observed, one, found[:k]))


def of_machine(observed: Observed, machine: str) -> tuple[Consumer, ...]:
    """The programs of a machine, the generator among them."""
    every = (*consumers(observed), *generator_of(observed))
    return tuple(one for one in every if machine_of(one.source) == machine)


def generator_of(observed: Observed) -> tuple[Consumer, ...]:
    """The generator itself, where the target runs on its machine."""
    if not observed.local:
        return ()
    shares = {k: seen.step.generator.cpu_share for k, seen in enumerate(observed.valid)}
    cpu = observed.of_steps("generator cpu", "cores", shares)
    return (Consumer("generator", "generator", "generator", cpu),)


def by_use(observed: Observed, known: Sequence[Consumer]) -> list[Consumer]:
    """Those that used most first."""
    return sorted(known, key=lambda one: -use(observed, one))


def use(observed: Observed, one: Consumer) -> float:
    """The cores that a program used at the break, the most."""
    top = one.cpu.top(observed.break_per_s or 0.0)
    return 0.0 if top is None else top.value


def _role(observed: Observed, track: Track) -> Role:
    if track.kind in ("postgres", "redis"):
        return "database"
    return "app" if track.kind == "node" else role_of(observed, track.source)


def _again(observed: Observed, one: Consumer, before: Sequence[Consumer]) -> bool:
    """Whether a process probe watches the same program; told by what they use."""
    return any(
        other.role == one.role
        and other.kind == "process" != one.kind
        and _alike(observed, one.cpu, other.cpu)
        for other in before
    )


def _alike(observed: Observed, one: Track, other: Track) -> bool:
    """Within a quarter of one another where the load was highest."""
    break_per_s = observed.break_per_s or 0.0
    here, there = one.top(break_per_s), other.top(break_per_s)
    if here is None or there is None:
        return True
    return abs(here.value - there.value) <= ALIKE * max(here.value, there.value)

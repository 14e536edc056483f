"""What the runs themselves show of an app's connections, for what was not said.

    max_connections   what PostgreSQL grants to everybody but superusers, and our probe's own
    pool              the sizes of the app's pools together, as its runtime reports them
    held              connections in use / completed requests a second, at the highest load held

The last is Little's law. Pools of connections to other HTTP servers are none of a database.
"""

from collections.abc import Sequence
from dataclasses import replace

from breakstep.analysis.step_signals import StepSignal, step_signals
from breakstep.model.capacity import DatabaseTerms
from breakstep.model.record import Result
from breakstep.model.signal import base_name, label_of
from breakstep.model.units import NS_PER_S

OUR_OWN = 1
"""The probe leaves the connection that it holds out of `max_connections`; later it is gone."""


def completed_terms(terms: DatabaseTerms, result: Result) -> DatabaseTerms:
    """The terms, with what the run shows in place of what was not said."""
    signals = step_signals(result)
    if terms.max_connections is None and (most := _most_connections(signals)) is not None:
        terms = _seen(terms, max_connections=most, reserved=terms.reserved or 0)
    if terms.pool is None and (pool := _pool(signals)) is not None:
        terms = _seen(terms, pool=pool, processes=1)
    if terms.held_ns is None and (held_ns := _held_ns(signals)) is not None:
        terms = _seen(terms, held_ns=held_ns)
    return terms


def _seen(terms: DatabaseTerms, **shown: int) -> DatabaseTerms:
    """The terms with what the run showed; the first of it is what it is called by."""
    return replace(terms, **shown, seen=(*terms.seen, next(iter(shown))))


def _most_connections(signals: Sequence[StepSignal]) -> int | None:
    found = [s.mean for s in signals if (s.kind, s.name) == ("postgres", "max_connections")]
    return round(min(found)) + OUR_OWN if found else None


def _pool(signals: Sequence[StepSignal]) -> int | None:
    sizes: dict[tuple[str, str], float] = {}
    for signal in signals:
        if _of_pool(signal, "pool_size"):
            key = (signal.source, signal.name)
            sizes[key] = max(sizes.get(key, 0.0), signal.max)
    return round(sum(sizes.values())) or None


def _held_ns(signals: Sequence[StepSignal]) -> int | None:
    busy = [
        signal
        for signal in signals
        if _of_pool(signal, "pool_busy") and signal.step.verdict.name == "pass"
    ]
    highest = max((signal.step.offered_per_s for signal in busy), default=0.0)
    at = [s for s in busy if s.step.offered_per_s == highest and s.step.completed_per_s > 0.0]
    if not at:
        return None
    steps = {s.step.index for s in at}
    return round(sum(s.mean / s.step.completed_per_s for s in at) / len(steps) * NS_PER_S)


def _of_pool(signal: StepSignal, name: str) -> bool:
    """Whether it is this number of a pool of database connections."""
    if signal.kind != "node" or base_name(signal.name) != name:
        return False
    return not label_of(signal.name).startswith("pool=undici")

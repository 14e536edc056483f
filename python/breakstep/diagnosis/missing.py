"""Which hypotheses could not be tried, and the probe that each would have needed."""

from collections.abc import Sequence
from dataclasses import dataclass

from breakstep.diagnosis.observed import Observed
from breakstep.model.finding import FindingKind


@dataclass(frozen=True, slots=True)
class Need:
    """Any one of these signals (kind of probe, name) lets the hypothesis be tried."""

    of: tuple[FindingKind, ...]
    to_tell: str
    signals: tuple[tuple[str, str], ...]
    add: str


NEEDS: Sequence[Need] = (
    Need(
        ("cpu_workers", "io_workers"),
        "whether its CPU was full",
        (("host", "cpu"), ("cgroup", "quota")),
        "--probe host",
    ),
    Need(
        ("cpu_workers", "event_loop"),
        "which program and which thread used the CPU",
        (("process", "busiest_thread"), ("node", "loop_utilisation")),
        "--probe process:NAME (for Node also --probe node:HOST:PORT)",
    ),
    Need(
        ("backlog_overflow",),
        "what waited in the kernel in front of it",
        (("listen", "accept_queue"), ("host", "listen_overflows")),
        "--probe listen:PORT",
    ),
    Need(
        ("database_cpu",),
        "whether a database was full",
        (("postgres", "cpu"), ("postgres", "active"), ("redis", "cpu")),
        "--probe postgres:DSN (or process:NAME of the database)",
    ),
    Need(
        ("io_workers", "connection_pool"),
        "whether workers or connections ran out",
        (
            ("php-fpm", "active"),
            ("node", "pool_busy"),
            ("pgbouncer", "servers_active"),
            ("haproxy", "sessions"),
        ),
        "--probe php-fpm:URL, node:HOST:PORT or pgbouncer:DSN, whichever it has",
    ),
    Need(
        ("garbage_collection",),
        "what a garbage collector took",
        (("go", "gc"), ("node", "gc")),
        "--probe go:URL or node:HOST:PORT",
    ),
)
AUTO = "--probe auto finds and turns on what applies to a target on this machine"


def missing(observed: Observed) -> tuple[str, ...]:
    """What to add for each question that was left open; what a silent probe said."""
    have = {(signal.kind, signal.name.partition("{")[0]) for signal in observed.signals}
    open_needs = [need for need in NEEDS if not have.intersection(need.signals)]
    questions = [f"to tell {need.to_tell}, add {need.add}" for need in open_needs]
    auto = [AUTO] if not probed(observed) and observed.local else []
    return (*auto, *questions, *_silent(observed))


def probed(observed: Observed) -> bool:
    """Whether any signal but the generator's own was sampled."""
    return bool(observed.unread) or any(s.kind != "generator" for s in observed.signals)


def _silent(observed: Observed) -> list[str]:
    """Probes that were asked for and delivered nothing in any step."""
    heard = {*observed.unread, *(signal.source for signal in observed.signals)}
    return [
        f"--probe {state.label} delivered nothing in any step"
        + (f": {state.says}" if state.says else "")
        for state in observed.states
        if state.label not in heard
    ]

"""From what was asked for, by flags or in a file, to a Plan; every fault is listed at once."""

from dataclasses import replace
from typing import cast

from breakstep.model.plan import Arrivals, Experiment, Plan, Search, Staircase, Target
from breakstep.model.probe import ProbeSpec
from breakstep.model.slo import Slo, parse_slo
from breakstep.model.units import NS_PER_S, parse_duration
from breakstep.plan.address import Resolver, resolve
from breakstep.plan.checks import check_words, cores
from breakstep.plan.demand import demand_of
from breakstep.plan.digest import plan_digest
from breakstep.plan.faults import NOWHERE, Faults
from breakstep.plan.load import (
    default_hold,
    default_repeat,
    default_warmup,
    duration_above_zero,
    load_of,
)
from breakstep.plan.probes import parse_probe
from breakstep.plan.redact import probe_json, redact_where
from breakstep.plan.scenarios import check_together, scenarios_of
from breakstep.plan.target import target_of, url_of
from breakstep.plan.words import DEFAULTS, Flags, over

__all__ = ["Flags", "plan_from_flags"]

TIMEOUT_MAX_NS = 3600 * NS_PER_S
"""What the histograms hold; every response time is at most the timeout."""


def plan_from_flags(flags: Flags, resolver: Resolver = resolve) -> Plan:
    """The plan that the flags, or the words of a file, describe.

    Raises PlanError with every fault, TargetError if the host cannot be resolved.
    """
    flags = over(flags, DEFAULTS)
    faults = Faults(flags.hidden, flags.faults)
    url = url_of(flags, faults)
    slos = [faults.of(flags.place("slo", k), parse_slo, text) for k, text in enumerate(flags.slo)]
    probes = _probes(flags, faults)
    load = load_of(flags, faults)
    times = _times(flags, load, faults)
    pin = faults.of(flags.place("pin"), cores, flags.pin)
    scenarios = scenarios_of(flags, url, faults)
    check_together(flags, scenarios, slos, faults)
    check_words(flags, faults)
    demand = demand_of(flags, faults)
    target = target_of(flags, url, faults, resolver)
    faults.raise_if_any()
    plan = Plan(
        target=cast("Target", target),
        scenarios=scenarios,
        load=cast("Staircase | Search", load),
        slos=tuple(cast("list[Slo]", slos)),
        arrivals=cast("Arrivals", flags.arrivals),
        ramp_ns=cast("int", times["ramp"]),
        warmup_ns=cast("int", times["warmup"]),
        hold_ns=cast("int", times["hold"]),
        timeout_ns=cast("int", times["timeout"]),
        max_in_flight=cast("int", flags.max_in_flight),
        seed=cast("int", flags.seed),
        workers=cast("int", flags.workers),
        pin=pin or (),
        spin=cast("bool", flags.spin),
        abort=cast("bool", flags.abort),
        repeat=flags.repeat or default_repeat(load),
        between=flags.between,
        servers=flags.servers,
        predict_only=cast("bool", flags.predict_only),
        experiment=None if flags.experiment is None else Experiment(flags.experiment, flags.raised),
        probes=probes,
        demand=demand,
    )
    return replace(plan, digest=plan_digest(plan))


def _times(flags: Flags, load: Staircase | Search | None, faults: Faults) -> dict[str, int | None]:
    """Nanoseconds of every duration, None for those at fault."""
    words = {
        "hold": (duration_above_zero, flags.hold or default_hold(load)),
        "ramp": (parse_duration, flags.ramp),
        "warmup": (parse_duration, flags.warmup or default_warmup(load)),
        "timeout": (_timeout, flags.timeout),
    }
    return {word: faults.of(flags.place(word), read, text) for word, (read, text) in words.items()}


def _probes(flags: Flags, faults: Faults) -> tuple[ProbeSpec, ...]:
    """Those without a fault; two of one label would mix their signals."""
    found: dict[str, ProbeSpec] = {}
    for number, text in enumerate(flags.probe):
        place = flags.place("probe", number)
        spec = faults.of(place, parse_probe, text)
        if spec is None:
            continue
        if spec.label in found:
            faults.add(place, f"{spec.label} is there twice: give one of them a name=")
        if flags.shown is not None and _reveals(spec, flags.shown.probe[number]):
            faults.add(place, "a variable would be shown here: it can be a password or a token")
        found[spec.label] = spec
    return tuple(found.values())


def _reveals(spec: ProbeSpec, text: str) -> bool:
    """Whether a probe shows something else than it would as `text`, which has no secrets in it."""
    shown = Faults().of(NOWHERE, parse_probe, text)
    return shown is None or _visible(spec) != _visible(shown)


def _visible(spec: ProbeSpec) -> object:
    return redact_where(spec.where), probe_json(spec)


def _timeout(text: str) -> int:
    timeout_ns = duration_above_zero(text)
    if timeout_ns > TIMEOUT_MAX_NS:
        raise ValueError(f"{text!r} is longer than an hour, beyond what is recorded")
    return timeout_ns

"""The command that measures a result again, made from its plan.

What the plan does not write down, such as secrets, stands as `***` and has to be put in by hand.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from breakstep.model.record import Result
from breakstep.model.units import NS_PER_S, exact_duration

HIDDEN = "***"
WORDS_MAX = 200
_DEFAULTS: Mapping[str, object] = {"max_in_flight": 10_000, "workers": 1, "repeat": 1}
_SWITCHES = {"spin": "--spin", "predict_only": "--predict-only"}


@dataclass(frozen=True, slots=True)
class Again:
    """The command, and what has to be known to run it."""

    words: tuple[str, ...]
    """Quoted for a shell."""
    notes: tuple[str, ...]


def reproduce(result: Result) -> Again | None:
    """The command of a `find` of one request; None for what no flags alone describe."""
    plan = result.plan
    target, request = plan.get("target"), _request(plan)
    if result.command != "find" or not isinstance(target, Mapping) or request is None:
        return None
    words = [
        *("breakstep", "find", str(target.get("url", HIDDEN))),
        *_slos(plan),
        *_load(plan),
        *_times(plan),
        *_others(plan),
        *_of_target(target),
        *_of_request(request),
        *_probes(plan),
    ]
    quoted = [shlex.quote(word) for word in words[:WORDS_MAX]]
    more = [f"# and {len(words) - WORDS_MAX} words more"] if len(words) > WORDS_MAX else []
    return Again((*quoted, *more), tuple(_notes(words, plan)))


def _request(plan: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The only request; None where there are several."""
    one, several = plan.get("scenario"), plan.get("scenarios")
    if isinstance(one, Mapping):
        return one
    if isinstance(several, list | tuple) and len(several) == 1 and isinstance(several[0], Mapping):
        return several[0]
    return None


def _slos(plan: Mapping[str, Any]) -> Iterator[str]:
    for slo in plan.get("slos", ()):
        yield from ("--slo", str(slo))


def _load(plan: Mapping[str, Any]) -> Iterator[str]:
    load = plan.get("load", {})
    if load.get("rates_per_s"):
        yield from ("--steps", ",".join(f"{rate:g}" for rate in load["rates_per_s"]))
        yield from _time("--hold", plan.get("hold_s"))
        return
    for flag, key in (("--from", "from_per_s"), ("--to", "to_per_s")):
        if load.get(key) is not None:
            yield from (flag, f"{load[key]:g}")
    if load.get("budget_ns"):
        yield from ("--budget", exact_duration(load["budget_ns"]))
    elif load.get("effort"):
        yield from ("--effort", str(load["effort"]))


def _times(plan: Mapping[str, Any]) -> Iterator[str]:
    for name in ("ramp", "warmup", "timeout"):
        yield from _time(f"--{name}", plan.get(f"{name}_s"))


def _time(flag: str, seconds: float | None) -> tuple[str, ...]:
    return () if not seconds else (flag, exact_duration(round(seconds * NS_PER_S)))


def _others(plan: Mapping[str, Any]) -> Iterator[str]:
    yield from ("--arrivals", str(plan.get("arrivals", "poisson")))
    yield from ("--seed", str(plan.get("seed", 1)))
    for key, usual in _DEFAULTS.items():
        if plan.get(key, usual) != usual:
            yield from (f"--{key.replace('_', '-')}", str(plan[key]))
    if plan.get("pin"):
        yield from ("--pin", ",".join(map(str, plan["pin"])))
    if plan.get("servers") is not None:
        yield from ("--servers", str(plan["servers"]))
    yield from (flag for key, flag in _SWITCHES.items() if plan.get(key))
    if plan.get("abort") is False:
        yield "--no-abort"
    if plan.get("between") is not None:
        yield from ("--between", HIDDEN)
    if plan.get("experiment"):
        yield from ("--experiment", HIDDEN)


def _of_target(target: Mapping[str, Any]) -> Iterator[str]:
    if target.get("keep_alive") is False:
        yield "--no-keep-alive"
    if target.get("insecure"):
        yield "--insecure"
    for key, flag in (("ca_file", "--cacert"), ("unix_socket", "--unix-socket")):
        if target.get(key):
            yield from (flag, str(target[key]))


def _of_request(request: Mapping[str, Any]) -> Iterator[str]:
    if request.get("method", "GET") != "GET":
        yield from ("--method", str(request["method"]))
    headers = request.get("headers", {})
    pairs = headers.items() if isinstance(headers, Mapping) else ()
    for name, value in pairs:
        yield from ("--header", f"{name}: {value}")
    if request.get("body_bytes"):
        yield from ("--data", HIDDEN)


def _probes(plan: Mapping[str, Any]) -> Iterator[str]:
    """Those whose label is how they were asked for; a probe with a name of its own is not."""
    for probe in plan.get("probes", ()):
        kind, label = str(probe.get("kind")), str(probe.get("label"))
        known = label == kind or label.startswith(f"{kind}:")
        yield from ("--probe", label if known else f"{kind}:{HIDDEN},name={label}")


def _notes(words: Sequence[str], plan: Mapping[str, Any]) -> Iterator[str]:
    if any(HIDDEN in word for word in words):
        yield f"{HIDDEN} stands for what is not written down: put it in by hand"
    if plan.get("hash"):
        yield f"plan {str(plan['hash'])[:12]}: an equal plan has an equal hash"
    yield "the same seed is the same schedule; the service and the host have to be the same too"

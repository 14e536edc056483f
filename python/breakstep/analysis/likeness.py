"""Whether two runs were made on the same terms, so that what differs between them is the service.

    decisive    SLOs, arrival law, timeout, requests but their paths, keep-alive, TLS;
                cores, CPU and machine of the generator
    doubtful    everything else of plan and environment
    expected    where the target is, when it was, the seed, the demand of a capacity plan: no
                difference at all

The hash of the plan is left out because everything that goes into it is looked at by itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from breakstep.model.comparison import Difference, Weight
from breakstep.model.record import Result

_DECISIVE = ("slos", "arrivals", "timeout_s", "request", "target.keep_alive", "target.tls")
_MACHINE = ("cores", "cpu", "machine")
_EXPECTED = (
    *("seed", "hash", "demand", "target.url", "target.host", "target.port", "target.addresses"),
    *("target.unix_socket", "target.ca_file", "load.foretold_per_s", "started_at"),
)
NOTHING = "nothing"


def unlike(before: Result, after: Result) -> tuple[Difference, ...]:
    """What is not alike, the decisive first."""
    found = (
        *_differences(_words(before.plan), _words(after.plan), _DECISIVE),
        *_differences(before.environment, after.environment, _MACHINE),
    )
    return tuple(sorted(found, key=lambda difference: difference.weight))


def _words(plan: Mapping[str, Any]) -> dict[str, Any]:
    """The plan with its requests by name; a plan of only one says nothing of name and weight."""
    kept = {key: value for key, value in plan.items() if key not in ("scenario", "scenarios")}
    found = plan.get("scenarios") or [plan.get("scenario") or {}]
    if len(found) > 1:
        return {**kept, "requests": {one.get("name"): one for one in found}}
    only = {key: value for key, value in found[0].items() if key not in ("name", "weight")}
    return {**kept, "request": only}


def _differences(
    before: Mapping[str, Any], after: Mapping[str, Any], decisive: tuple[str, ...]
) -> Iterator[Difference]:
    one, other = dict(_leaves(before)), dict(_leaves(after))
    for name in dict.fromkeys((*one, *other)):
        values = one.get(name, NOTHING), other.get(name, NOTHING)
        if values[0] != values[1] and not name.startswith(_EXPECTED):
            yield Difference(name, *values, _weight(name, decisive))


def _weight(name: str, decisive: tuple[str, ...]) -> Weight:
    own = name.startswith(decisive) and not name.endswith(".path")
    return "decisive" if own else "doubtful"


def _leaves(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Every leaf of nested values as text; a list is one leaf."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list | tuple):
        yield name, _listed(name, value)
    else:
        yield name, NOTHING if value is None else str(value)


def _listed(name: str, values: Sequence[object]) -> str:
    """A list as text: SLOs in any order, probes by their kind, for a port may be another."""
    if name == "probes":
        kinds = (str(probe.get("kind")) for probe in values if isinstance(probe, Mapping))
        return ", ".join(sorted(kinds)) or NOTHING
    flat = [leaf for value in values for _, leaf in _leaves(value)]
    return ", ".join(sorted(flat) if name == "slos" else flat) or NOTHING

"""From the flags of `check` to its plan; every fault is listed at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from breakstep.model.check import ChangePlan, CheckPlan
from breakstep.model.errors import PlanError
from breakstep.model.plan import Plan
from breakstep.model.units import NS_PER_S, format_duration, parse_duration, parse_rate
from breakstep.plan.address import Resolver, resolve
from breakstep.plan.digest import plan_digest
from breakstep.plan.flags import plan_from_flags
from breakstep.plan.words import Flags

T = TypeVar("T")

FOR, FOR_A_CHANGE = "60s", "44s"
PAIRS = 10
PAIRS_MIN, PAIRS_MAX = 4, 200
LOSS = "15%"
LOOKS = (0.25, 0.5, 1.0)
"""Of the hold: where it may end because it is decided."""
LOOK_MIN = 1_000
"""Arrivals; a look at fewer seldom decides, and every look costs certainty."""
BLOCK_MIN = 50
"""Arrivals of a block of which a median still means something."""
WARMUP_PART = 5
_SEARCHED = (
    *("from_", "to", "by", "effort", "budget", "repeat", "between", "servers", "predict_only"),
    *("experiment", "raised"),
)
"""What a load-model file may say of a search, and a gate has no use for."""


@dataclass(frozen=True, slots=True)
class Basis:
    """What an earlier run says: the load to offer, and the SLOs it was judged by."""

    run: str
    rate_per_s: float
    slos: Sequence[str]


@dataclass(frozen=True, slots=True)
class CheckFlags:
    """What is asked of a gate; with `against` or commands it judges a change."""

    rate: str | None = None
    for_: str | None = None
    basis: Basis | None = None
    against: str | None = None
    base_command: str | None = None
    head_command: str | None = None
    loss: str = LOSS
    pairs: int = PAIRS

    @property
    def of_a_change(self) -> bool:
        """Whether two versions are compared."""
        return (self.against, self.base_command, self.head_command) != (None, None, None)


def check_from_flags(flags: Flags, asked: CheckFlags, resolver: Resolver = resolve) -> CheckPlan:
    """The gate that the flags describe.

    Raises PlanError with every fault, TargetError if the host cannot be resolved.
    """
    faults: list[str] = []
    rate_per_s, for_ns = _load(asked, FOR, faults)
    slos = flags.slo or (() if asked.basis is None else asked.basis.slos)
    if not slos:
        faults.append(
            "--slo: a gate needs a bound of your own, such as --slo 'p95<200ms'; one assumed from "
            "what is tested would let it get slower"
        )
    base = _read(_one_load(flags, rate_per_s, slo=slos, hold=f"{for_ns}ns"), resolver, faults)
    if faults or base is None:
        raise PlanError(faults)
    looks_ns = _looks(rate_per_s, for_ns)
    base = replace(base, digest=plan_digest(base, looks_ns=looks_ns))
    return CheckPlan(base, rate_per_s, looks_ns, _run(asked))


def change_from_flags(flags: Flags, asked: CheckFlags, resolver: Resolver = resolve) -> ChangePlan:
    """The comparison that the flags describe. Raises as `check_from_flags`."""
    faults = _versions(asked)
    rate_per_s, for_ns = _load(asked, FOR_A_CHANGE, faults)
    if not PAIRS_MIN <= asked.pairs <= PAIRS_MAX:
        faults.append(f"--pairs: between {PAIRS_MIN} and {PAIRS_MAX}")
    loss = _of("--loss", _share, asked.loss, faults) or 1.0
    block_ns = for_ns // (2 * max(1, asked.pairs))
    # Connections are kept open and both versions have been warmed before the first block.
    warmup_ns = block_ns // WARMUP_PART
    hold_ns = block_ns - warmup_ns
    if not faults:
        faults += _too_short(rate_per_s, hold_ns, asked.pairs)
    timed = _one_load(flags, rate_per_s, hold=f"{max(1, hold_ns)}ns", warmup=f"{warmup_ns}ns")
    head = base = _read(timed, resolver, faults)
    if asked.against is not None:
        base = _read(_at(timed, asked.against), resolver, faults, "--against")
    if faults or head is None or base is None:
        raise PlanError(list(dict.fromkeys(faults)))
    return ChangePlan(
        head=replace(head, digest=plan_digest(head, pairs=asked.pairs, loss=loss)),
        base=base,
        rate_per_s=rate_per_s,
        pairs=asked.pairs,
        loss=loss,
        head_command=asked.head_command,
        base_command=asked.base_command,
        from_run=_run(asked),
    )


def _one_load(flags: Flags, rate_per_s: float, **words: Any) -> Flags:  # noqa: ANN401
    """The words of a single rate; what a file says of a search is left out."""
    said = {**dict.fromkeys(_SEARCHED), "steps": f"{rate_per_s:.17g}", **words}
    return replace(flags, **said)


def _at(flags: Flags, url: str) -> Flags:
    """The same at another URL, which is no longer where a file said."""
    places = {word: place for word, place in flags.places.items() if word != "url"}
    shown = None if flags.shown is None else replace(flags.shown, url=url)
    return replace(flags, url=url, places=places, shown=shown)


def _load(asked: CheckFlags, default: str, faults: list[str]) -> tuple[float, int]:
    """The rate and the time, something harmless in the place of a fault."""
    for_ns = _of("--for", _time, asked.for_ or default, faults) or NS_PER_S
    if asked.rate is None and asked.basis is not None:
        return asked.basis.rate_per_s, for_ns
    if asked.rate is None:
        faults.append("--rate: how many requests a second? Or name an earlier run: --from-run RUN")
        return 1.0, for_ns
    return _of("--rate", parse_rate, asked.rate, faults) or 1.0, for_ns


def _run(asked: CheckFlags) -> str | None:
    return None if asked.basis is None or asked.rate is not None else asked.basis.run


def _looks(rate_per_s: float, for_ns: int) -> tuple[int, ...]:
    early = [round(part * for_ns) for part in LOOKS[:-1]]
    enough = [at_ns for at_ns in early if rate_per_s * at_ns / NS_PER_S >= LOOK_MIN]
    return (*enough, for_ns)


def _versions(asked: CheckFlags) -> list[str]:
    one, other = asked.base_command is None, asked.head_command is None
    faults = []
    if one != other:
        missing = "--base-command" if one else "--head-command"
        faults.append(f"{missing}: both versions need a command: add {missing}")
    if asked.against is not None and not (one and other):
        faults.append("--against names a base that runs already: leave out the commands")
    return faults


def _too_short(rate_per_s: float, hold_ns: int, pairs: int) -> list[str]:
    arrivals = rate_per_s * hold_ns / NS_PER_S
    if arrivals >= BLOCK_MIN:
        return []
    part = 1.0 - 1.0 / WARMUP_PART
    needed_ns = round(2 * pairs * BLOCK_MIN / rate_per_s / part * NS_PER_S)
    says = (
        f"--for: {2 * pairs} blocks of {arrivals:.0f} arrivals tell nothing: it takes "
        f"{BLOCK_MIN} each, so at least {format_duration(needed_ns)}, or a higher --rate"
    )
    return [says]


def _read(
    flags: Flags, resolver: Resolver, faults: list[str], place: str | None = None
) -> Plan | None:
    try:
        return plan_from_flags(flags, resolver)
    except PlanError as error:
        faults += [_placed(fault, place) for fault in error.faults]
        return None


def _placed(fault: str, place: str | None) -> str:
    return fault if place is None else fault.replace("URL:", f"{place}:", 1)


def _time(text: str) -> int:
    duration_ns = parse_duration(text)
    if duration_ns < NS_PER_S:
        raise ValueError(f"{text!r} is too short for any verdict: at least 1s")
    return duration_ns


def _share(text: str) -> float:
    try:
        share = float(text.strip().removesuffix("%")) / 100.0
    except ValueError:
        share = 0.0
    if not 0.0 < share <= 1.0:
        raise ValueError(f"{text!r} is no share: write 15% for what takes 15 % longer")
    return share


def _of(place: str, read: Callable[[str], T], text: str, faults: list[str]) -> T | None:
    try:
        return read(text)
    except ValueError as error:
        faults.append(f"{place}: {error}")
        return None

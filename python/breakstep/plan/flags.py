"""From flags, as people write them, to a Plan; every fault is listed at once."""

import base64
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TypeVar, cast, get_args
from urllib.parse import unquote

from breakstep._engine import request_bytes
from breakstep.model.errors import PlanError
from breakstep.model.plan import (
    Arrivals,
    Effort,
    Experiment,
    Plan,
    Scenario,
    Search,
    Staircase,
    Target,
)
from breakstep.model.probe import ProbeSpec
from breakstep.model.slo import Slo, parse_slo
from breakstep.model.units import NS_PER_S, parse_duration, parse_rate
from breakstep.plan.address import Resolver, Url, authorisation_fault, parse_url, resolve
from breakstep.plan.probes import parse_probe
from breakstep.plan.requests import faults_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Flags:
    """What the user asked for, in the words of the command line; None where nothing was said."""

    url: str
    slo: Sequence[str] = ()
    steps: str | None = None
    from_: str | None = None
    to: str | None = None
    by: str | None = None
    effort: str | None = None
    budget: str | None = None
    hold: str | None = None
    """By default the least that fits the load: see HOLD_OF_STEPS and HOLD_OF_SEARCH."""
    ramp: str = "0s"
    warmup: str | None = None
    """By default enough for the effort: see WARMUP and WARMUP_OF_QUICK."""
    arrivals: str = "poisson"
    timeout: str = "10s"
    max_in_flight: int = 10_000
    seed: int = 1
    workers: int = 1
    pin: str | None = None
    spin: bool = False
    abort: bool = True
    repeat: int | None = None
    between: str | None = None
    servers: int | None = None
    predict_only: bool = False
    experiment: str | None = None
    raised: float | None = None
    probe: Sequence[str] = ()
    method: str | None = None
    header: Sequence[str] = ()
    data: str | None = None
    keep_alive: bool = True
    insecure: bool = False
    cacert: str | None = None
    unix_socket: str | None = None
    authorized: Sequence[str] = field(default=())


def plan_from_flags(flags: Flags, resolver: Resolver = resolve) -> Plan:
    """The plan that the flags describe.

    Raises PlanError with every fault, TargetError if the host cannot be resolved.
    """
    faults = _Faults()
    url = faults.of("URL", parse_url, flags.url)
    slos = [faults.of("--slo", parse_slo, text) for text in flags.slo]
    probes = _probes(flags, faults)
    load = _load(flags, faults)
    hold_ns = faults.of("--hold", _duration_above_zero, flags.hold or _default_hold(load))
    ramp_ns = faults.of("--ramp", parse_duration, flags.ramp)
    warmup_ns = faults.of("--warmup", parse_duration, flags.warmup or _default_warmup(load))
    timeout_ns = faults.of("--timeout", _timeout, flags.timeout)
    pin = faults.of("--pin", _cores, flags.pin)
    headers = [faults.of("--header", _header, text) for text in flags.header]
    body = faults.of("--data", _body, flags.data)
    _check_numbers(flags, faults)
    ca_file = faults.of("--cacert", _readable, flags.cacert)
    scenario = _scenario(url, flags, headers, body or b"")
    _check_request(scenario, flags, faults)
    faults.texts.extend(faults_of((scenario,), [slo for slo in slos if slo is not None]))
    # The host is only asked for once everything that can be said without it is right.
    target = None if url is None else _target(url, flags, ca_file, faults, resolver)
    faults.raise_if_any()
    return Plan(
        target=cast("Target", target),
        scenarios=(scenario,),
        load=cast("Staircase | Search", load),
        slos=tuple(cast("list[Slo]", slos)),
        arrivals=cast("Arrivals", flags.arrivals),
        ramp_ns=ramp_ns or 0,
        warmup_ns=warmup_ns or 0,
        hold_ns=cast("int", hold_ns),
        timeout_ns=cast("int", timeout_ns),
        max_in_flight=flags.max_in_flight,
        seed=flags.seed,
        workers=flags.workers,
        pin=pin or (),
        spin=flags.spin,
        abort=flags.abort,
        repeat=flags.repeat or _default_repeat(load),
        between=flags.between,
        servers=flags.servers,
        predict_only=flags.predict_only,
        experiment=None if flags.experiment is None else Experiment(flags.experiment, flags.raised),
        probes=probes,
    )


class _Faults:
    """Collects faults, each with its place, so that the user hears of all of them at once."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def of(self, place: str, read: Callable[[str], T], text: str | None) -> T | None:
        """What `read` makes of the text; None when there is none or it is at fault."""
        if text is None:
            return None
        try:
            return read(text)
        except ValueError as error:
            self.texts.append(f"{place}: {error}")
            return None

    def when(self, wrong: bool, text: str) -> None:  # noqa: FBT001
        if wrong:
            self.texts.append(text)

    def raise_if_any(self) -> None:
        if self.texts:
            raise PlanError(self.texts)


def _load(flags: Flags, faults: _Faults) -> Staircase | Search | None:
    if flags.steps is not None:
        extra = [name for name, given in _bounds(flags) if given is not None]
        extra += [name for name, given in _searching(flags) if given is not None]
        faults.when(bool(extra), f"--steps names every load: leave out {', '.join(extra)}")
        rates = faults.of("--steps", _rates, flags.steps)
        return None if rates is None else Staircase(rates)
    low = faults.of("--from", parse_rate, flags.from_)
    high = faults.of("--to", parse_rate, flags.to)
    by = faults.of("--by", parse_rate, flags.by)
    if low is not None and high is not None:
        faults.when(high < low, f"--to {flags.to} lies below --from {flags.from_}")
    if flags.by is None:
        return Search(low, high, *_effort(flags, faults))
    if low is None or high is None or by is None:
        missing = [name for name, given in _bounds(flags) if given is None]
        faults.when(bool(missing), f"--by goes with --from and --to: add {', '.join(missing)}")
        return None
    return _ladder(low, high, by, faults)


def _probes(flags: Flags, faults: _Faults) -> tuple[ProbeSpec, ...]:
    """Those without a fault; two of one label would mix their signals."""
    given = [faults.of("--probe", parse_probe, text) for text in flags.probe]
    probes = tuple(spec for spec in given if spec is not None)
    labels = [spec.label for spec in probes]
    for label in sorted({label for label in labels if labels.count(label) > 1}):
        faults.when(True, f"--probe: {label} is there twice: give one of them a name=")  # noqa: FBT003
    return probes


def _bounds(flags: Flags) -> tuple[tuple[str, str | None], ...]:
    return (("--from", flags.from_), ("--to", flags.to), ("--by", flags.by))


def _searching(flags: Flags) -> tuple[tuple[str, str | None], ...]:
    return (("--effort", flags.effort), ("--budget", flags.budget))


def _effort(flags: Flags, faults: _Faults) -> tuple[Effort, int | None]:
    both = flags.effort is not None and flags.budget is not None
    faults.when(both, "--budget says how much effort there is: leave out --effort")
    efforts = get_args(Effort)
    chosen = flags.effort or "quick"
    faults.when(chosen not in efforts, f"--effort: {chosen!r} is none of {', '.join(efforts)}")
    return cast("Effort", chosen), faults.of("--budget", _duration_above_zero, flags.budget)


HOLD_OF_STEPS = "10s"
HOLD_OF_SEARCH = "2s"


def _default_hold(load: Staircase | Search | None) -> str:
    return HOLD_OF_SEARCH if isinstance(load, Search) else HOLD_OF_STEPS


WARMUP = "2s"
WARMUP_OF_QUICK = "1s"


def _default_warmup(load: Staircase | Search | None) -> str:
    quick = isinstance(load, Search) and load.effort == "quick" and load.budget_ns is None
    return WARMUP_OF_QUICK if quick else WARMUP


REPEAT_OF_EFFORT = 3
REPEAT_MAX = 100


def _default_repeat(load: Staircase | Search | None) -> int:
    """Who asks for an exact answer wants to know how it varies from run to run."""
    exact = isinstance(load, Search) and load.effort != "quick"
    return REPEAT_OF_EFFORT if exact else 1


STEPS_MAX = 1000


def _ladder(low: float, high: float, by: float, faults: _Faults) -> Staircase | None:
    count = int((high - low) / by + 1e-9) + 1
    if count > STEPS_MAX:
        faults.when(True, f"--by {by:g} makes {count} steps, more than {STEPS_MAX}")  # noqa: FBT003
        return None
    return Staircase(tuple(low + i * by for i in range(count)))


def _rates(text: str) -> tuple[float, ...]:
    rates = tuple(parse_rate(part) for part in text.split(","))
    if any(later <= earlier for earlier, later in pairwise(rates)):
        raise ValueError(f"{text!r}: each rate must be above the one before it")
    return rates


TIMEOUT_MAX_NS = 3600 * NS_PER_S
"""What the histograms hold; every response time is at most the timeout."""


def _duration_above_zero(text: str) -> int:
    duration_ns = parse_duration(text)
    if duration_ns == 0:
        raise ValueError(f"{text!r} must be above zero")
    return duration_ns


def _timeout(text: str) -> int:
    timeout_ns = _duration_above_zero(text)
    if timeout_ns > TIMEOUT_MAX_NS:
        raise ValueError(f"{text!r} is longer than an hour, beyond what is recorded")
    return timeout_ns


def _cores(text: str) -> tuple[int, ...]:
    try:
        cores = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"{text!r} is no list of cores: write 0,1") from None
    allowed = os.sched_getaffinity(0)
    if missing := [core for core in cores if core not in allowed]:
        here = ", ".join(map(str, sorted(allowed)))
        raise ValueError(f"no core {missing[0]} may be used here; there are {here}")
    return cores


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        # The text is not shown: it may be a secret in the wrong place.
        raise ValueError("a header is written 'Name: value'")
    return name.strip(), value.strip()


def _body(text: str) -> bytes:
    if not text.startswith("@"):
        return text.encode()
    try:
        return Path(text[1:]).read_bytes()
    except OSError as error:
        raise ValueError(f"cannot read {text[1:]!r}: {error.strerror}") from error


def _readable(text: str) -> str:
    try:
        with Path(text).open("rb"):
            return text
    except OSError as error:
        raise ValueError(f"cannot read {text!r}: {error.strerror}") from error


WORKERS_MAX = 256


def _check_numbers(flags: Flags, faults: _Faults) -> None:
    laws = ("poisson", "uniform")
    faults.when(
        flags.arrivals not in laws, f"--arrivals: {flags.arrivals!r} is none of {', '.join(laws)}"
    )
    faults.when(not 1 <= flags.workers <= WORKERS_MAX, f"--workers: between 1 and {WORKERS_MAX}")
    faults.when(
        flags.max_in_flight < max(1, flags.workers),
        "--max-in-flight: at least one for each worker",
    )
    repeat = 1 if flags.repeat is None else flags.repeat
    faults.when(not 1 <= repeat <= REPEAT_MAX, f"--repeat: between 1 and {REPEAT_MAX}")
    faults.when(
        flags.between is not None and flags.repeat == 1,
        "--between goes with more than one --repeat",
    )
    faults.when(
        flags.predict_only and flags.servers is None,
        "--predict-only needs --servers: how many requests the service works on at once",
    )
    faults.when(flags.servers is not None and flags.servers < 1, "--servers: at least 1")
    faults.when(
        flags.raised is not None and flags.experiment is None,
        "--raised goes with --experiment: it says by how much that raises a limit",
    )
    faults.when(flags.raised is not None and flags.raised <= 1.0, "--raised: above 1, such as 2")
    faults.when(
        flags.experiment is not None and flags.predict_only,
        "--experiment needs a search: leave out --predict-only",
    )
    faults.when(not 0 <= flags.seed < 2**48, "--seed: between 0 and 2^48 − 1")
    faults.when(
        flags.insecure and flags.cacert is not None,
        "--insecure trusts anyone: leave out --cacert, or leave out --insecure",
    )


def _target(
    url: Url, flags: Flags, ca_file: str | None, faults: _Faults, resolver: Resolver
) -> Target | None:
    if flags.unix_socket is not None:
        faults.when(url.tls, "--unix-socket speaks plain http: write the URL with http://")
        addresses: Sequence[str] = ()
    elif faults.texts:
        return None
    else:
        addresses = resolver(url.host, url.port)
        fault = authorisation_fault(url.host, addresses, flags.authorized)
        faults.when(fault is not None, fault or "")
    return Target(
        url=url.url,
        host=url.host,
        port=url.port,
        tls=url.tls,
        addresses=tuple(addresses),
        unix_socket=flags.unix_socket,
        insecure=flags.insecure,
        ca_file=ca_file,
        keep_alive=flags.keep_alive,
    )


def _scenario(
    url: Url | None, flags: Flags, headers: Sequence[tuple[str, str] | None], body: bytes
) -> Scenario:
    given = tuple(header for header in headers if header is not None)
    method = flags.method or ("GET" if flags.data is None else "POST")
    if url is None:
        return Scenario(method.upper(), "/", given, body)
    return Scenario(method.upper(), url.path, given + _basic_auth(url, given), body)


def _check_request(scenario: Scenario, flags: Flags, faults: _Faults) -> None:
    """What the engine has against the request, before it is asked for load."""
    request = (scenario.method, scenario.path, "localhost", scenario.headers, scenario.body)
    try:
        request_bytes(*request, flags.keep_alive)
    except ValueError as error:
        faults.texts.extend(str(error).splitlines())


def _basic_auth(url: Url, given: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The user and password of the URL, unless a header says otherwise."""
    if url.userinfo is None or any(name.lower() == "authorization" for name, _ in given):
        return ()
    user, _, password = url.userinfo.partition(":")
    pair = f"{unquote(user)}:{unquote(password)}"
    return (("Authorization", "Basic " + base64.b64encode(pair.encode()).decode()),)

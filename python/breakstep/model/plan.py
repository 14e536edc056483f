"""Everything that fixes a run. Immutable, and the same plan is the same run but for the target."""

from dataclasses import dataclass, field
from typing import Literal

from breakstep.model.probe import ProbeSpec
from breakstep.model.slo import Slo

Arrivals = Literal["poisson", "uniform"]


@dataclass(frozen=True, slots=True)
class Target:
    """The system under test: where it is and how connections to it are made.

    `addresses` are what the host name was resolved to, once, before any load; load goes to the
    first. With `unix_socket` they are empty and only the Host header is taken from the URL.
    """

    url: str
    host: str
    port: int
    tls: bool
    addresses: tuple[str, ...]
    unix_socket: str | None = None
    insecure: bool = False
    ca_file: str | None = None
    keep_alive: bool = True


@dataclass(frozen=True, slots=True)
class Scenario:
    """A request that an arrival may perform. Header values may be secret: see `plan.redact`.

    Of several, each is performed by a share of the arrivals: its weight over the sum of all. The
    name tells it from the others and is empty only where there are none.
    """

    method: str
    path: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    name: str = ""
    weight: float = 1.0
    shown: "Scenario | None" = None
    """The same with `***` for values from the environment; None if there are none."""


@dataclass(frozen=True, slots=True)
class Staircase:
    """Offer these rates, in order, until one breaks."""

    rates_per_s: tuple[float, ...]


Effort = Literal["quick", "standard", "strict"]


@dataclass(frozen=True, slots=True)
class Search:
    """The statistical search: verdicts with a known error rate, each step as long as it takes.

    Without `from_per_s` it starts at what one request at a time would reach. With `budget_ns` the
    effort is what fits into that time. A step's first look comes after `first_look` arrivals;
    undecided, it is doubled, up to `looks` times in all. `width` is the relative gap on either
    side of the undecided loads at which the search stops.
    """

    from_per_s: float | None = None
    to_per_s: float | None = None
    effort: Effort = "quick"
    budget_ns: int | None = None
    first_look: int = 20_000
    looks: int = 4
    width: float = 0.03
    foretold_per_s: tuple[float, float] | None = None
    """Where a prediction puts the breaking load; the search begins at both ends of it."""


StepKind = Literal["search", "confirm", "canary", "predict"]


@dataclass(frozen=True, slots=True)
class Experiment:
    """A shell command that changes the service after the search, which is then made again.

    `raised` says by how much it raises the limit that is suspected; None if not said.
    """

    command: str
    raised: float | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A run, fixed. With no `slos` the session assumes some from the unloaded response time.

    Which of the `scenarios` an arrival performs follows from the seed and the arrival's number.
    """

    target: Target
    scenarios: tuple[Scenario, ...]
    load: Staircase | Search
    slos: tuple[Slo, ...] = ()
    arrivals: Arrivals = "poisson"
    ramp_ns: int = 0
    warmup_ns: int = 2_000_000_000
    hold_ns: int = 10_000_000_000
    timeout_ns: int = 10_000_000_000
    max_in_flight: int = 10_000
    seed: int = 1
    workers: int = 1
    pin: tuple[int, ...] = ()
    spin: bool = False
    abort: bool = True
    """End a hopeless hold early, and a staircase at its first failure."""
    repeat: int = 1
    """Runs of the whole, each with arrivals of its own."""
    between: str | None = None
    """A shell command between two runs, such as one that restarts the service."""
    servers: int | None = None
    """Requests the service works on at once: with it the breaking load is foretold."""
    predict_only: bool = False
    experiment: Experiment | None = None
    probes: tuple[ProbeSpec, ...] = ()
    """What is sampled on the server meanwhile."""

    @property
    def weights(self) -> tuple[float, ...]:
        """Of the scenarios, in their order."""
        return tuple(scenario.weight for scenario in self.scenarios)

    def share_of(self, request: str | None) -> float:
        """Of the arrivals, those that perform a request; all for None."""
        if request is None:
            return 1.0
        weight = sum(one.weight for one in self.scenarios if one.name == request)
        return weight / sum(self.weights)

    demand: tuple[tuple[str, float], ...] = ()
    """What a capacity plan is to be made for; it changes nothing of the run."""
    digest: str = field(default="", compare=False)
    """Of the plan as it was asked for, before the first contact settled it: see `plan.digest`."""


@dataclass(frozen=True, slots=True)
class Step:
    """One offered load held for a time: ramp and warm-up are not judged, the hold is.

    With `looks_ns` the hold may end sooner: at each of these times since its start the arrivals
    until then are judged, and a verdict ends it. The last one is `hold_ns`.
    """

    index: int
    rate_per_s: float
    ramp_from_per_s: float
    ramp_ns: int
    warmup_ns: int
    hold_ns: int
    seed: int
    looks_ns: tuple[int, ...] = ()
    kind: StepKind = "search"

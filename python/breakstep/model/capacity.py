"""What has to be carried, and what to run for it. Rates are requests a second."""

from dataclasses import dataclass
from typing import Literal

Range = tuple[float, float]
Source = Literal["measured", "given", "assumed"]
RatedBy = Literal["headroom", "next_node", "one_run"]


@dataclass(frozen=True, slots=True)
class PeakDemand:
    """What has to be carried, and what may happen meanwhile.

    `growth` is a share of the peak, `burst` and `imbalance` are factors of at least 1, `failures`
    the nodes that may be down at the peak. `given` and `measured` name the fields that are not
    assumed.
    """

    peak_per_s: float
    growth: float = 0.0
    burst: float = 1.0
    failures: int = 1
    imbalance: float = 1.0
    given: frozenset[str] = frozenset()
    measured: frozenset[str] = frozenset()

    @property
    def per_s(self) -> float:
        """The load to be ready for: peak × burst × (1 + growth)."""
        return self.peak_per_s * self.burst * (1.0 + self.growth)

    def source(self, name: str) -> Source:
        """Where the value of a field comes from."""
        if name in self.measured:
            return "measured"
        return "given" if name in self.given else "assumed"


@dataclass(frozen=True, slots=True)
class DatabaseTerms:
    """The connections of an app to its database; None where it was not said.

    `extra_nodes` run besides the planned ones while a deployment rolls, each with a pool.
    `held_ns` is how long a request keeps a connection. `seen` names what a run's signals showed.
    """

    pool: int | None = None
    processes: int | None = None
    max_connections: int | None = None
    reserved: int | None = None
    extra_nodes: int = 1
    held_ns: int | None = None
    seen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScalingTerms:
    """How fast load rises on the whole fleet (requests a second, each second), and nodes come."""

    ramp_per_s2: float | None = None
    react_ns: int | None = None


@dataclass(frozen=True, slots=True)
class PlanTerms:
    """Everything a capacity plan is made for.

    `headroom` replaces the spread of the runs by a share of what a node carried. `nodes` asks
    whether so many are enough. `measured_on` is the number of nodes that the runs were made on.
    `linear` plans as if every node brought its own of whatever was full.
    """

    demand: PeakDemand
    headroom: float | None = None
    nodes: int | None = None
    measured_on: int = 1
    linear: bool = False
    database: DatabaseTerms = DatabaseTerms()
    scaling: ScalingTerms = ScalingTerms()


@dataclass(frozen=True, slots=True)
class Rated:
    """What a node may be counted on for, and why.

    `mean_per_s` is what one carried, `interval_per_s` where the next one lies, `spread` the
    standard deviation of the runs as a share of their mean, None for one run. It holds for `slos`.
    """

    per_s: float
    mean_per_s: float
    interval_per_s: Range
    runs: int
    spread: float | None
    by: RatedBy
    says: str
    caveats: tuple[str, ...] = ()
    slos: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Linear:
    """Whether twice the nodes carry twice the load; `supported` is None where nobody can tell."""

    supported: bool | None
    says: str
    remedy: str | None = None


@dataclass(frozen=True, slots=True)
class Fleet:
    """So many nodes, `spare` of which may be down; the demand takes `needed`.

    `remaining_per_s` is what the others can be counted on for one by one, `together_per_s` as a
    whole, None where the runs cannot tell. `range_nodes` are the numbers for a good and a bad next
    node, the latter None where runs scatter so much that it has no bound. `headroom` is what is
    free at the peak with all nodes up.
    """

    nodes: int
    needed: int
    spare: int
    remaining_per_s: float
    together_per_s: float | None
    holds: bool
    range_nodes: tuple[int, int | None]
    headroom: float


@dataclass(frozen=True, slots=True)
class Assumption:
    """One number the plan rests on, and what the number of nodes would be without it.

    `factor` is what it multiplies the nodes by, None for what is added. `nodes_without` is None
    where the plan cannot tell.
    """

    name: str
    value: float | None
    source: Source
    says: str
    factor: float | None = None
    nodes_without: int | None = None


@dataclass(frozen=True, slots=True)
class Database:
    """Connections of the whole fleet while a deployment rolls, and whether they are to be had."""

    connections: int | None
    limit: int | None
    fits: bool | None
    says: str
    remedy: str | None = None
    per_node: int | None = None
    steady: int | None = None
    pool_at_most: int | None = None
    pool_least: int | None = None
    pooler_connections: int | None = None


@dataclass(frozen=True, slots=True)
class Autoscale:
    """Loads of one node at which to add nodes and to remove them, None where not known."""

    at_per_s: float | None
    down_per_s: float | None
    down_after_s: float | None
    says: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What one node should let in: requests a second, at once in a burst, and in flight."""

    rate_per_s: float
    burst: int | None
    concurrency: int | None
    says: str


@dataclass(frozen=True, slots=True)
class Cpu:
    """What a request costs a program, and what the whole demand does; cores.

    `cores_at_threshold` is what it uses on a node at the load at which nodes are added, None where
    that is not known.
    """

    source: str
    ms_per_request: float
    cores_at_demand: float
    cores_at_threshold: float | None = None


@dataclass(frozen=True, slots=True)
class CapacityPlan:
    """What to run for a demand; without a `fleet` more nodes do not carry it."""

    terms: PlanTerms
    rated: Rated
    rated_per_node: float
    """After the imbalance."""
    linear: Linear
    fleet: Fleet | None
    database: Database
    autoscale: Autoscale
    limits: Limits
    cpu: tuple[Cpu, ...]
    assumptions: tuple[Assumption, ...]
    caveats: tuple[str, ...] = ()

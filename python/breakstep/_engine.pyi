"""The data plane (Rust). Times are ns on the engine's clock, zero at `Engine.start()`."""

from collections.abc import Mapping, Sequence
from typing import Literal, final

from breakstep.model.timing import HistogramName

__all__ = [
    "Engine",
    "Histogram",
    "Interval",
    "Segment",
    "Tally",
    "TargetServer",
    "WakeProbe",
    "WakeSample",
    "__version__",
    "intended_requests",
    "intended_starts",
    "request_bytes",
    "simulate",
]

__version__: str

@final
class Histogram:
    """Counts of durations, 1 µs to 1 h in ns, 3 significant digits (HdrHistogram)."""

    def __new__(cls) -> Histogram: ...
    @staticmethod
    def decode(data: bytes) -> Histogram:
        """Reads the V2 encoding, deflated or not. Raises ValueError for anything else."""

    def encode(self) -> bytes:
        """The V2 encoding, deflated: what a histogram log carries in base64."""

    def record(self, value_ns: int, count: int = 1) -> None: ...
    def add(self, other: Histogram) -> None: ...
    @property
    def count(self) -> int: ...
    @property
    def mean_ns(self) -> float: ...
    @property
    def min_ns(self) -> int: ...
    @property
    def max_ns(self) -> int: ...
    def quantile_ns(self, quantile: float) -> int:
        """The smallest recorded value with at least this share at or below it; 0 when empty."""

    def count_at_or_below(self, value_ns: int) -> int: ...

@final
class Tally:
    """What happened to the arrivals of a span of time: counters and histograms.

    By intended start: `arrivals`, `outcomes`, `statuses`, every histogram.
    By the instant of sending: `sent`, `bytes_out`.
    By the instant of completion: `completed`, `completed_ok`, `good`, `bytes_in`.

    Histograms: `ok` and `failed` are response times (last byte − intended start) of arrivals
    whose outcome is ok, and of those that failed after a wait (an answer that counts as an error,
    a timeout, a drop: for the last two the time waited, a lower bound). `service` is last byte −
    sent, `first_byte` is first byte − intended, `lateness` is sent − intended, `lag` is the part
    of it that is the generator's own, `connect` is the time to open a connection.
    """

    def __new__(cls) -> Tally: ...
    def merge(self, other: Tally) -> None: ...
    @property
    def arrivals(self) -> int: ...
    @property
    def outcomes(self) -> dict[str, int]:
        """Count by outcome; all nine names are present."""

    @property
    def statuses(self) -> dict[int, int]:
        """Count of complete responses by HTTP status."""

    @property
    def causes(self) -> dict[str, int]:
        """Count by cause of a failure, e.g. `connection refused`; a bounded set of fixed texts."""

    @property
    def sent(self) -> int: ...
    @property
    def completed(self) -> int: ...
    @property
    def completed_ok(self) -> int: ...
    @property
    def good(self) -> int: ...
    @property
    def bytes_out(self) -> int: ...
    @property
    def bytes_in(self) -> int: ...
    @property
    def connections_opened(self) -> int: ...
    @property
    def retried(self) -> int:
        """Requests sent again because the server had closed the idle connection."""

    @property
    def unsolicited(self) -> int:
        """Connections closed because the server sent bytes nobody had asked for."""

    @property
    def in_flight_max(self) -> int: ...
    @property
    def in_flight_ns(self) -> int:
        """The integral of the number in flight over time, ns."""

    @property
    def cpu_ns(self) -> int:
        """CPU time of the worker threads."""

    @property
    def run_delay_ns(self) -> int:
        """Time the worker threads were runnable and waited for a core."""

    def histogram(self, name: HistogramName) -> Histogram: ...
    def response(self) -> Histogram:
        """`ok` and `failed` together."""

@final
class Interval:
    """Up to one second of one worker; never reaches across a segment's edge.

    `drain()` hands over what was added since the last call, so the same interval can come more
    than once (an arrival ends seconds after its intended start): merge the tallies.
    """

    @property
    def worker(self) -> int: ...
    @property
    def segment(self) -> int | None:
        """Number of the segment as `append` returned it; None between segments."""

    @property
    def from_ns(self) -> int: ...
    @property
    def to_ns(self) -> int: ...
    @property
    def in_flight_end(self) -> int | None:
        """In flight when the interval's time had passed; None in every other hand-over of it."""

    @property
    def rows(self) -> bytes:
        """A row of each arrival that ended, if its segment keeps them: four little-endian u64.

        Intended, sent (2^64 − 1 if never) and ended, ns, and in one the index of the outcome (the
        lowest byte) and the number of the request (what is above it).
        """

    @property
    def tally(self) -> Tally: ...

@final
class Segment:
    """Load from `start_ns` for `duration_ns`.

    Open (`concurrency` is None): arrivals at a rate going linearly from `from_per_s` to
    `to_per_s`, `uniform` or `poisson`. Closed: `concurrency` users, each sending its next request
    `think_ns` after the last answer.
    """

    def __new__(
        cls,
        *,
        start_ns: int,
        duration_ns: int,
        from_per_s: float = 0.0,
        to_per_s: float = 0.0,
        arrivals: Literal["uniform", "poisson"] = "poisson",
        seed: int = 0,
        concurrency: int | None = None,
        think_ns: int = 0,
        rows: bool = False,
    ) -> Segment:
        """`rows`: keep a row of each arrival, see `Interval.rows`.

        The seed is that of Poisson gaps and of what each arrival performs.
        """

def intended_starts(
    segments: Sequence[Segment], *, worker: int = 0, workers: int = 1, limit: int = 10_000_000
) -> list[int]:
    """The open segments' intended starts that this worker would offer, ns."""

def intended_requests(
    segments: Sequence[Segment],
    weights: Sequence[float],
    *,
    worker: int = 0,
    workers: int = 1,
    limit: int = 10_000_000,
) -> list[int]:
    """What each of the `intended_starts` performs of a mix: the number of a request, from 0."""

def request_bytes(
    method: str,
    target: str,
    host: str,
    headers: Sequence[tuple[str, str]],
    body: bytes,
    keep_alive: bool,
) -> bytes:
    """The request as it goes out. Raises ValueError naming every fault, one a line."""

@final
class Engine:
    """Worker threads that offer segments of load to one address."""

    def __new__(
        cls,
        *,
        address: str,
        request: bytes | None = None,
        head_only: bool = False,
        mix: Sequence[tuple[bytes, bool, float]] = ...,
        keep_alive: bool = True,
        tls_server_name: str | None = None,
        ca_pem: bytes | None = None,
        insecure: bool = False,
        workers: int = 1,
        pin: Sequence[int] = ...,
        spin: bool = False,
        max_in_flight: int = 10_000,
        timeout_ns: int = 10_000_000_000,
        good_within_ns: int | None = None,
    ) -> Engine:
        """`address` is `IP:PORT`, `[IPv6]:PORT` or `unix:PATH`. Raises ValueError, OSError.

        `mix` in place of `request`: of each request its bytes, whether it is a HEAD, its weight.
        """

    def start(self) -> None: ...
    def now_ns(self) -> int: ...
    @property
    def epoch_wall_ns(self) -> int: ...
    def set_good_within(self, good_within_ns: int | None) -> None: ...
    def append(self, segment: Segment) -> int:
        """Adds load after the last segment; returns its number, from 0. ValueError: it overlaps."""

    def cut(self) -> int:
        """Ends all load now; what was due is still finished. Returns the instant, ns."""

    def in_flight(self) -> int:
        """Arrivals due and not finished, those waiting for a connection included."""

    def drain(self, wait_ns: int = 0) -> list[Interval]:
        """What the workers handed over; waits up to `wait_ns` for the first. Releases the GIL.

        Raises RuntimeError if a worker died, with its reason.
        """

    def stop(self) -> list[Interval]:
        """Stops at once; what is unfinished counts for nothing. Returns the last intervals."""

def simulate(parameters: Mapping[str, str], arrivals_ns: bytes) -> tuple[bytes, bytes]:
    """What a model server does with these arrivals (u64, little-endian, sorted), in no time.

    Returns, in the order of the arrivals, the instants at which they end (u64, ns) and their
    HTTP statuses (u16). `parameters` as for `TargetServer`.
    """

@final
class TargetServer:
    """The model server on a thread of its own (`breakstep target`)."""

    def __new__(cls, parameters: Mapping[str, str]) -> TargetServer:
        """Flags of `breakstep target` with their text, `_` for `-`. ValueError: a fault a line."""

    def start(self) -> str:
        """Listens and returns `IP:PORT`. Raises OSError."""

    def truth(self) -> str:
        """The parameters as JSON, as served by `GET /truth`."""

    def stop(self) -> None: ...

@final
class WakeSample:
    """What the probe's thread on one core saw since the last take."""

    @property
    def core(self) -> int | None:
        """None where the kernel chose."""

    @property
    def lateness(self) -> Histogram:
        """Of every planned instant, also those that passed while the thread still slept."""

    @property
    def events(self) -> list[tuple[int, int]]:
        """The latest late wake-ups: planned instant, ns since 1970, and lateness, ns."""

    @property
    def forgotten(self) -> int:
        """Late wake-ups that had to make room: `events` holds 4096."""

@final
class WakeProbe:
    """A thread pinned to each core that sleeps to every millisecond; without cores one, unpinned.

    It shows how late the host wakes a thread that does nothing else.
    """

    def __new__(cls, cores: Sequence[int] | None = None, *, late_ns: int = 1_000_000) -> WakeProbe:
        """From `late_ns` on a wake-up is an event. Raises ValueError."""

    def start(self) -> None:
        """Raises OSError for a core that is not there, or not allowed."""

    def take(self) -> list[WakeSample]:
        """What was seen since the last take, by core. Raises RuntimeError when not started."""

    def stop(self) -> None: ...

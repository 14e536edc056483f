"""`go:URL`: a Go program's `/debug/vars`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from urllib.parse import urlsplit

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.plan.redact import redact_where
from breakstep.probe.go_vars import Collecting, GoVars, parse_vars
from breakstep.probe.http_get import get
from breakstep.probe.options import insecure, timeout_s
from breakstep.probe.reading import Reading

PATH = "/debug/vars"
REMARK = (
    "the CPU of its collector is not told, since the program publishes no runtime metrics"
    " of Go 1.20 or newer: docs/probe-go.md has the lines to add"
)


@dataclass(slots=True)
class GoProbe:
    """One program, asked anew at every read. What collecting took is told from the second on."""

    url: str
    timeout_s: float
    insecure: bool
    remark: str | None = None
    collecting: Collecting = field(default_factory=Collecting)

    def read(self) -> Sequence[Reading]:
        """Everything now."""
        at_s = monotonic()
        now = self.ask()
        return list(readings(now, self.collecting.step(now, (at_s + monotonic()) / 2.0)))

    def ask(self) -> GoVars:
        """The variables now. Raises ProbeError."""
        body = get(self.url, timeout_s=self.timeout_s, insecure=self.insecure)
        try:
            return parse_vars(body)
        except ValueError as error:
            raise ProbeError(
                f"{redact_where(self.url)} is not {PATH} of a Go program ({error}):"
                ' import _ "expvar" there'
            ) from error

    def close(self) -> None:
        """Nothing is held between two reads."""


def open_probe(spec: ProbeSpec) -> GoProbe:
    """Asks once. Raises ProbeError."""
    probe = GoProbe(_with_path(spec.where), timeout_s(spec), insecure(spec))
    if probe.ask().collecting_s is None:
        probe.remark = REMARK
    return probe


def _with_path(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return url if parts.path or not parts.netloc else parts._replace(path=PATH).geturl()


def readings(now: GoVars, cores: tuple[float, float] | None) -> Iterator[Reading]:
    """`cores` are those that assists and marking took; None when that cannot be told now."""
    yield Reading("heap", "bytes", now.heap_bytes)
    yield Reading("gc_cycles", "1/s", now.cycles, counter=True)
    yield Reading("gc_pause", "share", now.paused_s, counter=True)
    if now.goroutines is not None:
        yield Reading("goroutines", "count", now.goroutines)
    if now.gomaxprocs is not None:
        yield Reading("gomaxprocs", "count", now.gomaxprocs)
    if cores is None:
        return
    assist, mark = cores
    yield Reading("gc_assist", "cores", assist)
    yield Reading("gc_mark", "cores", mark)
    if now.gomaxprocs:
        yield Reading("gc", "share", min(1.0, (assist + mark) / now.gomaxprocs))

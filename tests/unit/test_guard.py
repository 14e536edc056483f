"""The watch over the host from before the first load to after the last."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from test_host_noise import FakeSample, FakeWake

from breakstep.model.slo import parse_slo
from breakstep.session.guard import HostGuard

if TYPE_CHECKING:
    from breakstep.engine.host.watch import HostWatch
    from breakstep.model.record import TrustName

P99 = parse_slo("p99<50ms")


@dataclass(frozen=True)
class Heard(FakeWake):
    """A core with the list of late wake-ups that a guard keeps."""

    events: tuple[tuple[int, int], ...] = ()


@dataclass
class FakeWatch:
    """A watch whose takes are given."""

    late_ms: list[float] = field(default_factory=list)

    def take(self) -> FakeSample:
        """The next one."""
        return FakeSample([Heard(self.late_ms.pop(0))])


def guard(*late_ms: float) -> HostGuard:
    """Over a host that is so late, take by take."""
    return HostGuard(cast("HostWatch", FakeWatch(list(late_ms))))


def verdicts(watched: HostGuard) -> dict[str, TrustName]:
    """Of wake-ups, at both ends."""
    found = {check.name: check.verdict for check in watched.checks(0)}
    return {name: found[name] for name in ("wakeups_before", "wakeups_after") if name in found}


def test_a_host_that_is_not_fit_is_told_so_before_any_load() -> None:
    """With what is wrong and what to do; unfit at the end too, it gives no number."""
    watched = guard(12.0, 0.1, 12.0)
    (says,) = watched.gate_before([P99], 0, lambda: False)
    assert says.startswith("before the first load 1 % of wake-ups")
    assert "--pin" in says
    watched.gate_after([P99], 0, lambda: False)
    assert verdicts(watched) == {"wakeups_before": "invalid", "wakeups_after": "invalid"}


def test_noise_before_the_first_load_alone_is_a_label() -> None:
    """What the last step left behind is not the host's: it is taken away first."""
    watched = guard(12.0, 40.0, 0.1)
    watched.gate_before([P99], 0, lambda: False)
    watched.gate_after([P99], 0, lambda: False)
    assert verdicts(watched) == {"wakeups_before": "noisy", "wakeups_after": "trusted"}


def test_an_interrupted_run_is_not_made_to_wait() -> None:
    """Nobody looks at the host after it."""
    watched = guard(0.1)
    assert watched.gate_before([P99], 10**12, lambda: True) == []
    watched.gate_after([P99], 10**12, lambda: True)
    assert verdicts(watched) == {"wakeups_before": "trusted"}

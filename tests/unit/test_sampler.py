"""Probes are sampled each in a thread of its own, and fail alone."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

import pytest

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.model.signal import Sample
from breakstep.probe.reading import PartialError, Reading
from breakstep.probe.sampler import SERIES_MAX, Rates, Sampler

SPEC = ProbeSpec("host", "", "host", every_ns=1_000_000)
PATIENCE_S = 10.0


@dataclass
class Scripted:
    """A probe that does what it is told, again and again."""

    act: Callable[[], Sequence[Reading]]
    closed: threading.Event = field(default_factory=threading.Event)
    remark: str | None = None

    def read(self) -> Sequence[Reading]:
        """As scripted."""
        return self.act()

    def close(self) -> None:
        """Remembers it."""
        self.closed.set()


@dataclass
class Sink:
    """Takes what is delivered, and waits for enough of it."""

    samples: list[Sample] = field(default_factory=list)
    enough: int = 3
    _full: threading.Event = field(default_factory=threading.Event)

    def __call__(self, samples: Sequence[Sample]) -> None:
        """Delivers."""
        self.samples += samples
        if len(self.samples) >= self.enough:
            self._full.set()

    def wait(self) -> list[Sample]:
        """What came."""
        assert self._full.wait(PATIENCE_S)
        return self.samples


def sampled(act: Callable[[], Sequence[Reading]], sink: Sink) -> tuple[Sampler, Scripted]:
    """A sampler at work."""
    probe = Scripted(act)
    sampler = Sampler(SPEC, probe, sink)
    sampler.start()
    return sampler, probe


def test_a_gauge_is_kept_as_it_is() -> None:
    """With its signal, and the time at which it was read."""
    sink, before_s = Sink(), time.time()
    sampler, probe = sampled(lambda: [Reading("cpu", "share", 0.25)], sink)
    sample = sink.wait()[0]
    sampler.stop()
    assert (sample.signal.source, sample.signal.kind, sample.signal.name) == ("host", "host", "cpu")
    assert sample.value == 0.25
    assert before_s - 0.001 <= sample.at_s <= time.time() + 0.001
    assert probe.closed.is_set()


def test_a_counter_becomes_a_rate_in_the_middle_of_two_readings() -> None:
    """10 more in 2 s is 5 a second, at the second between."""
    rates = Rates()
    assert rates.value(Reading("n", "1/s", 100.0, counter=True), 10.0) is None
    assert rates.value(Reading("n", "1/s", 110.0, counter=True), 12.0) == (11.0, 5.0)


@pytest.mark.parametrize(("value", "at_s"), [(90.0, 12.0), (110.0, 10.0)])
def test_a_counter_that_fell_gives_no_rate(value: float, at_s: float) -> None:
    """The server began anew, or the clock stood still."""
    rates = Rates()
    rates.value(Reading("n", "1/s", 100.0, counter=True), 10.0)
    assert rates.value(Reading("n", "1/s", value, counter=True), at_s) is None


def test_a_share_is_never_above_1() -> None:
    """51 ticks in half a second are a whole core, not 1.02 of one; 2 cores remain 2."""
    rates = Rates()
    for name, unit, most in (("cpu", "share", 1.0), ("cores", "cores", 1.02)):
        rates.value(Reading(name, unit, 0.0, counter=True), 10.0)
        assert rates.value(Reading(name, unit, 0.51, counter=True), 10.5) == (10.25, most)


def test_what_a_source_cannot_tell_is_said_though_nothing_fails() -> None:
    """A kernel without pressure counters is no failure of each read."""
    sampler = Sampler(SPEC, Scripted(list, remark="no pressure here"), Sink())
    assert sampler.state().says == "no pressure here"
    assert sampler.state().failures == 0


def test_what_could_be_read_beside_a_failure_is_kept() -> None:
    """A part that fails is told, and costs only its own signals."""

    def act() -> Sequence[Reading]:
        raise PartialError("the page is gone", [Reading("cpu", "share", 1.0)])

    sink = Sink()
    sampler, _ = sampled(act, sink)
    assert sink.wait()[0].value == 1.0
    sampler.stop()
    state = sampler.state()
    assert (state.says, state.failures >= 3, state.samples >= 3) == ("the page is gone", True, True)


def test_a_read_that_fails_costs_its_samples_only() -> None:
    """The trouble is told, and the next read counts again."""
    turns = iter([True, False] * 1000)

    def act() -> Sequence[Reading]:
        if next(turns):
            raise ProbeError("the socket is gone")
        return [Reading("cpu", "share", 1.0)]

    sink = Sink()
    sampler, _ = sampled(act, sink)
    sink.wait()
    sampler.stop()
    state = sampler.state()
    assert state.failures >= 3
    assert state.samples >= 3
    assert state.says == "the socket is gone"


def test_an_exception_that_nobody_expected_does_not_end_the_sampling() -> None:
    """A server may send anything."""
    turns = iter([True] * 3 + [False] * 1000)

    def act() -> Sequence[Reading]:
        if next(turns):
            raise IndexError("list index out of range")
        return [Reading("cpu", "share", 1.0)]

    sink = Sink()
    sampler, _ = sampled(act, sink)
    sink.wait()
    sampler.stop()
    assert sampler.state().says == "IndexError: list index out of range"


def test_a_probe_that_hangs_is_left_behind() -> None:
    """Stopping takes seconds, not for ever, and what it says afterwards is not delivered."""
    release, sink = threading.Event(), Sink()

    def act() -> Sequence[Reading]:
        release.wait(60.0)
        return [Reading("cpu", "share", 1.0)]

    sampler, probe = sampled(act, sink)
    sampler.stop()
    assert probe.closed.is_set()
    assert sampler.state().silent_s is None
    release.set()
    assert sink.samples == []


def test_lies_are_not_kept() -> None:
    """Neither what is no number nor more series than a run can hold."""
    lies = [Reading("nan", "", float("nan")), Reading("inf", "", float("inf"))]
    many = [Reading(f"s{number}", "", 1.0) for number in range(2 * SERIES_MAX)]
    sink = Sink(enough=SERIES_MAX - 2)
    sampler, _ = sampled(lambda: [*lies, *many], sink)
    first = sink.wait()[: SERIES_MAX - 2]
    sampler.stop()
    assert len({sample.signal.name for sample in first}) == SERIES_MAX - 2
    assert sampler.state().says == f"only the first {SERIES_MAX} series are kept"


def test_names_that_change_at_every_read_come_to_an_end() -> None:
    """The series of a whole run are bounded, not only those of one read."""
    names = (f"s{number}" for number in count())
    sink = Sink(enough=SERIES_MAX)
    sampler, _ = sampled(lambda: [Reading(next(names), "", 1.0) for _ in range(600)], sink)
    sink.wait()
    sampler.stop()
    assert len({sample.signal.name for sample in sink.samples}) == SERIES_MAX
    assert sampler.state().says == f"only the first {SERIES_MAX} series are kept"

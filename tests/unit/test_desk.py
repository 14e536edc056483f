"""All probes of a run, from one place."""

import threading
import time
from collections.abc import Sequence

import pytest

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.model.signal import Sample, Signal
from breakstep.probe import desk as desks
from breakstep.probe.desk import ProbeDesk
from breakstep.probe.reading import Probe, Reading

PATIENCE_S = 10.0


class Constant:
    """A probe that always reads the same."""

    def read(self) -> Sequence[Reading]:
        """One value."""
        return [Reading("value", "count", 7.0)]

    def close(self) -> None:
        """Nothing to let go of."""


@pytest.fixture(autouse=True)
def opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every probe is constant but those at `nowhere`."""

    def open_probe(spec: ProbeSpec) -> Probe:
        if spec.where == "nowhere":
            raise ProbeError("nothing answers there")
        return Constant()

    monkeypatch.setattr(desks, "open_probe", open_probe)


def spec(where: str) -> ProbeSpec:
    """A probe of this place."""
    return ProbeSpec("json", where, f"json:{where}", every_ns=1_000_000)


def test_samples_wait_until_they_are_taken() -> None:
    """From every probe, each under its own label."""
    desk = ProbeDesk.open([spec("a"), spec("b")])
    desk.start()
    sources: set[str] = set()
    give_up = time.monotonic() + PATIENCE_S
    while len(sources) < 2 and time.monotonic() < give_up:
        sources |= {sample.signal.source for sample in desk.take()}
    desk.stop()
    assert sources == {"json:a", "json:b"}
    assert [state.label for state in desk.states()] == ["json:a", "json:b"]


def test_every_probe_that_cannot_be_read_is_named() -> None:
    """All at once, before any load."""
    with pytest.raises(ProbeError) as raised:
        ProbeDesk.open([spec("nowhere"), spec("a"), spec("nowhere")])
    assert str(raised.value).count("--probe json:nowhere: nothing answers there") == 2


def test_what_nobody_takes_is_bounded() -> None:
    """The rest is lost, and counted."""
    desk = ProbeDesk()
    sample = Sample(Signal("s", "json", "n", ""), 0.0, 0.0)
    desk.deliver([sample] * (desks.WAITING_MAX + 5))
    assert desk.lost == 5
    assert len(desk.take()) == desks.WAITING_MAX
    assert desk.take() == []


def test_no_thread_outlives_the_desk() -> None:
    """Nothing of it is left in the process."""
    before = threading.active_count()
    desk = ProbeDesk.open([spec("a")])
    desk.start()
    desk.stop()
    assert threading.active_count() == before

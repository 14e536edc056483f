"""The signals of a run, as they are kept and as the result speaks of them."""

from results import FOUND

from breakstep.analysis.signals import SeriesBuilder
from breakstep.model.probe import ProbeState
from breakstep.model.signal import Sample, Signal
from breakstep.probe.desk import ProbeDesk
from breakstep.session.signals import SignalBook, with_signals

LOAD = Signal("host", "host", "cpu", "share")
FINE = ProbeState("host", "host", samples=10, failures=0, silent_s=0.1, says=None)


def test_samples_beyond_the_room_are_counted() -> None:
    """Those that nobody took in time and those that were too many to keep."""
    book = SignalBook(ProbeDesk(), SeriesBuilder(room=3))
    book.desk.deliver([Sample(LOAD, float(at_s), 0.5) for at_s in range(5)])
    book.keep(None)
    assert book.lost == 2
    assert [len(series.values) for series in book.series()] == [3]


def test_the_answer_says_how_many_are_missing() -> None:
    """With what to do about it; a run that lost none says nothing."""
    says = with_signals(FOUND, (), [FINE], 1_234).answer.caveats[-1]
    assert "1 234 samples" in says
    assert "every=" in says
    assert with_signals(FOUND, (), [FINE], 0).answer.caveats == FOUND.answer.caveats

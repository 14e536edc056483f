"""The flags of `plan`, and the counts of a log."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.model.errors import PlanError
from breakstep.model.units import NS_PER_S
from breakstep.plan.capacity_flags import CapacityFlags, terms_from_flags
from breakstep.plan.counts import read_counts


def test_what_is_not_said_is_assumed_and_known_to_be() -> None:
    """No growth, no bursts, and one node may fail."""
    demand = terms_from_flags(CapacityFlags(peak="500")).demand
    assert (demand.per_s, demand.failures) == (500.0, 1)
    assert demand.source("burst") == demand.source("growth") == "assumed"


def test_shares_are_written_either_way() -> None:
    """30% is 0.3."""
    percent = terms_from_flags(CapacityFlags(peak="500", growth="30%", headroom="70%"))
    plain = terms_from_flags(CapacityFlags(peak="500/s", growth="0.3", headroom="0.7"))
    assert percent == plain
    assert percent.demand.per_s == 650.0
    assert percent.demand.source("growth") == "given"


def test_a_flag_counts_before_what_the_run_was_made_with() -> None:
    """The file's plan is there, its peak is replaced."""
    stored = {"peak": 300.0, "growth": 0.5, "failures": 2, "burst": None}
    terms = terms_from_flags(CapacityFlags(peak="500"), stored)
    assert (terms.demand.peak_per_s, terms.demand.growth, terms.demand.failures) == (500.0, 0.5, 2)
    assert terms.demand.source("burst") == "assumed"


def test_a_burst_from_a_log_is_measured() -> None:
    """Unless a flag says otherwise, which is then a fault: one of them is not meant."""
    assert terms_from_flags(CapacityFlags("500", counted_burst=1.4)).demand.burst == 1.4
    found = terms_from_flags(CapacityFlags("500", counted_burst=1.4)).demand
    assert found.source("burst") == "measured"
    with pytest.raises(PlanError, match="leave one out"):
        terms_from_flags(CapacityFlags("500", burst="1.2", counted_burst=1.4))


def test_times_are_durations() -> None:
    """A ramp and what it has to be held against."""
    scaling = terms_from_flags(CapacityFlags("500", ramp_rate="3", react="90s")).scaling
    assert (scaling.ramp_per_s2, scaling.react_ns) == (3.0, 90 * NS_PER_S)


def test_every_fault_is_listed_at_once() -> None:
    """Each with its flag; what came from the run's own plan is named as such."""
    flags = CapacityFlags(
        growth="-1",
        burst="0.5",
        headroom="0",
        react="soon",
        pool=0,
        reserved=-1,
        measured_on=0,
    )
    with pytest.raises(PlanError) as caught:
        terms_from_flags(flags, {"peak": "lots", "imbalance": 0.2})
    places = [fault.partition(": ")[0] for fault in caught.value.faults]
    assert sorted(places) == sorted(
        [
            *("the run's plan", "the run's plan", "--growth", "--burst", "--headroom", "--react"),
            *("--pool", "--reserved", "--measured-on"),
        ]
    )


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (CapacityFlags(), "--peak: say how many"),
        (CapacityFlags("500", react="90s"), "go together"),
        (CapacityFlags("500", failures=2, nodes=2), "leave none"),
        (CapacityFlags("500", max_connections=10, reserved=10), "leaves none"),
        (CapacityFlags("500", failures=-1), "--failures: '-1' is not a number from 0"),
    ],
)
def test_what_does_not_fit_together_is_a_fault(flags: CapacityFlags, words: str) -> None:
    """With the remedy."""
    with pytest.raises(PlanError, match=words):
        terms_from_flags(flags)


@given(st.text())
def test_any_text_is_a_share_or_a_fault(text: str) -> None:
    """Never another error, and never a number that is none."""
    try:
        growth = terms_from_flags(CapacityFlags("500", growth=text)).demand.growth
    except PlanError:
        return
    assert 0.0 <= growth <= 100.0


def test_counts_are_read_a_line_each(tmp_path: Path) -> None:
    """Empty lines are passed over."""
    file = tmp_path / "counts"
    file.write_text("12\n\n 7 \n0\n")
    assert read_counts(file) == [12, 7, 0]


@pytest.mark.parametrize("line", ["1.5", "-3", "twelve", "9" * 30, "1 2"])
def test_a_line_that_is_no_count_is_named(tmp_path: Path, line: str) -> None:
    """By its number."""
    file = tmp_path / "counts"
    file.write_text(f"12\n{line}\n")
    with pytest.raises(ValueError, match="line 2 is no count"):
        read_counts(file)


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    """As the system does."""
    with pytest.raises(ValueError, match="No such file"):
        read_counts(tmp_path / "nowhere")

"""Facts of the answer from several runs."""

from dataclasses import replace

from breakstep.model.record import Answer
from breakstep.search.repeats import together

RUN = Answer(
    "found",
    sustainable_per_s=400.0,
    broken_per_s=420.0,
    range_per_s=(400.0, 420.0),
    knee_per_s=410.0,
    knee_interval_per_s=(400.0, 420.0),
    capacity_per_s=415.0,
    caveats=("One run: it may break elsewhere.", "Arrivals were random."),
)


def held(rate_per_s: float) -> Answer:
    """A run that held so much and broke a little above."""
    return replace(
        RUN,
        sustainable_per_s=rate_per_s,
        broken_per_s=rate_per_s + 20.0,
        knee_per_s=rate_per_s + 10.0,
        knee_interval_per_s=(rate_per_s, rate_per_s + 20.0),
    )


def test_a_single_run_is_its_own_answer() -> None:
    """Its caveats say that it is alone."""
    assert together([RUN]) is RUN


def test_the_lowest_run_is_the_answer_and_the_range_is_said() -> None:
    """A plan rests on what every run held; the knee is the median of the runs."""
    found = together([held(400.0), held(380.0), held(410.0)])
    assert (found.sustainable_per_s, found.range_per_s) == (380.0, (380.0, 410.0))
    assert (found.broken_per_s, found.knee_per_s) == (400.0, 410.0)
    assert found.knee_interval_per_s == (380.0, 430.0)
    assert found.caveats == (
        "Arrivals were random.",
        "3 runs held between 380/s and 410/s: they differ by 7.5 %.",
    )


def test_runs_too_far_apart_are_no_basis_for_a_plan() -> None:
    """The spread is said with what to do about it."""
    found = together([held(400.0), held(250.0), held(410.0)])
    assert "too much to plan with" in found.caveats[-1]


def test_one_untrusted_run_withholds_the_number() -> None:
    """Whatever the others found."""
    found = together([held(400.0), Answer("untrusted", None, None)])
    assert (found.status, found.sustainable_per_s) == ("untrusted", None)
    assert found.caveats[-1] == "The runs do not agree: 1 found, 1 untrusted."


def test_runs_of_different_kinds_are_inconclusive() -> None:
    """A breaking point in one and none in the other is no answer."""
    found = together([held(400.0), Answer("above_ceiling", 500.0, None)])
    assert (found.status, found.range_per_s) == ("inconclusive", None)


def test_runs_that_all_held_everything_have_a_range_too() -> None:
    """The highest load of each."""
    found = together([Answer("above_ceiling", 500.0, None), Answer("above_ceiling", 480.0, None)])
    assert (found.status, found.sustainable_per_s) == ("above_ceiling", 480.0)

"""Durations and rates, as people write them and as they are shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.model.units import (
    NS_PER_S,
    format_duration,
    format_rate,
    parse_duration,
    parse_rate,
)


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("0s", 0),
        ("1ns", 1),
        ("3us", 3_000),
        ("3µs", 3_000),
        ("200ms", 200_000_000),
        ("1.5s", 1_500_000_000),
        (" 5s ", 5_000_000_000),
        ("3m", 180_000_000_000),
        ("2h", 7_200_000_000_000),
        ("0.1ns", 0),
    ],
)
def test_a_duration_is_a_number_with_a_unit(text: str, ns: int) -> None:
    """Every unit is read into nanoseconds, and blanks around it are no fault."""
    assert parse_duration(text) == ns


@pytest.mark.parametrize(
    "text", ["", "5", "ms", "5 s", "-5s", "+5s", "1e3s", "5sec", "5S", "1.s", ".5s", "1s2s", "nans"]
)
def test_anything_else_is_no_duration_and_the_message_shows_how(text: str) -> None:
    """The unit is never guessed."""
    with pytest.raises(ValueError, match="is not a duration: write a number with a unit"):
        parse_duration(text)


def test_a_duration_is_a_week_at_most() -> None:
    """Longer ones are typing errors, and beyond what the engine counts in."""
    assert parse_duration("168h") == 604_800 * NS_PER_S
    with pytest.raises(ValueError, match="is longer than a week"):
        parse_duration("169h")


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (1_000, "1 µs"),
        (62_400, "62.4 µs"),
        (204_800_000, "205 ms"),
        (1_000_000_000, "1 s"),
        (90_000_000_000, "90 s"),
        (3_600_000_000_000, "3 600 s"),
    ],
)
def test_a_duration_is_shown_with_three_digits(ns: int, text: str) -> None:
    """The unit is the largest that leaves at least one."""
    assert format_duration(ns) == text


@given(st.integers(1, 3_600 * NS_PER_S))
def test_a_duration_shown_and_read_again_is_within_half_a_percent(ns: int) -> None:
    """Three significant digits lose no more than that, whatever the unit."""
    assert parse_duration(format_duration(ns).replace(" ", "")) == pytest.approx(ns, rel=0.005)


@pytest.mark.parametrize(
    ("text", "rate_per_s"), [("150", 150.0), ("2.5", 2.5), ("150/s", 150.0), (" 1e3 ", 1000.0)]
)
def test_a_rate_is_a_number_above_zero(text: str, rate_per_s: float) -> None:
    """Requests a second, with or without saying so."""
    assert parse_rate(text) == rate_per_s


@pytest.mark.parametrize("text", ["", "0", "-1", "nan", "inf", "1e999", "ten", "5/m", "1,5"])
def test_anything_else_is_no_rate_and_the_message_shows_how(text: str) -> None:
    """Not a number, zero and without end are no load."""
    with pytest.raises(ValueError, match="is not a rate: write requests a second, such as 150"):
        parse_rate(text)


def test_a_rate_is_one_that_machines_can_send() -> None:
    """Beyond ten million a second it is a typing error, and a schedule without end."""
    assert parse_rate("1e7") == 1e7
    with pytest.raises(ValueError, match="is more than any machine sends"):
        parse_rate("10000001")


@pytest.mark.parametrize(
    ("rate_per_s", "text"),
    [(0.5, "0.5"), (42.06, "42.1"), (390.0, "390"), (1234.5, "1 234"), (1e6, "1 000 000")],
)
def test_a_rate_is_shown_with_three_digits_and_whole_from_100_on(
    rate_per_s: float, text: str
) -> None:
    """Thousands are set apart by a blank."""
    assert format_rate(rate_per_s) == text

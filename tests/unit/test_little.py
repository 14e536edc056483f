"""Little's law as a check of the bookkeeping."""

import numpy as np
from test_rows import rows

from breakstep.analysis.little import InFlightTime, little_check, little_error

SEEN = rows(*((10 * k, 10 * k + 7) for k in range(1_000)))


def test_right_bookkeeping_has_no_error() -> None:
    """A thousand arrivals of 7 ns each were 7 000 ns in flight."""
    assert little_error(SEEN, InFlightTime(7_000.0, 0, 0, 10_000)) == 0.0


def test_time_outside_of_the_window_does_not_count() -> None:
    """The last arrival is cut at the end of the window."""
    assert little_error(SEEN, InFlightTime(6_996.0, 0, 0, 9_993)) < 1e-9


def test_what_was_in_flight_before_is_allowed_for() -> None:
    """Twenty that began earlier add up to twenty response times."""
    assert little_error(SEEN, InFlightTime(7_100.0, 20, 0, 10_000)) == 0.0


def test_a_lost_arrival_is_found_out() -> None:
    """3 % fewer than were counted: invalid, and it is breakstep's own fault."""
    check = little_check(SEEN[: int(np.floor(0.97 * 1_000))], InFlightTime(7_000.0, 0, 0, 10_000))
    assert check.verdict == "invalid"
    assert "bookkeeping" in check.says
    assert little_check(SEEN, InFlightTime(7_000.0, 0, 0, 10_000)).verdict == "trusted"

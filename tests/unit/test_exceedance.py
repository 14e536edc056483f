"""The share of bad arrivals and its bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_rows import rows

from breakstep.analysis.exceedance import BATCHES, bounds, design_effect, estimate, told
from breakstep.analysis.rows import Rows
from breakstep.model.slo import parse_slo

P99 = parse_slo("p99<100ns")
LEVEL = 0.0125


def times(*response_ns: int) -> Rows:
    """Arrivals a microsecond apart."""
    return rows(*((1000 * k, 1000 * k + took) for k, took in enumerate(response_ns)))


def test_independent_arrivals_have_a_design_effect_near_one() -> None:
    """Batches of independent flags stray as much as they should."""
    random = np.random.default_rng(5)
    effects = [design_effect(random.random(20_000) < 0.01) for _ in range(50)]
    assert 1.0 <= np.mean(effects) <= 1.3


def test_bursts_have_a_large_design_effect() -> None:
    """Two hundred bad ones in a row say hardly more than one burst."""
    flags = np.zeros(20_000, np.bool_)
    flags[5_000:5_200] = True
    assert design_effect(flags) > 100.0


@given(st.floats(0.0, 1.0), st.floats(1.0, 1e6), st.floats(0.001, 0.4))
def test_the_share_lies_between_its_bounds(share: float, effective: float, level: float) -> None:
    """Whatever was seen."""
    lower, upper = bounds(share, effective, level)
    assert 0.0 <= lower <= share + 1e-9
    assert share - 1e-9 <= upper <= 1.0


def test_no_bad_arrival_among_n_is_bounded_as_it_is_known() -> None:
    """Without any: upper = 1 − level^(1/n)."""
    assert bounds(0.0, 299.0, 0.05)[1] == pytest.approx(1.0 - 0.05 ** (1.0 / 299.0))


def test_slow_arrivals_that_are_not_bad_yet_lend_their_bursts() -> None:
    """No bad one at all, but the slow ones come in one burst: far from certain."""
    calm = estimate(P99, times(*([10, 20] * 1_000)), 100, LEVEL)
    burst = [60 + k % 40 for k in range(300)]
    bursts = estimate(P99, times(*([10] * 1_700 + burst)), 100, LEVEL)
    assert calm.bad == bursts.bad == 0
    assert told(calm) == "pass"
    assert told(bursts) == "undecided"
    assert bursts.design_effect > 20.0 * calm.design_effect


def test_hiccups_far_below_the_bound_lend_nothing() -> None:
    """A burst at a sixth of the bound is the machine's, not the start of a queue."""
    burst = [14 + k % 4 for k in range(300)]
    hiccups = estimate(P99, times(*([10] * 1_700 + burst)), 100, LEVEL)
    assert hiccups.design_effect == 1.0
    assert told(hiccups) == "pass"


def test_errors_borrow_nothing() -> None:
    """The share of failures has nothing to do with how long the others took."""
    errors = estimate(parse_slo("errors<1%"), times(*([10] * 1_700 + [90] * 300)), None, LEVEL)
    assert errors.design_effect == 1.0


def test_fewer_arrivals_than_batches_say_nothing() -> None:
    """All is possible."""
    few = estimate(P99, times(*([500] * (BATCHES - 1))), 100, LEVEL)
    assert (few.lower, few.upper) == (0.0, 1.0)
    assert told(few) == "undecided"

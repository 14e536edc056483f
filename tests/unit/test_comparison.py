"""Head against base, from pairs of blocks."""

from struct import pack

import pytest
from gates import LOSS, block, blocks

from breakstep.analysis.comparison import block_of, compare, tail_quantile
from breakstep.analysis.rows import OK, Rows
from breakstep.model.check import Block, Comparison
from breakstep.model.slo import parse_slo
from breakstep.model.units import NS_PER_MS


def judged(found: list[Block]) -> Comparison:
    """With the usual loss and tail."""
    return compare(found, LOSS, 0.95)


def test_equal_code_is_green() -> None:
    """Blocks that differ by a per cent or two show no loss."""
    found = judged(blocks(1.0))
    assert found.verdict == "pass"
    assert [one.verdict for one in found.differences] == ["pass", "pass", "pass"]


@pytest.mark.parametrize("slower", [1.15, 1.2, 1.5])
def test_a_real_loss_is_red(slower: float) -> None:
    """A head that takes 15 % longer or more is red, and the change is said."""
    found = judged(blocks(slower))
    assert found.verdict == "fail"
    assert found.differences[0].change == pytest.approx(slower - 1.0, abs=0.01)
    assert f"+{100 * (slower - 1):.2g} %" in found.reasons[0]


def test_a_faster_head_is_green() -> None:
    """What got faster is no loss."""
    assert judged(blocks(0.7)).verdict == "pass"


def test_a_slowdown_below_what_is_ignored_is_green() -> None:
    """A third of the loss is nobody's alarm."""
    assert judged(blocks(1.03)).verdict == "pass"


def test_noise_that_would_hide_a_loss_leaves_it_undecided() -> None:
    """Where the pairs differ by half among themselves nothing is known."""
    noisy = [
        block(pair, side, 20.0 * (1.5 if (pair % 2 == 0) == (side == "base") else 1.0))
        for pair in range(8)
        for side in ("base", "head")
    ]
    assert judged(noisy).verdict == "undecided"


def test_one_frozen_block_is_no_alarm() -> None:
    """However slow a single block was, it is one of eight."""
    frozen = [
        block(one.pair, one.side, 100.0 * one.typical_ms)
        if one.typical_ms and one.pair == 3 and one.side == "head"
        else one
        for one in blocks(1.0)
    ]
    assert judged(frozen).verdict != "fail"


def test_drift_is_on_both_sides_of_a_pair() -> None:
    """A host that gets slower from pair to pair does not make the head slower."""
    drifting = [
        block(pair, side, 20.0 * 1.2**pair) for pair in range(8) for side in ("base", "head")
    ]
    assert judged(drifting).verdict == "pass"


def test_more_failures_are_red() -> None:
    """Five points more of bad arrivals, though the others are as fast as before."""
    failing = [
        block(pair, side, 20.0, 0.05 if side == "head" else 0.0)
        for pair in range(8)
        for side in ("base", "head")
    ]
    found = judged(failing)
    assert found.verdict == "fail"
    assert "5 % now" in found.reasons[0]


def test_a_head_that_only_fails_is_red() -> None:
    """With no ok arrival there is no time to compare, and the share of bad ones tells."""
    dead = [
        Block(pair, side, 400, None, None, 1.0) if side == "head" else block(pair, side, 20.0)
        for pair in range(8)
        for side in ("base", "head")
    ]
    assert judged(dead).verdict == "fail"


def test_a_slower_tail_alone_is_red() -> None:
    """One arrival in ten much slower hardly moves the typical time."""
    tails = [
        Block(pair, side, 400, 20.0, (300.0 if side == "head" else 40.0) + pair % 3, 0.0)
        for pair in range(8)
        for side in ("base", "head")
    ]
    found = judged(tails)
    assert [one.verdict for one in found.differences] == ["pass", "fail", "pass"]


def test_three_pairs_tell_nothing() -> None:
    """Fewer than four pairs have no spread worth the name."""
    found = judged(blocks(1.5)[:6])
    assert found.verdict == "undecided"
    assert "3 pairs" in found.reasons[0]


def test_a_block_without_a_partner_takes_no_part() -> None:
    """The last block of an interrupted check is left out."""
    assert judged([*blocks(1.0), block(8, "head", 900.0)]).pairs == 8


def test_the_tail_is_no_further_out_than_a_block_tells() -> None:
    """Ten arrivals have to lie beyond it."""
    slos = (parse_slo("p99<1s"),)
    assert tail_quantile(slos, 5_000) == 0.99
    assert tail_quantile(slos, 300) == 0.95
    assert tail_quantile(slos, 10) == 0.50


def test_a_block_counts_what_failed_and_what_was_over_the_bound() -> None:
    """Of four arrivals one failed and one was too slow; the typical time is of the ok ones."""
    ended = ((10, OK), (40, OK), (20, OK), (20, OK + 1))
    rows = Rows.decode(b"".join(pack("<4Q", 0, 0, ms * NS_PER_MS, what) for ms, what in ended))
    found = block_of(rows, 0, "head", 0.5, 30 * NS_PER_MS)
    assert found.bad_share == 0.5
    assert found.typical_ms == pytest.approx(20.0)
    assert found.tail_ms == 20.0

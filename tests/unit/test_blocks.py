"""The order in which two versions take turns."""

from collections import Counter

from breakstep.session.blocks import turns


def test_each_pair_has_both_versions_one_after_the_other() -> None:
    """Whatever the seed."""
    for seed in range(20):
        order = turns(7, seed)
        assert [pair for pair, _ in order] == [number // 2 for number in range(14)]
        assert Counter(side for _, side in order) == {"base": 7, "head": 7}


def test_two_pairs_mirror_each_other() -> None:
    """ABBA or BAAB: what drifts evenly cancels."""
    sides = [side for _, side in turns(10, 3)]
    assert all(sides[at : at + 4] == sides[at : at + 4][::-1] for at in range(0, 20, 4))


def test_chance_chooses_and_the_seed_fixes_it() -> None:
    """Another seed is another order, the same seed the same."""
    assert turns(10, 1) == turns(10, 1)
    assert len({tuple(turns(10, seed)) for seed in range(20)}) > 5

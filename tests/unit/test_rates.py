"""Facts of loads as people read them."""

from breakstep.search.rates import midway


def test_the_middle_is_legible_where_that_lies_between() -> None:
    """A load that people can say, unless the gap is too narrow for one."""
    assert midway(100.0, 150.0) == 122.0
    assert 100.0 < midway(100.0, 100.1) < 100.1

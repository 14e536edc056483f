"""Cores are shared out as the machine has them."""

import pytest

from breakstep.lab.place import Cores, share


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ([0], Cores()),
        ([2, 5], Cores((2,), (2,), (5,))),
        ([0, 1, 2], Cores((0,), (1,), (2,))),
        ([0, 1, 2, 3], Cores((0,), (1,), (2, 3))),
    ],
)
def test_every_part_gets_what_there_is(allowed: list[int], expected: Cores) -> None:
    """One core is shared by all, on two the database is with the generator, then each has its."""
    assert share(allowed) == expected


def test_says_what_is_shared() -> None:
    """The report says it in words."""
    assert str(share([0])) == "one core for all: nothing is pinned"
    assert str(share([0, 1])) == (
        "generator and database on core 0, the database with a lower priority; app on core 1"
    )
    assert str(share([0, 1, 2, 3])) == "generator on core 0, database on 1, app on 2,3"

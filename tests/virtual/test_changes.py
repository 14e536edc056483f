"""How often a comparison of two versions is right; `benchmarks.change_rates` has it in full."""

from virtual.changes import Scene, verdicts

STEADY = Scene("M/D/8", "constant:{:.4f}ms", 8, 20.0, 0.6, 400)
RANDOM = Scene("M/M/8", "exponential:{:.4f}ms", 8, 20.0, 0.6, 500)
CHECKS = 30


def test_equal_code_is_never_red() -> None:
    """Steady or random, in sixty checks."""
    for scene in (STEADY, RANDOM):
        assert verdicts(scene, 1.0, CHECKS)["fail"] == 0, scene


def test_a_steady_service_is_known_exactly() -> None:
    """Equal code green, a fifth slower red, every time."""
    assert verdicts(STEADY, 1.0, CHECKS) == {"pass": CHECKS}
    assert verdicts(STEADY, 1.2, CHECKS) == {"fail": CHECKS}


def test_a_fifth_slower_is_red_though_times_are_random() -> None:
    """Nine times in ten, with exponential service times."""
    assert verdicts(RANDOM, 1.2, CHECKS)["fail"] >= 0.9 * CHECKS


def test_a_noisy_host_makes_it_undecided_rather_than_wrong() -> None:
    """Where blocks differ by a tenth for no reason, one check in a hundred may be."""
    noisy = Scene("M/D/8", "constant:{:.4f}ms", 8, 20.0, 0.6, 400, noise=0.1)
    assert verdicts(noisy, 1.0, 100)["fail"] <= 1

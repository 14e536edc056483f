"""Known queues."""

import json
from pathlib import Path

import pytest

from breakstep.analysis.theory import knee_rho, mdc_tail, mmc_tail

ROWS = json.loads((Path(__file__).parents[1] / "data" / "reference_knees.json").read_text())["rows"]


@pytest.mark.parametrize("row", [row for row in ROWS if row["servers"] in (1, 4)], ids=str)
def test_the_reference_knees_are_reproduced(row: dict[str, float]) -> None:
    """By the closed form for M/M/c; M/D/c stays where the tail is cheap to compute."""
    for law in ("M/M", "M/D"):
        known = row[f"{law}/c"]
        if known is None or (law == "M/D" and known > 0.95):
            continue
        found = knee_rho(
            "M/M" if law == "M/M" else "M/D",
            int(row["servers"]),
            row["quantile"],
            row["slo_over_service"],
        )
        assert found == pytest.approx(known, abs=2e-4)


def test_one_exponential_server_has_an_exponential_tail() -> None:
    """P(R > t) = e^{−(1 − ρ)t}."""
    assert mmc_tail(1, 0.5, 4.0) == pytest.approx(0.1353352832)


def test_a_constant_service_is_never_shorter_than_itself() -> None:
    """Everyone takes longer than nine tenths of a service, and 1 − ρ of them exactly one."""
    assert mdc_tail(1, 0.3, 0.9) == 1.0
    assert mdc_tail(1, 0.3, 1.0) == pytest.approx(0.3, abs=1e-9)


def test_a_bound_below_the_service_has_no_knee() -> None:
    """One service alone breaks it."""
    assert knee_rho("M/M", 1, 0.99, 4.0) is None

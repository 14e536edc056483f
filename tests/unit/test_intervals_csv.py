"""The row of one second."""

from fakes import FakeTally

from breakstep.store.intervals_csv import COLUMNS, Span, row

SPAN = Span(1_700_000_000.0, 1_700_000_001.0, 2, "hold", 4)


def test_a_row_has_every_column() -> None:
    """Counts, quantiles in ms and the share of a core, each under its name."""
    tally = FakeTally(
        ok_ms=[10.0, 20.0, 30.0],
        failed={"timeout": 1},
        lateness_ms=[0.1, 0.2],
        cpu_ns=250_000_000,
    )
    cells = dict(zip(COLUMNS, row(SPAN, tally), strict=True))
    assert cells["from"] == "1700000000.000"
    assert (cells["step"], cells["phase"], cells["arrivals"]) == (2, "hold", 4)
    assert (cells["ok"], cells["timeout"], cells["dropped"]) == (3, 1, 0)
    assert (cells["response_p50_ms"], cells["response_max_ms"]) == ("20.000", "30.000")
    assert (cells["lateness_p99_ms"], cells["in_flight_end"]) == ("0.200", 4)
    assert cells["generator_cpu_share"] == "0.250"


def test_a_second_without_arrivals_has_empty_quantiles() -> None:
    """Nothing recorded is an empty cell, not zero."""
    cells = dict(zip(COLUMNS, row(SPAN, FakeTally()), strict=True))
    assert cells["arrivals"] == 0
    assert cells["response_p50_ms"] is None

"""The requests of a mix on a terminal."""

from dataclasses import replace
from io import StringIO

import pytest
from fakes import record
from rich.console import Console

from breakstep.model.outcome import OUTCOMES
from breakstep.model.record import RequestRecord, StepRecord, VerdictName
from breakstep.report.requests import SHOWN, requests_table, telling_step


def request(arrivals: int, ok: int) -> RequestRecord:
    """So many arrivals, the others failed."""
    times = record(0, 1.0).response_ms
    failed = {"ok": ok, "http_error": arrivals - ok}
    return RequestRecord(arrivals, ok, {**dict.fromkeys(OUTCOMES, 0), **failed}, times)


def mixed(step: StepRecord, *names: str) -> StepRecord:
    """The step with requests of these names, each with more arrivals than the one before."""
    requests = {name: request(2 * number, number) for number, name in enumerate(names)}
    return replace(step, requests=requests)


def lines(step: StepRecord) -> list[str]:
    """The table as plain text."""
    console = Console(file=StringIO(), width=100)
    with console.capture() as captured:
        console.print(requests_table(step))
    return [line.rstrip() for line in captured.get().splitlines()]


@pytest.mark.parametrize(
    ("verdicts", "telling"), [(("pass", "fail", "fail"), 1), (("pass", "pass", "undecided"), 2)]
)
def test_requests_are_told_apart_where_the_load_broke(
    verdicts: tuple[VerdictName, ...], telling: int
) -> None:
    """At the lowest load that failed; where none did, at the highest."""
    steps = [
        mixed(record(number, 100.0 + number, verdict), "a", "b")
        for number, verdict in enumerate(verdicts)
    ]
    assert telling_step(steps) == steps[telling]


def test_a_single_request_has_no_table() -> None:
    """It would say what the steps say."""
    assert telling_step([record(0, 100.0)]) is None


def test_most_arrivals_come_first_and_nothing_is_divided_by_none() -> None:
    """Half of each request failed; one had no arrivals."""
    table = lines(mixed(record(0, 400.0), "never", "browse", "[b]pay"))
    assert table[0].split()[:4] == ["at", "400/s", "arrivals", "p50"]
    assert [line.split()[0] for line in table[2:]] == ["[b]pay", "browse", "never"]
    assert [line.split()[1] for line in table[2:]] == ["4", "2", "0"]
    assert [line[-6:] for line in table[2:]] == ["50.0 %", "50.0 %", " 0.0 %"]


def test_a_name_cannot_speak_to_the_terminal() -> None:
    """A result may come from anywhere."""
    table = lines(mixed(record(0, 400.0), "a", "b\x1b[2J\nc"))
    assert table[2].startswith("b\\x1b[2J\\nc ")


def test_no_terminal_is_flooded() -> None:
    """The rest is counted."""
    table = lines(mixed(record(0, 400.0), *map(str, range(1_000))))
    assert len(table) == SHOWN + 3
    assert table[-1] == "and 980 more"

"""What a run shows while it goes on."""

import io

import pytest
from fakes import record
from results import staircase
from rich.console import Console
from searching import SHAPE

from breakstep._engine import Tally
from breakstep.engine.ledger import Second
from breakstep.engine.step_runner import Snapshot
from breakstep.report.progress import (
    LiveView,
    Now,
    Silent,
    heading,
    live_text,
    progress_on,
    step_line,
    step_text,
)
from breakstep.session.live import Screen

NOW = Now(
    phase="hold",
    elapsed_s=4.0,
    length_s=10.0,
    sent_per_s=401.0,
    completed_per_s=389.0,
    goodput_per_s=322.4,
    p50_ms=120.0,
    p95_ms=310.2,
    p99_ms=None,
    in_flight=1_204,
    errors=0.012,
    lateness_p99_ms=0.31,
    generator_cpu_share=0.311,
)


def test_the_step_under_way_shows_the_last_second() -> None:
    """Rates, quantiles, backlog, errors, lateness and the generator's own load."""
    assert live_text(NOW) == (
        "hold 4 of 10 s\n"
        "  sent 401/s · completed 389/s · goodput 322/s · errors 1.2 % · in flight 1 204\n"
        "  p50 120 ms · p95 310 ms · p99 – · lateness p99 310 µs · generator CPU 31.1 %"
    )


def test_a_finished_step_is_one_line() -> None:
    """What was offered, how it went, and the verdict with its reason."""
    assert step_line(staircase()[3]) == (
        "step 4: 400/s offered, goodput 318/s, p50 164 ms, p95 312 ms, p99 325 ms, errors 2.5 %, "
        "fail: p95 was 312 ms, above 200 ms"
    )


def show(*, terminal: bool, quiet: bool = False) -> str:
    """What one step leaves on a console."""
    file = io.StringIO()
    console = Console(file=file, width=100, force_terminal=terminal, _environ={"TERM": "xterm"})
    with progress_on(console, quiet=quiet) as progress:
        progress.started(heading(SHAPE.step(0, 300.0)))
        progress.now(NOW)
        progress.finished(step_text(record(0, 300.0)))
    return file.getvalue()


def test_a_log_gets_one_line_for_each_step() -> None:
    """Without a terminal there is nothing to redraw."""
    assert show(terminal=False).splitlines() == [step_line(record(0, 300.0))]


def test_a_terminal_shows_the_step_under_way_and_keeps_the_finished_one() -> None:
    """Both the live view and the line are drawn."""
    text = show(terminal=True)
    assert "hold 4 of 10 s" in text
    assert "step 1: 300/s offered, goodput" in text


class Errors(Silent):
    """Remembers the share of errors of every second shown."""

    def __init__(self) -> None:
        self.shown: list[float] = []

    def now(self, now: Now) -> None:
        """One more."""
        self.shown.append(now.errors)


def test_a_second_is_shown_once_and_none_from_before_the_load() -> None:
    """A second in which nothing ended has no errors."""
    progress, before = Errors(), Second(0, 1, "drain")
    screen, warming = Screen(progress), Second(1, 2, "warmup")
    for second in (None, before, warming, warming):
        screen.look(Snapshot("warmup", 1, 9, 0, Tally(), 0, 0, second))
    assert progress.shown == [0.0]


def test_quiet_shows_nothing() -> None:
    """Not a byte, terminal or not."""
    assert show(terminal=True, quiet=True) == ""


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    """With NO_COLOR set a terminal gets no colour codes."""
    monkeypatch.setenv("NO_COLOR", "1")
    file = io.StringIO()
    LiveView(Console(file=file, force_terminal=True)).finished(step_text(record(0, 300.0, "fail")))
    assert "fail: " in file.getvalue()
    assert "\x1b[31m" not in file.getvalue()

"""What a run shows while it goes on: the step under way, and a line for each one finished.

Everything goes to the console it is given; the caller makes that one of standard error.
"""

from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from breakstep.analysis.words import counted
from breakstep.model.plan import Step
from breakstep.model.record import StepRecord
from breakstep.model.units import format_rate
from breakstep.report.columns import duration, errors_share, reason, share
from breakstep.report.table import STYLES

REFRESH_PER_S = 4


@dataclass(frozen=True, slots=True)
class Now:
    """The last second of the step under way. Rates are requests a second, durations ms."""

    phase: str
    elapsed_s: float
    length_s: float
    sent_per_s: float
    completed_per_s: float
    goodput_per_s: float
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    in_flight: int
    errors: float
    lateness_p99_ms: float | None
    generator_cpu_share: float


class Progress(Protocol):
    """Shows a run. Entered before the first load, left after the last."""

    def __enter__(self) -> Self:
        """Starts to show."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leaves the terminal as it was."""
        ...

    def started(self, heading: str) -> None:
        """A step or a level begins; the heading says which, and what it offers."""
        ...

    def now(self, now: Now) -> None:
        """A second of it has passed."""
        ...

    def finished(self, line: Text) -> None:
        """It is over; the line says what became of it."""
        ...


def progress_on(console: Console, *, quiet: bool) -> Progress:
    """Nothing if quiet, a live view on a terminal, a line for each step anywhere else."""
    if quiet:
        return Silent()
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveView(console)
    return Lines(console)


class Silent:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        pass

    def started(self, heading: str) -> None:
        """Shows nothing."""

    def now(self, now: Now) -> None:
        """Shows nothing."""

    def finished(self, line: Text) -> None:
        """Shows nothing."""


class Lines(Silent):
    """Prints one line for each finished step or level."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def finished(self, line: Text) -> None:
        """Prints the line."""
        self._console.print(line, soft_wrap=True)


class LiveView(Lines):
    """Keeps the load under way at the bottom of the terminal, the finished ones above it."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._live = Live(
            console=console,
            refresh_per_second=REFRESH_PER_S,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._heading = ""

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()

    def started(self, heading: str) -> None:
        """Shows the load before anything is known of it."""
        self._heading = heading
        self._live.update(Text(heading), refresh=True)

    def now(self, now: Now) -> None:
        """Shows the last second."""
        self._live.update(Text(f"{self._heading}, {live_text(now)}"), refresh=True)

    def finished(self, line: Text) -> None:
        """Moves the load up among the finished ones."""
        self._live.update(Text(""))
        super().finished(line)


def heading(step: Step) -> str:
    """Which step it is and what it offers."""
    return f"step {step.index + 1}: {format_rate(step.rate_per_s)}/s offered"


def live_text(now: Now) -> str:
    """The last second of a load, three lines."""
    return (
        f"{now.phase} {now.elapsed_s:.0f} of {now.length_s:.0f} s\n"
        f"  sent {format_rate(now.sent_per_s)}/s · completed {format_rate(now.completed_per_s)}/s"
        f" · goodput {format_rate(now.goodput_per_s)}/s · errors {share(now.errors)}"
        f" · in flight {counted(now.in_flight)}\n"
        f"  p50 {duration(now.p50_ms)} · p95 {duration(now.p95_ms)} · p99 {duration(now.p99_ms)}"
        f" · lateness p99 {duration(now.lateness_p99_ms)}"
        f" · generator CPU {share(now.generator_cpu_share)}"
    )


def step_text(step: StepRecord) -> Text:
    """The line of a finished step, its verdict coloured."""
    line = Text(step_line(step))
    line.highlight_words([f"{step.verdict.name}:"], STYLES[step.verdict.name])
    return line


def step_line(step: StepRecord) -> str:
    """A finished step in one line."""
    says = reason(step)
    why = "" if says is None else says.partition(": ")[2]
    verdict = f"{step.verdict.name}: {why}" if why else step.verdict.name
    return (
        f"step {step.index + 1}: {format_rate(step.offered_per_s)}/s offered, "
        f"goodput {format_rate(step.goodput_per_s)}/s, p50 {duration(step.response_ms.p50)}, "
        f"p95 {duration(step.response_ms.p95)}, p99 {duration(step.response_ms.p99)}, "
        f"errors {share(errors_share(step))}, {verdict}"
    )

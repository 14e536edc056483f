"""Writes a run while it goes on, so that what was measured is kept whatever happens next."""

import csv
from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self, TextIO

from breakstep.analysis.measured import Tally
from breakstep.model.record import Result
from breakstep.model.signal import Sample
from breakstep.store import histogram_log, intervals_csv, signals_csv
from breakstep.store.intervals_csv import Cell, Span
from breakstep.store.result_json import dumps
from breakstep.store.run_directory import (
    HISTOGRAMS,
    INTERVALS,
    REPORT,
    RESULT,
    SIGNALS,
    RunDirectory,
    storing,
)


class RunWriter:
    """The files of one run. Every row is on its way to the disk before the call returns."""

    def __init__(self, directory: RunDirectory, started_at: float) -> None:
        self.directory = directory
        self._started_at = started_at
        with ExitStack() as files:
            self._intervals = files.enter_context(directory.open_new(INTERVALS))
            self._signals = files.enter_context(directory.open_new(SIGNALS))
            self._histograms = files.enter_context(directory.open_new(HISTOGRAMS))
            self._append_row(self._intervals, intervals_csv.COLUMNS)
            self._append_row(self._signals, signals_csv.COLUMNS)
            self._append(self._histograms, histogram_log.header(started_at))
            self._files = files.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def interval(self, span: Span, tally: Tally) -> None:
        """Appends one finished second: its row, and its response and service times."""
        self._append_row(self._intervals, intervals_csv.row(span, tally))
        start_s, length_s = span.from_s - self._started_at, span.to_s - span.from_s
        histograms = {"response": tally.response(), "service": tally.histogram("service")}
        lines = (
            histogram_log.line(tag, start_s, length_s, histogram)
            for tag, histogram in histograms.items()
        )
        self._append(self._histograms, "".join(lines))

    def signals(self, samples: Sequence[Sample]) -> None:
        """Appends samples of signals."""
        for sample in samples:
            self._append_row(self._signals, signals_csv.row(sample), flush=False)
        with storing(self.directory.path):
            self._signals.flush()

    def finish(self, result: Result, report_html: str) -> None:
        """Writes the result and the report; may be called again as the result grows."""
        self.directory.write(RESULT, dumps(result))
        self.directory.write(REPORT, report_html)

    def close(self) -> None:
        """Closes the files; harmless when they are closed already."""
        with storing(self.directory.path):
            self._files.close()

    def _append_row(self, file: TextIO, cells: tuple[Cell, ...], *, flush: bool = True) -> None:
        with storing(self.directory.path):
            csv.writer(file, lineterminator="\n").writerow(cells)
            if flush:
                file.flush()

    def _append(self, file: TextIO, text: str) -> None:
        with storing(self.directory.path):
            file.write(text)
            file.flush()

"""What a run leaves on the disk second by second, whatever the command."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from breakstep._engine import Engine
from breakstep.engine.ledger import Second
from breakstep.model.signal import Sample, Signal
from breakstep.model.units import NS_PER_S
from breakstep.store.intervals_csv import Span
from breakstep.store.run_directory import RunDirectory
from breakstep.store.writer import RunWriter

_CPU = Signal("generator", "generator", "cpu", "cores")
_RUN_DELAY = Signal("generator", "generator", "run_delay", "tasks")


def open_writer(
    out: Path | None, engine: Engine
) -> AbstractContextManager[RunWriter] | AbstractContextManager[None]:
    """The writer of a run on this engine; None where nothing is to be written."""
    if out is None:
        return nullcontext()
    return RunWriter(RunDirectory.create(out), engine.epoch_wall_ns / NS_PER_S)


def keep(
    writer: RunWriter | None, epoch_wall_ns: int, second: Second, step: int, run: int = 0
) -> None:
    """Writes a finished second of a step, and what the generator used in it."""
    if writer is None:
        return
    epoch_s = epoch_wall_ns / NS_PER_S
    from_s, to_s = (epoch_s + at_ns / NS_PER_S for at_ns in (second.from_ns, second.to_ns))
    span = Span(from_s, to_s, step, second.phase, second.in_flight_end, run)
    writer.interval(span, second.tally)
    middle_s, length_ns = (from_s + to_s) / 2.0, max(1, second.to_ns - second.from_ns)
    cores, tasks = second.tally.cpu_ns / length_ns, second.tally.run_delay_ns / length_ns
    writer.signals([Sample(_CPU, middle_s, cores), Sample(_RUN_DELAY, middle_s, tasks)])

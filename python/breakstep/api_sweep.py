"""The Python interface to the closed model."""

from collections.abc import Sequence
from pathlib import Path

from breakstep.model.record import Result
from breakstep.model.sweep import CONCURRENCY, SweepPlan
from breakstep.plan.source import flags_from
from breakstep.plan.sweep_flags import sweep_from_flags
from breakstep.plan.words import Flags
from breakstep.report.progress import Silent
from breakstep.session.around import Around, new_run
from breakstep.session.interrupts import interrupts
from breakstep.session.sweep import sweep as run_sweep


def sweep(  # noqa: PLR0913  the words of the command line
    url: str,
    *,
    concurrency: Sequence[int] = CONCURRENCY,
    think: str = "0s",
    compare_open: bool = False,
    hold: str | None = None,
    warmup: str | None = None,
    timeout: str | None = None,
    max_in_flight: int | None = None,
    seed: int | None = None,
    workers: int | None = None,
    pin: Sequence[int] = (),
    spin: bool | None = None,
    method: str | None = None,
    headers: Sequence[tuple[str, str]] = (),
    data: str | None = None,
    keep_alive: bool | None = None,
    insecure: bool | None = None,
    ca_file: str | None = None,
    unix_socket: str | None = None,
    authorized: Sequence[str] = (),
    out: str | Path | None = None,
) -> Result:
    """Measures the throughput of `url` with so many users at a time: the closed model.

    `url` may be the path of a load-model file; what is said here counts before it. The words are
    those of `breakstep sweep`. Nothing is printed; files are written only to `out`. Ctrl-C ends the
    sweep and returns the levels that were measured. A closed model slows down with the service, so
    it never finds it broken: `find` does that.

    Raises PlanError (with every fault), TargetError, EngineError or StoreError.

        from breakstep.store.sweep_json import sweep_of
        result = breakstep.sweep("http://127.0.0.1:8080/", concurrency=[1, 2, 4, 8])
        print(sweep_of(result).knee)
    """
    flags = Flags(
        hold=hold,
        warmup=warmup,
        timeout=timeout,
        max_in_flight=max_in_flight,
        seed=seed,
        workers=workers,
        pin=",".join(map(str, pin)) or None,
        spin=spin,
        method=method,
        header=[f"{name}: {value}" for name, value in headers],
        data=data,
        keep_alive=keep_alive,
        insecure=insecure,
        cacert=ca_file,
        unix_socket=unix_socket,
        authorized=authorized,
    )
    flags = flags_from(url, flags)
    levels = ",".join(map(str, concurrency))
    plan = sweep_from_flags(flags, levels, think, compare_open=compare_open)
    return _run(plan, None if out is None else Path(out))


def _run(plan: SweepPlan, out: Path | None) -> Result:
    with interrupts() as stopping:
        around = Around(
            run=new_run(),
            out=out,
            progress=Silent(),
            say=lambda _line: None,
            stopping=stopping,
        )
        return run_sweep(plan, around)

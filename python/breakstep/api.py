"""The Python interface: the same plan, loop and records as the command line."""

from collections.abc import Sequence
from pathlib import Path

from breakstep.model.plan import Plan
from breakstep.model.record import Result
from breakstep.plan.source import plan_from
from breakstep.plan.words import Flags
from breakstep.report.progress import Silent
from breakstep.session.around import Around, new_run
from breakstep.session.find import find as run_find
from breakstep.session.interrupts import interrupts


def find(  # noqa: PLR0913  the words of the command line
    url: str,
    *,
    slo: str | Sequence[str] = (),
    steps: Sequence[float] | None = None,
    from_per_s: float | None = None,
    to_per_s: float | None = None,
    by_per_s: float | None = None,
    effort: str | None = None,
    budget: str | None = None,
    hold: str | None = None,
    ramp: str | None = None,
    warmup: str | None = None,
    arrivals: str | None = None,
    timeout: str | None = None,
    max_in_flight: int | None = None,
    seed: int | None = None,
    workers: int | None = None,
    pin: Sequence[int] = (),
    spin: bool | None = None,
    abort: bool | None = None,
    repeat: int | None = None,
    between: str | None = None,
    servers: int | None = None,
    predict_only: bool | None = None,
    experiment: str | None = None,
    raised: float | None = None,
    probe: str | Sequence[str] = (),
    method: str | None = None,
    data: str | None = None,
    headers: Sequence[tuple[str, str]] = (),
    keep_alive: bool | None = None,
    insecure: bool | None = None,
    ca_file: str | None = None,
    unix_socket: str | None = None,
    authorized: Sequence[str] = (),
    out: str | Path | None = None,
) -> Result:
    """Finds the load at which `url` breaks.

    `url` may be the path of a load-model file; what is said here counts before it. The words are
    those of `breakstep find`: durations such as `"200ms"`, rates in requests a second. Nothing is
    printed; files are written only to `out`. Ctrl-C ends the run and returns what was measured.

    Raises PlanError (with every fault), TargetError, ProbeError, EngineError or StoreError.

        result = breakstep.find("http://127.0.0.1:8080/", slo="p95<200ms", steps=[50, 100, 150])
        print(result.answer.sustainable_per_s, result.steps[-1].verdict.reasons)
    """
    flags = Flags(
        slo=(slo,) if isinstance(slo, str) else slo,
        steps=None if steps is None else ",".join(f"{rate!r}" for rate in steps),
        from_=_text(from_per_s),
        to=_text(to_per_s),
        by=_text(by_per_s),
        effort=effort,
        budget=budget,
        hold=hold,
        ramp=ramp,
        warmup=warmup,
        arrivals=arrivals,
        timeout=timeout,
        max_in_flight=max_in_flight,
        seed=seed,
        workers=workers,
        pin=",".join(map(str, pin)) or None,
        spin=spin,
        abort=abort,
        repeat=repeat,
        between=between,
        servers=servers,
        predict_only=predict_only,
        experiment=experiment,
        raised=raised,
        probe=(probe,) if isinstance(probe, str) else probe,
        method=method,
        data=data,
        header=[f"{name}: {value}" for name, value in headers],
        keep_alive=keep_alive,
        insecure=insecure,
        cacert=ca_file,
        unix_socket=unix_socket,
        authorized=authorized,
    )
    return _run(plan_from(url, flags), out)


def _run(plan: Plan, out: str | Path | None) -> Result:
    with interrupts() as stopping:
        around = Around(
            run=new_run(),
            out=None if out is None else Path(out),
            progress=Silent(),
            say=lambda _line: None,
            stopping=stopping,
        )
        return run_find(plan, around)


def _text(rate_per_s: float | None) -> str | None:
    return None if rate_per_s is None else repr(rate_per_s)

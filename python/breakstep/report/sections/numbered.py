"""The steps of a result with the number of their run, where there is more than one."""

from breakstep.model.record import Result, StepRecord


def numbered(result: Result) -> list[tuple[tuple[str, ...], StepRecord]]:
    """Each step with the cells that come before its own: the run, from 1, or nothing."""
    several = len(result.runs) > 1
    return [
        ((str(number),) if several else (), step)
        for number, run in enumerate(result.runs, start=1)
        for step in run.steps
    ]


def run_column(result: Result) -> tuple[tuple[str, str], ...]:
    """The heading of those cells."""
    return (("run", ""),) if len(result.runs) > 1 else ()

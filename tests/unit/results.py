"""Whole results for tests of the store and the reports."""

from dataclasses import replace

from fakes import record, trust_of, with_failures

from breakstep.model.record import Result, StepRecord
from breakstep.model.slo import parse_slo
from breakstep.search.answer import Terms, answer, run_record
from breakstep.search.controller import Done

TERMS = Terms((parse_slo("p95<200ms"), parse_slo("errors<1%")), assumed=False, arrivals="poisson")
PLAN = {
    "target": {"url": "http://127.0.0.1:8080/"},
    "slos": ["p95<200ms", "errors<1%"],
    "headers": {"authorization": "(redacted)"},
}
ENVIRONMENT = {"breakstep": "0.1.0", "cores": 2, "kernel": "Linux 6.1"}


def staircase() -> list[StepRecord]:
    """Three loads that held and one that broke, slowly and with failures."""
    broken = record(3, 400.0, "fail", p95_ms=312.0, queue="growing")
    broken = replace(with_failures(broken, timeout=90, http_error=12), goodput_per_s=318.2)
    return [
        record(0, 300.0),
        record(1, 350.0, p95_ms=48.5),
        record(2, 390.0, p95_ms=120.0),
        broken,
    ]


def result(
    history: list[StepRecord],
    done: Done,
    terms: Terms = TERMS,
    trust: str = "trusted",
) -> Result:
    """What `find` would have made of this history."""
    return Result(
        id="20260102T030405Z-1a2b3c",
        command="find",
        plan=PLAN,
        environment=ENVIRONMENT,
        runs=(run_record(history, done, seed=7),),
        answer=answer(history, done, terms),
        trust=trust_of(trust),
    )


FOUND = result(staircase(), Done("broken", "400/s failed"))

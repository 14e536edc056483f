"""`result.json`, format `breakstep.result/1`: every key is present, null where nothing is known.

Only `requests` of a step is left out, where the plan has one request.

History of the format: 1, the first. What was added to it since: the `why` of a run and the
`estimate` of a criterion.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from breakstep.model.errors import StoreError
from breakstep.model.record import (
    FORMAT,
    Answer,
    Check,
    Criterion,
    Durations,
    Estimate,
    Generator,
    InFlight,
    RequestRecord,
    Result,
    RunRecord,
    StepRecord,
    Trust,
    Verdict,
)
from breakstep.store.format import check_format, known
from breakstep.store.run_directory import RESULT

NOT_OBSERVED: Mapping[str, Any] = {
    "kind": "not_observed",
    "resource": None,
    "confidence": "low",
    "evidence": [],
    "alternatives": [],
}

_ENVELOPE = ("format", "command", "id", "plan", "environment", "runs", "answer", "trust")
_NUMBERS = (
    "index",
    "offered_per_s",
    "arrivals",
    "sent",
    "completed",
    "ok",
    "sent_per_s",
    "completed_per_s",
    "goodput_per_s",
    "connections_opened",
    "retried",
    "unsolicited",
    "bytes_in",
    "bytes_out",
    "queue",
    "cut_short",
)
_DURATIONS = (
    "response_ms",
    "service_ms",
    "first_byte_ms",
    "lateness_ms",
    "generator_lag_ms",
    "connect_ms",
)


def to_json(result: Result) -> dict[str, Any]:
    """The result as JSON values. A section named `diagnosis` replaces `not_observed`."""
    return {
        "format": FORMAT,
        "command": result.command,
        "id": result.id,
        "plan": dict(result.plan),
        "environment": dict(result.environment),
        "runs": [run_to_json(run) for run in result.runs],
        "answer": answer_to_json(result.answer),
        "diagnosis": dict(NOT_OBSERVED),
        "trust": _trust_to_json(result.trust),
        **result.sections,
    }


def dumps(result: Result) -> str:
    """The text of `result.json`."""
    return json.dumps(to_json(result), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def from_json(document: Mapping[str, Any]) -> Result:
    """The result that `to_json` wrote. Raises StoreError for another format or a missing key."""
    check_format(document.get("format"))
    try:
        return _result(document)
    except KeyError as error:
        raise StoreError(f"the result is incomplete: {error} is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"the result is damaged: {error}") from error


def read_result(path: Path) -> Result:
    """The result of a run directory, or of the file itself. Raises StoreError."""
    file = path / RESULT if path.is_dir() else path
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise StoreError(
            f"cannot read {file}: {error.strerror or error}; name a run directory or its {RESULT}"
        ) from error
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{file} is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise StoreError(f"{file} is not a result: it holds no JSON object")
    return from_json(document)


def _lists(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Tuples as the lists that JSON makes of them."""
    return {key: list(v) if isinstance(v, tuple) else v for key, v in mapping.items()}


def answer_to_json(answer: Answer) -> dict[str, Any]:
    """The answer as JSON values."""
    return _lists(asdict(answer))


def run_to_json(run: RunRecord) -> dict[str, Any]:
    """One run with its steps as JSON values."""
    return {
        "seed": run.seed,
        "stop_reason": run.stop_reason,
        "why": run.why,
        "sustainable_per_s": run.sustainable_per_s,
        "broken_per_s": run.broken_per_s,
        "steps": [step_to_json(step) for step in run.steps],
    }


def step_to_json(step: StepRecord) -> dict[str, Any]:
    """One step as JSON values."""
    return {
        **{name: getattr(step, name) for name in _NUMBERS},
        "outcomes": dict(step.outcomes),
        "statuses": {str(status): count for status, count in step.statuses.items()},
        "causes": dict(step.causes),
        **{name: asdict(getattr(step, name)) for name in _DURATIONS},
        "in_flight": asdict(step.in_flight),
        "generator": asdict(step.generator),
        "verdict": step.verdict.name,
        "reasons": list(step.verdict.reasons),
        "criteria": [asdict(criterion) for criterion in step.verdict.criteria],
        "window": {"from": step.window_from, "to": step.window_to},
        "trust": _trust_to_json(step.trust),
        **_requests_to_json(step.requests),
    }


def _requests_to_json(requests: Mapping[str, RequestRecord]) -> dict[str, Any]:
    """The one key that is not always there: a single request has no series beside the step's."""
    if not requests:
        return {}
    return {"requests": {name: asdict(request) for name, request in requests.items()}}


def _trust_to_json(trust: Trust) -> dict[str, Any]:
    return {"verdict": trust.verdict, "checks": [asdict(check) for check in trust.checks]}


def _result(document: Mapping[str, Any]) -> Result:
    observed = document["diagnosis"] != NOT_OBSERVED
    own = {*_ENVELOPE, *(() if observed else ("diagnosis",))}
    return Result(
        id=document["id"],
        command=document["command"],
        plan=document["plan"],
        environment=document["environment"],
        runs=tuple(_run(run) for run in document["runs"]),
        answer=_answer(document["answer"]),
        trust=_trust(document["trust"]),
        sections={key: value for key, value in document.items() if key not in own},
    )


def _answer(answer: Mapping[str, Any]) -> Answer:
    values = {key: tuple(v) if isinstance(v, list) else v for key, v in answer.items()}
    return known(Answer, values)


def _run(run: Mapping[str, Any]) -> RunRecord:
    steps = tuple(_step(step) for step in run["steps"])
    return known(RunRecord, {"why": "", **run, "steps": steps})


def _step(step: Mapping[str, Any]) -> StepRecord:
    durations: dict[str, Any] = {name: known(Durations, step[name]) for name in _DURATIONS}
    return StepRecord(
        **{name: step[name] for name in _NUMBERS},
        **durations,
        outcomes=step["outcomes"],
        statuses={int(status): count for status, count in step["statuses"].items()},
        causes=step["causes"],
        in_flight=known(InFlight, step["in_flight"]),
        generator=known(Generator, step["generator"]),
        window_from=step["window"]["from"],
        window_to=step["window"]["to"],
        verdict=_verdict(step),
        trust=_trust(step["trust"]),
        requests={name: _request(record) for name, record in step.get("requests", {}).items()},
    )


def _request(record: Mapping[str, Any]) -> RequestRecord:
    return RequestRecord(**{**record, "response_ms": Durations(**record["response_ms"])})


def _verdict(step: Mapping[str, Any]) -> Verdict:
    criteria = tuple(_criterion(criterion) for criterion in step["criteria"])
    return Verdict(step["verdict"], criteria, tuple(step["reasons"]))


def _criterion(criterion: Mapping[str, Any]) -> Criterion:
    estimate = criterion.get("estimate")
    return known(Criterion, {**criterion, "estimate": estimate and known(Estimate, estimate)})


def _trust(trust: Mapping[str, Any]) -> Trust:
    return Trust(trust["verdict"], tuple(known(Check, check) for check in trust["checks"]))

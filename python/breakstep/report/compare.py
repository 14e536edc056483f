"""Runs against the first of them, as text for a terminal and as the envelope of every verb."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from breakstep.analysis.words import percent
from breakstep.model.comparison import CommonLoad, CostChange, KneeChange, RunComparison
from breakstep.model.printable import printable
from breakstep.model.record import FORMAT, Answer, Durations, Result
from breakstep.model.units import NS_PER_MS, format_duration, format_rate
from breakstep.report.finding import finding_of
from breakstep.report.runs import started

NOTHING = "–"
VALUE_LONGEST = 40
_QUANTILES = ("p50", "p95", "p99")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
RUNS_MOST = len(_LETTERS)


def compare_text(results: Sequence[Result], found: Sequence[RunComparison]) -> str:
    """The runs by letter, then each against the first."""
    lines = [_run(letter, result) for letter, result in zip(_LETTERS, results, strict=False)]
    for letter, result, one in zip(_LETTERS[1:], results[1:], found, strict=False):
        lines += ["", f"{letter} against A", *_paragraphs(results[0], result, one, letter)]
    return "\n".join(lines)


def compare_envelope(
    results: Sequence[Result], found: Sequence[RunComparison], run: str
) -> dict[str, Any]:
    """The section `compare` in the envelope of the first run."""
    first = results[0]
    return {
        "format": FORMAT,
        "command": "compare",
        "id": run,
        "plan": dict(first.plan),
        "environment": dict(first.environment),
        "trust": asdict(first.trust),
        "compare": {
            "base": first.id,
            "runs": [
                {"id": result.id, **_section(first, result, one)}
                for result, one in zip(results[1:], found, strict=True)
            ],
        },
    }


def _section(first: Result, result: Result, one: RunComparison) -> dict[str, Any]:
    section = asdict(one)
    if not one.compared:
        section["knee"] |= {"change": None, "interval": None, "direction": "unknown"}
    findings = (finding_of(run) for run in (first, result))
    before, after = (
        None if f is None else {"kind": f.kind, "resource": f.resource} for f in findings
    )
    return {**section, "diagnosis": {"before": before, "after": after}}


def _run(letter: str, result: Result) -> str:
    target = result.plan.get("target") or (result.plan.get("base") or {}).get("target") or {}
    at, where = started(result.environment.get("started_at")), printable(str(target.get("url", "")))
    return "  ".join(word for word in (letter, printable(result.id), at, where) if word)


def _paragraphs(first: Result, result: Result, one: RunComparison, letter: str) -> Iterator[str]:
    for difference in one.unlike:
        values = (printable(v, VALUE_LONGEST) for v in (difference.before, difference.after))
        yield f"Unlike: {printable(difference.name)} {' → '.join(values)}."
    yield _knee(one, f"{_load(first.answer)} → {_load(result.answer)}")
    before, after = _finding(first), _finding(result)
    yield f"First full: {f'{before} in both' if before == after else f'{before} → {after}'}."
    yield from _loads(one.loads, letter)
    yield from (_cost(cost, compared=one.compared) for cost in one.costs)
    if not one.costs and "signals" in first.sections and "signals" in result.sections:
        yield (
            "CPU a request is not known of a program that was watched in both: it takes four loads "
            "whose queue did not grow."
        )


def _knee(one: RunComparison, both: str) -> str:
    knee = one.knee
    if not one.compared:
        names = dict.fromkeys(d.name for d in one.unlike if d.weight == "decisive")
        return (
            f"Not compared: {', '.join(names)} are not alike, so that {both} need not be the "
            "service's doing. Measure both on the same terms, or compare --anyway."
        )
    if knee.interval is None:
        return f"Not compared: {knee.says}."
    return {
        "higher": f"Breaks later: {both}, {_change(knee)}.",
        "lower": f"Breaks earlier: {both}, {_change(knee)}.",
    }.get(
        knee.direction,
        f"No difference is shown: {both}, {_change(knee)}. Longer or more runs would tell more.",
    )


def _change(knee: KneeChange) -> str:
    low, high = knee.interval or (None, None)
    sure = " (95 %)" if knee.basis == "knee" else ""
    if low is None or high is None:
        ends = [f"at least {_signed(low)}"] if low is not None else []
        ends += [f"at most {_signed(high)}"] if high is not None else []
        return " and ".join(ends) or "with no bound on either side"
    change = "" if knee.change is None else f"{_signed(knee.change)}, "
    return f"{change}between {_signed(low)} and {_signed(high)}{sure}"


def _loads(loads: Sequence[CommonLoad], letter: str) -> Iterator[str]:
    """A row for each load that both were offered."""
    if not loads:
        yield "No load was offered in both; give both runs the same --steps to see their quantiles."
        return
    heads = "".join(f"  {f'{name} A → {letter}':<20}" for name in _QUANTILES)
    yield f"{'load':>8}{heads}  verdict"
    for load in loads:
        cells = "".join(f"  {_pair(load, name):<20}" for name in _QUANTILES)
        verdict = load.before if load.before == load.after else f"{load.before} → {load.after}"
        yield f"{format_rate(load.before_per_s):>6}/s{cells}  {verdict}"


def _pair(load: CommonLoad, name: str) -> str:
    return f"{_duration(load.before_ms, name)} → {_duration(load.after_ms, name)}"


def _duration(durations: Durations, name: str) -> str:
    value_ms: float | None = getattr(durations, name)
    return NOTHING if value_ms is None else format_duration(value_ms * NS_PER_MS)


def _cost(cost: CostChange, *, compared: bool) -> str:
    change = f" ({_signed(cost.after_ms / cost.before_ms - 1.0)})" if compared else ""
    return (
        f"CPU of {printable(cost.source)}: {cost.before_ms:.3g} → {cost.after_ms:.3g} ms a "
        f"request{change}."
    )


def _finding(result: Result) -> str:
    finding = finding_of(result)
    if finding is None:
        return "not observed"
    what = finding.kind.replace("_", " ")
    where = "" if finding.resource is None else f" of {printable(finding.resource)}"
    return f"{what}{where} ({finding.confidence})"


def _load(answer: Answer) -> str:
    """Where a run broke, as far as it knows."""
    if answer.status == "below_floor" and answer.broken_per_s is not None:
        return f"under {format_rate(answer.broken_per_s)}/s"
    load = answer.sustainable_per_s if answer.knee_per_s is None else answer.knee_per_s
    if load is None:
        return "an unknown load"
    return f"{'over ' if answer.status == 'above_ceiling' else ''}{format_rate(load)}/s"


def _signed(share: float) -> str:
    return f"{'−' if share < 0.0 else '+'}{percent(abs(share))}"

"""A result as a page of Markdown: short enough for a pull request, and all of the answer."""

from collections.abc import Iterator, Mapping, Sequence

from breakstep.analysis.words import percent, signed_percent
from breakstep.model.check import BAD, Difference, Gate
from breakstep.model.record import Criterion, Result, VerdictName
from breakstep.model.units import NS_PER_MS, format_duration
from breakstep.report.columns import COLUMNS
from breakstep.report.conclusion import warnings
from breakstep.report.finding import finding_of
from breakstep.report.markup import listed, plain, table
from breakstep.report.told import answered, is_search, told
from breakstep.report.why import finding_text
from breakstep.store.check_json import SECTION, gate_of

MARKS: Mapping[VerdictName, str] = {"pass": "✅", "fail": "❌", "undecided": "❔", "invalid": "⚠️"}
STEPS_MAX = 40
COLUMNS_SHOWN = ("offered", "completed", "goodput", "p50", "p95", "p99", "errors", "verdict")


def markdown(result: Result) -> str:
    """The page: headline, criteria or steps, what broke first, what limits it."""
    parts = [_title(result), *_body(result), *_why(result), *_limits(result), _facts(result)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(result: Result) -> str:
    gated = SECTION in result.sections
    mark = f"{MARKS[gate_of(result).verdict]} " if gated else ""
    return f"## {mark}breakstep {plain(result.command)}\n\n{plain(answered(result))}"


def _body(result: Result) -> Iterator[str]:
    if is_search(result):
        yield _steps(result)
        return
    if SECTION not in result.sections:
        yield listed(told(result).splitlines()[1:])
        return
    gate = gate_of(result)
    if gate.comparison is not None:
        yield _differences(gate, gate.comparison.differences)
    elif gate.criteria:
        yield _criteria(gate)
    if gate.remedy is not None:
        yield f"**Remedy:** {plain(gate.remedy)}."


def _mark(gate: Gate, verdict: VerdictName) -> str:
    """What was measured without trust neither passed nor failed."""
    return MARKS["invalid" if gate.verdict == "invalid" else verdict]


def _criteria(gate: Gate) -> str:
    rows = [
        (
            _mark(gate, one.verdict),
            one.slo,
            _value(one, one.value),
            _value(one, one.limit),
            one.says,
        )
        for one in gate.criteria
    ]
    return table(("", "objective", "measured", "limit", "says"), rows, ("measured", "limit"))


def _value(criterion: Criterion, value: float | None) -> str:
    if value is None:
        return "–"
    of_time = criterion.slo.rpartition(":")[2].strip().startswith("p")
    return format_duration(value * NS_PER_MS) if of_time else percent(value)


def _differences(gate: Gate, differences: Sequence[Difference]) -> str:
    rows = [
        (
            _mark(gate, one.verdict),
            one.measure,
            *_sides(one),
            signed_percent(one.change),
            _range(one),
        )
        for one in differences
    ]
    headings = ("", "measure", "base", "head", "change", "surely within")
    return table(headings, rows, headings[2:])


def _sides(one: Difference) -> tuple[str, str]:
    def shown(value: float) -> str:
        of_time = one.measure != BAD
        return format_duration(value * NS_PER_MS) if of_time else percent(value)

    return shown(one.base), shown(one.head)


def _range(one: Difference) -> str:
    return f"{signed_percent(one.lower)} to {signed_percent(one.upper)}"


def _steps(result: Result) -> str:
    if not result.steps:
        return ""
    columns = [column for column in COLUMNS if column.name in COLUMNS_SHOWN]
    headings = [f"{column.name} {column.unit}".strip() for column in columns]
    shown = result.steps[-STEPS_MAX:]
    rows = [[column.cell(step) for column in columns] for step in shown]
    missing = len(result.steps) - len(shown)
    more = f"\n\n{missing} earlier steps are left out." if missing else ""
    return table(headings, rows, headings[:-1]) + more


def _why(result: Result) -> list[str]:
    finding = finding_of(result)
    text = "" if finding is None else finding_text(finding)
    broke = result.answer.broken_per_s is not None
    return [listed(line.strip() for line in text.splitlines())] if text and broke else []


def _limits(result: Result) -> list[str]:
    notes = [*result.answer.caveats, *(f"{says}." for says in warnings(result))]
    told_already = SECTION not in result.sections and not is_search(result)
    if not notes or told_already:
        return []
    return [f"<details><summary>What limits it</summary>\n\n{listed(notes)}\n\n</details>"]


def _facts(result: Result) -> str:
    facts = [f"run {result.id}", f"trust: {result.trust.verdict}"]
    facts += [
        f"{key} {result.environment[key]}" for key in _ENVIRONMENT if key in result.environment
    ]
    return f"<sub>{plain(', '.join(facts))}</sub>"


_ENVIRONMENT = ("breakstep", "cores", "kernel")

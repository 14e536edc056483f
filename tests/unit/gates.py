"""Results of gates for tests of the reports: one load, and two versions compared."""

from dataclasses import replace

from fakes import record, trust_of
from results import ENVIRONMENT, PLAN

from breakstep.analysis.comparison import compare
from breakstep.model.check import Block, Gate, Side
from breakstep.model.record import Answer, Criterion, Result, RunRecord, VerdictName
from breakstep.store.check_json import SECTION, to_section

RATE = 300.0
LOSS = 0.15
WIGGLE = (0.0, 0.01, -0.01, 0.005, -0.005, 0.02, -0.02, 0.0)


def block(pair: int, side: Side, typical_ms: float, bad_share: float = 0.0) -> Block:
    """A block of four hundred arrivals with a tail at twice its typical time."""
    return Block(pair, side, 400, typical_ms, 2.0 * typical_ms, bad_share)


def blocks(slower: float, base_ms: float = 20.0) -> list[Block]:
    """Eight pairs that differ by this, and by a per cent or two among themselves."""
    return [
        one
        for pair, wiggle in enumerate(WIGGLE)
        for one in (
            block(pair, "base", base_ms),
            block(pair, "head", base_ms * slower * (1.0 + wiggle)),
        )
    ]


def gated(verdict: VerdictName) -> Result:
    """One load with this verdict."""
    step = record(0, RATE, verdict, p95_ms=312.0 if verdict == "fail" else 36.0)
    remedies: dict[VerdictName, str] = {
        "undecided": "hold the load longer: --for 120s",
        "invalid": "use a quieter machine",
    }
    gate = Gate(
        offered_per_s=RATE,
        verdict=verdict,
        criteria=step.verdict.criteria,
        reasons=step.verdict.reasons,
        remedy=remedies.get(verdict),
        from_run=None,
    )
    return _result(gate, RunRecord(7, "ceiling", "one load", None, None, (step,)))


def compared(slower: float) -> Result:
    """Head against base, slower by this factor."""
    found = compare(blocks(slower), LOSS, 0.95)
    criteria = tuple(
        Criterion(f"{d.measure}<+{100 * d.limit:g}%", d.change, d.limit, d.verdict, d.says)
        for d in found.differences
    )
    gate = Gate(RATE, found.verdict, criteria, found.reasons, None, None, found)
    return _result(gate, RunRecord(7, "ceiling", "every block was offered", None, None, ()))


def hostile(text: str) -> Result:
    """A gate with this text wherever others may put theirs."""
    result = gated("fail")
    says = Criterion(text, 1.0, 2.0, "fail", text)
    gate = Gate(RATE, "fail", (says,), (text,), text, text)
    return replace(
        result,
        id=text,
        plan={"target": {"url": text}, "slos": [text], "arrivals": text},
        environment={"started_at": text, "breakstep": text, "kernel": text},
        answer=replace(result.answer, caveats=(text,)),
        sections={SECTION: to_section(gate)},
    )


def _result(gate: Gate, run: RunRecord) -> Result:
    return Result(
        id="20260102T030405Z-1a2b3c",
        command="check",
        plan=PLAN,
        environment=ENVIRONMENT,
        runs=(run,),
        answer=Answer("inconclusive", None, None),
        trust=trust_of("invalid" if gate.verdict == "invalid" else "trusted"),
        sections={SECTION: to_section(gate)},
    )

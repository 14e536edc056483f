"""What a load beside it did to an endpoint, in words: while it is measured, and at the end."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from breakstep.analysis.interference import harms, ok_per_s
from breakstep.analysis.trust import CPU_NOISY
from breakstep.analysis.words import percent
from breakstep.model.interfere import Offer, Pair
from breakstep.model.record import Result, StepRecord
from breakstep.model.units import NS_PER_MS, format_duration, format_rate
from breakstep.report.finding import finding_of
from breakstep.report.why import finding_text
from breakstep.store.interfere_json import SECTION


def phase_heading(where: str, offered: Offer) -> str:
    """What is about to be measured."""
    return f"victim {where}, {offered}"


def pair_line(number: int, pair: Pair) -> Text:
    """One repeat."""
    return Text(f"{number}  alone {_side(pair.alone)}; under load {_side(pair.under_load)}")


def conclusion(result: Result) -> str:
    """The ratios, what they mean, why, and the generator's own room."""
    section = result.sections[SECTION]
    finding = finding_of(result)
    parts = [
        _ratios(section),
        "" if finding is None else finding_text(finding),
        _headroom(section),
        *result.answer.caveats,
    ]
    return "\n".join(part for part in parts if part)


def sentence(section: Mapping[str, Any]) -> str:
    """What became of the victim's throughput and of its p99."""
    throughput, tail = section["throughput_ratio"], section["p99_ratio"]
    if throughput is None:
        return f"No answer: {section['why']}."
    says = f"Under load the victim keeps {_spread(throughput)} of its throughput"
    if throughput[1] and harms(throughput[1], None):
        says += f", {1.0 / throughput[1]:.3g} times less"
    if tail is None:
        return f"{says}; {section['why']}."
    return f"{says}, and its p99 is {_times(tail)}."


def _ratios(section: Mapping[str, Any]) -> str:
    throughput, tail = section["throughput_ratio"], section["p99_ratio"]
    says = sentence(section)
    if throughput is not None and tail is not None and not harms(throughput[1], tail[1]):
        return f"{says} The load beside it does it no harm."
    return says


def _headroom(section: Mapping[str, Any]) -> str:
    share = section["headroom"]["busiest_worker_share"]
    if share is None:
        return ""
    return (
        f"The generator's busiest thread used {percent(share)} of a core with the victim alone: "
        "what it sent was not limited by itself."
        if share <= CPU_NOISY
        else f"The generator's busiest thread used {percent(share)} of a core: it was the limit."
    )


def _spread(ratio: Sequence[float]) -> str:
    low, middle, high = (percent(one) for one in ratio)
    return f"{middle} ({low} to {high})" if low != high else middle


def _times(ratio: Sequence[float]) -> str:
    low, middle, high = (f"{one:.3g}" for one in ratio)
    spread = f" ({low} to {high})" if low != high else ""
    return f"{middle} times as long{spread}"


def _side(step: StepRecord) -> str:
    tail = step.response_ms.p99
    p99 = "no answer" if tail is None else f"p99 {format_duration(tail * NS_PER_MS)}"
    return f"{format_rate(ok_per_s(step))}/s, {p99}"

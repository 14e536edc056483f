"""What one request costs in CPU, as text and as the section `doctor` of the envelope."""

from typing import Any

from breakstep.analysis.cost import Cost, Costs
from breakstep.analysis.words import counted
from breakstep.model.units import NS_PER_MS, format_duration, format_rate
from breakstep.report.doctor import checks_table, table


def cost_text(found: Costs) -> str:
    """A row for each process, and what it means for a core."""
    asked = f"{counted(found.requests)} requests, one after another"
    if found.response_p50_ms is not None:
        asked += f", answered in {format_duration(found.response_p50_ms * NS_PER_MS)} (p50)"
    rows = [(cost.source, _row(cost)) for cost in found.costs]
    parts = (
        f"CPU for a request of {found.url}\n{asked}",
        table(rows),
        checks_table(found.trust.checks),
        "Interrupted: fewer requests than meant." if found.interrupted else "",
    )
    return "\n\n".join(part for part in parts if part)


def cost_section(found: Costs) -> dict[str, Any]:
    """The values of the section."""
    return {
        "interrupted": found.interrupted,
        "cost": {
            "url": found.url,
            "requests": found.requests,
            "failed": found.failed,
            "response_p50_ms": found.response_p50_ms,
            "sources": [
                {
                    "source": cost.source,
                    "cpu_ms": cost.mean_ms,
                    "interval_ms": None if cost.interval_ms is None else list(cost.interval_ms),
                    "idle_cores": cost.idle_cores,
                    "ceiling_per_s": cost.ceiling_per_s,
                    "batches": cost.batches,
                }
                for cost in found.costs
            ],
        },
    }


def _row(cost: Cost) -> str:
    if cost.mean_ms is None or cost.interval_ms is None:
        return "too few requests to tell: give it more --seconds"
    low, high = cost.interval_ms
    says = f"{cost.mean_ms:.3g} ms ({low:.3g} to {high:.3g})"
    if cost.ceiling_per_s is not None and low > 0.0:
        says += f"; a core is full at {format_rate(cost.ceiling_per_s)}/s"
    return f"{says}; without requests {cost.idle_cores:.3g} cores"

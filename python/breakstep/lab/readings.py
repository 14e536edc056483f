"""Readings of the signals of a run, for truths and figures."""

from collections.abc import Iterator, Mapping
from typing import Any

from breakstep.lab.experiment import Found, Held, Measured, Truth
from breakstep.lab.steps import trusted_steps


def at_the_top(measured: Measured, source: str, name: str) -> float | None:
    """The mean of a signal over the window of the highest load that was trusted."""
    steps = trusted_steps(measured)
    if not steps:
        return None
    values = [one["mean"] for one in _signals(measured, steps[-1].index) if _is(one, source, name)]
    return None if not values else float(values[0])


def shown(measured: Measured, source: str, name: str, form: str = ".2f") -> str:
    """The same as a figure."""
    value = at_the_top(measured, source, name)
    return "not sampled" if value is None else format(value, form)


def reads(
    key: str, source: str, name: str, *, at_least: float | None = None, at_most: float | None = None
) -> Truth:
    """A signal at the highest load lies between bounds. `source` is the label of its probe."""

    def judge(found: Found) -> Held:
        value = at_the_top(found[key], source, name)
        if value is None:
            return Held(None, f"no sample of {source} {name}, or no step that was trusted")
        low, high = at_least or 0.0, float("inf") if at_most is None else at_most
        return Held(low <= value <= high, f"{value:.3g}")

    bounds = [f"≥ {at_least:g}"] if at_least is not None else []
    bounds += [f"≤ {at_most:g}"] if at_most is not None else []
    return Truth(
        f"{key} at its highest load: {source} {name} {' and '.join(bounds)}", (key,), judge
    )


def _signals(measured: Measured, index: int) -> Iterator[Mapping[str, Any]]:
    if measured.result is not None:
        for step in measured.result.sections.get("signals", {"steps": []})["steps"]:
            if step["index"] == index:
                yield from step["signals"]


def _is(signal: Mapping[str, Any], source: str, name: str) -> bool:
    return signal["source"] == source and signal["name"] == name and signal["mean"] is not None

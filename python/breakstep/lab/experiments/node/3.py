"""Users who wait for their answers never find a service broken; those who do not wait do."""

from breakstep.lab.experiment import Experiment, Figure, Found, Held, Run, Truth
from breakstep.lab.experiments.node._common import NEEDS
from breakstep.lab.loads import Sweep
from breakstep.lab.stacks.node import Shop
from breakstep.lab.sweeps import levels_of
from breakstep.model.sweep import Comparison
from breakstep.store.sweep_json import sweep_of

USERS = 60
LOAD = {
    "think": "200ms",
    "hold": "20s",
    "warmup": "2s",
    "timeout": "5s",
    "compare_open": True,
}
KEY = "users"


def _comparison(found: Found) -> Comparison | None:
    result = found[KEY].result
    return None if result is None else sweep_of(result).compare_open


def _errors(found: Found) -> Held:
    both = _comparison(found)
    if both is None or both.trust.verdict == "invalid":
        return Held(None, "the open model was not measured, or not trusted")
    closed, opened = both.closed.errors, both.open.errors
    return Held(closed == 0.0 and opened > 0.05, f"closed {closed:.1%}, open {opened:.1%}")


def _law(found: Found) -> Held:
    """What users do not spend thinking they spend waiting."""
    for level in levels_of(found[KEY]):
        laws, mean_ms = level.laws, level.response_ms.mean
        if level.unusable is None and laws.interactive_error is not None:
            says = f"R {mean_ms:.0f} ms, N/X − Z {laws.interactive_ms:.0f} ms"
            return Held(laws.interactive_error <= 0.1, says)
    return Held(None, "the level was not to be used")


def _ours(found: Found) -> str:
    both = _comparison(found)
    if both is None:
        return "not measured"
    closed, opened = both.closed, both.open
    return (
        f"closed p95 {closed.response_ms.p95:.0f} ms, {closed.errors:.1%} errors; "
        f"open {both.nominal_per_s:.0f}/s p95 {opened.response_ms.p95:.0f} ms, "
        f"{opened.errors:.1%}; {both.not_sent} never sent"
    )


EXPERIMENT = Experiment(
    name="node/3",
    title="open against closed",
    shows="Sixty users who wait for their answers slow down with the service and see no error; the "
    "same demand from users who do not wait breaks it.",
    needs=NEEDS,
    runs=(Run(KEY, Shop(database=False), Sweep("/cpu", (USERS,), LOAD)),),
    truths=(
        Truth("closed no error, open more than 5 %", (KEY,), _errors),
        Truth("closed: R = N/X − Z, give or take 10 %", (KEY,), _law),
    ),
    elsewhere=(
        Figure(
            "closed and open",
            "closed 60 users p95 262 ms, no error; open 200/s p95 5 s, 10.8 % errors; "
            "about 2 700 never sent",
            _ours,
        ),
    ),
)

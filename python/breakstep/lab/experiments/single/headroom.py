"""A generator without room measures itself; its number has to be thrown away."""

from breakstep.lab.experiment import Experiment, Found, Held, Run, Truth
from breakstep.lab.loads import Fixed
from breakstep.lab.stacks.single import crowded, single
from breakstep.lab.steps import trusted_steps
from breakstep.model.record import StepRecord

RATES = (4000.0, 8000.0)
HOGS = 24
"""So many that a fair share of the core is less than what this load takes of the generator."""
LOAD = Fixed("/fast", ("p99<50ms", "errors<1%"), RATES, {"hold": "4s", "warmup": "1s"})


def _kept(found: Found) -> Held:
    steps = trusted_steps(found["room"])
    if not steps:
        return Held(None, "no step was trusted: this machine is disturbed")
    busy = max(step.generator.busiest_worker_share for step in steps)
    return Held(busy < 0.8, f"its busiest thread used {100 * busy:.3g} % of a core")


def _thrown_away(found: Found) -> Held:
    result = found["no-room"].result
    steps = () if result is None else result.steps
    if result is None or not steps:
        return Held(None, "no step was measured")
    said = next((text for step in steps for text in _reasons(step)), "every step was trusted")
    untrusted = all(step.verdict.name == "invalid" for step in steps)
    return Held(untrusted and result.answer.status == "untrusted", said)


def _reasons(step: StepRecord) -> tuple[str, ...]:
    return step.verdict.reasons if step.verdict.name == "invalid" else ()


EXPERIMENT = Experiment(
    name="single/headroom",
    title="a generator without room measures itself",
    shows="The same load is trusted while the generator has a core to itself, and withheld when "
    "others crowd that core: the server is the same, the number would not be.",
    needs=("node",),
    runs=(Run("room", single, LOAD), Run("no-room", crowded(HOGS), LOAD)),
    truths=(
        Truth("with a core of its own the generator is trusted", ("room",), _kept),
        Truth("on a crowded core every number is thrown away", ("no-room",), _thrown_away),
    ),
)

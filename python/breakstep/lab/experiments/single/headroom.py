"""A generator without room measures itself; its number has to be thrown away."""

import sys

from breakstep.lab.experiment import Bench, Experiment, Found, Held, Measured, Run, Truth
from breakstep.lab.loads import Fixed
from breakstep.lab.servers.process import child
from breakstep.lab.servers.programs import program
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.single import crowded, single
from breakstep.lab.steps import trusted_steps
from breakstep.model.record import StepRecord
from breakstep.store.result_json import read_result

RATES = (4000.0, 8000.0)
HOGS = 4
SLOS = ("p99<50ms", "errors<1%")
LOAD = Fixed("/fast", SLOS, RATES, {"hold": "4s", "warmup": "1s"})


def _last_in_line(stack: Stack, bench: Bench) -> Measured:
    """The same load from a generator of its own process, which everybody else goes before.

    A process cannot be given its priority back without root, so this one is not ours.
    """
    bench.say("the same load, from a generator of the lowest priority")
    command = [program("nice"), "-n", "19", sys.executable, "-m", "breakstep", "find"]
    command += [f"{stack.url}/fast", *(word for slo in SLOS for word in ("--slo", slo))]
    command += ["--steps", ",".join(f"{rate:g}" for rate in RATES), "--no-abort"]
    command += ["--hold", "4s", "--warmup", "1s", "--quiet", "--out", str(bench.out)]
    if bench.cores.generator:
        command += ["--pin", ",".join(map(str, bench.cores.generator))]
    log = bench.out.with_name(f"{bench.out.name}.log")
    with child(command, log) as process:
        process.wait()
    return Measured(read_result(bench.out), facts=stack.facts)


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
    "others go before it there: the server is the same, the number would not be.",
    needs=("node",),
    runs=(Run("room", single, LOAD), Run("no-room", crowded(HOGS), _last_in_line)),
    truths=(
        Truth("with a core of its own the generator is trusted", ("room",), _kept),
        Truth("where others go first every number is thrown away", ("no-room",), _thrown_away),
    ),
)

"""One slow endpoint under a fast one, in the same event loop: computing against waiting."""

from breakstep.lab.experiment import Experiment, Figure, Found, Run
from breakstep.lab.experiments.single._beside import Beside, headroom, ratio, ratio_text
from breakstep.lab.stacks.single import single
from breakstep.lab.truths import figure

BULLIES, MS = 4, 20
SYNC = Beside("/fast", 10, f"/slow-sync?ms={MS}", BULLIES)
ASYNC = Beside("/fast", 10, f"/slow-async?ms={MS}", BULLIES, repeat=2)


def _fall(found: Found) -> str:
    return ratio_text(found["slow-sync"], "throughput_fall")


def _tail(found: Found) -> str:
    return ratio_text(found["slow-sync"], "p99_under_load_ms")


EXPERIMENT = Experiment(
    name="single/interference",
    title="who shares the loop shares the wait",
    shows="Four connections that make the event loop compute take nearly all of the throughput "
    "from an endpoint beside them that does nothing; four that make it wait take none.",
    needs=("node",),
    runs=(Run("slow-sync", single, SYNC), Run("slow-async", single, ASYNC)),
    truths=(
        ratio("slow-sync", "throughput_ratio", at_most=0.05),
        figure(
            f"slow-sync: p99 is at least one turn of the loop, {BULLIES} · {MS} ms",
            "slow-sync",
            "p99_under_load_ms",
            at_least=BULLIES * MS,
        ),
        ratio("slow-sync", "p99_ratio", at_least=5.0),
        ratio("slow-async", "throughput_ratio", at_least=0.7),
        headroom("slow-sync"),
    ),
    elsewhere=(
        Figure("throughput of /fast beside slow-sync, times less", "216 to 250", _fall),
        Figure("its p99 under load, ms", "about 160", _tail),
    ),
)

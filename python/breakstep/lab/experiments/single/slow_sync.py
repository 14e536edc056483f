"""A loop that computes serves one at a time: 1/S a second, however many ask."""

from breakstep.lab.experiment import Experiment, Figure, Found, Run
from breakstep.lab.loads import Sweep
from breakstep.lab.stacks.single import single
from breakstep.lab.sweeps import flat, level_per_s, little, worst_little

MS = 5


def _most(found: Found) -> str:
    return level_per_s(found["slow-sync"], users=1)


def _little(found: Found) -> str:
    return worst_little(found["slow-sync"])


EXPERIMENT = Experiment(
    name="single/slow-sync",
    title="one at a time, however many ask",
    shows="An event loop that computes for 5 ms a request answers 200 a second with one user and "
    "with thirty; all that more users buy is waiting.",
    needs=("node",),
    runs=(
        Run(
            "slow-sync",
            single,
            Sweep(f"/slow-sync?ms={MS}", (1, 2, 4, 8, 16, 32), {"hold": "10s", "warmup": "4s"}),
        ),
    ),
    truths=(
        flat("slow-sync", within=0.1),
        little("slow-sync", within=0.01),
    ),
    elsewhere=(
        Figure("throughput with one user", "200/s", _most),
        Figure("W = L/λ, worst level", "within 0.3 %", _little),
    ),
)

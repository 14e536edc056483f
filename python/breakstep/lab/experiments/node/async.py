"""The same hash in three places: off the loop it costs as much, but the loop stays free."""

from breakstep.lab.experiment import Experiment, Figure, Found, Held, Run, Truth
from breakstep.lab.experiments.node._common import NEEDS, SHARES, SLO, STEPS, knee
from breakstep.lab.knees import knee_of
from breakstep.lab.ladder import Ladder
from breakstep.lab.loads import Find
from breakstep.lab.readings import reads, shown
from breakstep.lab.stacks.node import Shop
from breakstep.lab.truths import names

THREADS = 4
"""Of libuv's pool, and of the app's own."""
PATHS = {"sync": "/cpu", "pool": "/cpu-pool", "threads": "/cpu-thread"}
USERS = {"sync": 2, "pool": THREADS, "threads": THREADS}


def _moved(key: str) -> Truth:
    """By as much as there are cores for it."""

    def judge(found: Found) -> Held:
        before, after = knee_of(found["sync"]), knee_of(found[key])
        if before is None or after is None:
            return Held(None, "no breaking point to be trusted")
        ratio, cores = after.point_per_s / before.point_per_s, found[key].facts["app_cores"]
        says = f"{ratio:.2f}: {after} over {before}, on {cores} core{'s' if cores > 1 else ''}"
        return Held(0.8 <= ratio <= 1.15 * min(cores, THREADS), says)

    return Truth(
        f"the knee of {key} is that of sync, times its cores at most", ("sync", key), judge
    )


def _loop(found: Found) -> str:
    return ", ".join(f"{key} {shown(found[key], 'node', 'loop_utilisation')}" for key in PATHS)


def _knees(found: Found) -> str:
    return "; ".join(f"{key} {knee(found[key])}" for key in PATHS)


EXPERIMENT = Experiment(
    name="node/async",
    title="off the event loop",
    shows="A hash in libuv's pool or in worker threads takes as much CPU as on the event loop: on "
    "one core the knee stays where it was, but the loop is free for everything else.",
    needs=NEEDS,
    runs=tuple(
        Run(
            key,
            Shop(database=False),
            Find(path, SLO, Ladder(path, USERS[key], SHARES), STEPS),
        )
        for key, path in PATHS.items()
    ),
    truths=(
        _moved("pool"),
        _moved("threads"),
        reads("sync", "node", "loop_utilisation", at_least=0.95),
        names("sync", "event_loop"),
        names("pool", "cpu_workers"),
    ),
    elsewhere=(
        Figure("knees", "not measured elsewhere", _knees),
        Figure("loop utilisation beyond the knee", "not measured elsewhere", _loop),
    ),
)

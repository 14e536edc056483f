"""A cluster of two: not twice the load, and twice the connections."""

from breakstep.lab.experiment import Experiment, Figure, Found, Held, Run, Truth
from breakstep.lab.experiments.node._common import SHARES, SLO, STEPS, WITH_DATABASE, knee
from breakstep.lab.knees import knee_of
from breakstep.lab.ladder import Ladder
from breakstep.lab.loads import Find
from breakstep.lab.readings import at_the_top, shown
from breakstep.lab.stacks.node import POOL, Shop

WORKERS = 2


def _ratio(found: Found) -> Held:
    """On a single core two processes share it, and nothing is gained."""
    one, two = knee_of(found["one"]), knee_of(found["two"])
    if one is None or two is None:
        return Held(None, "no breaking point to be trusted")
    ratio, cores = two.point_per_s / one.point_per_s, found["two"].facts["app_cores"]
    says = f"{ratio:.2f}: {two} over {one}, on {cores} core{'s' if cores > 1 else ''}"
    low, high = (1.1, 2.05) if cores > 1 else (0.85, 1.15)
    return Held(low <= ratio <= high, says)


def _connections(found: Found) -> Held:
    one, two = (at_the_top(found[key], "db", "connections") for key in ("one", "two"))
    if one is None or two is None:
        return Held(None, "connections were not sampled")
    return Held((one, two) == (POOL, WORKERS * POOL), f"{one:.0f} and {two:.0f}")


def _knees(found: Found) -> str:
    return f"{knee(found['two'])}; alone {knee(found['one'])}"


EXPERIMENT = Experiment(
    name="node/2b",
    title="a cluster of two",
    shows="A second process helps as far as there is a second core for it, and brings a second "
    "pool of connections to the database in any case.",
    needs=WITH_DATABASE,
    runs=(
        Run("one", Shop(), Find("/cpu", SLO, Ladder("/cpu", 2, SHARES), STEPS)),
        Run(
            "two",
            Shop(workers=WORKERS, wide=True),
            Find("/cpu", SLO, Ladder("/cpu", 2 * WORKERS, SHARES), STEPS),
        ),
    ),
    truths=(
        Truth(
            "the cluster carries 1.1 to 2.05 times as much, on a single core the same",
            ("one", "two"),
            _ratio,
        ),
        Truth("ten connections become twenty", ("one", "two"), _connections),
    ),
    elsewhere=(
        Figure("knee", "200 to 250/s, 1.3 to 1.6 times one process", _knees),
        Figure("connections", "20", lambda found: shown(found["two"], "db", "connections", ".0f")),
    ),
)

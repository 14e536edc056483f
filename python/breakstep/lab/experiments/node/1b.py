"""Ten connections that are each held for W: the pool gives out 10/W a second, and no more."""

from breakstep.lab.experiment import Experiment, Figure, Found, Measured, Run
from breakstep.lab.experiments.node._common import (
    SHARES,
    SLO,
    STEPS,
    WITH_DATABASE,
    knee,
    unloaded_s,
)
from breakstep.lab.ladder import Ladder
from breakstep.lab.loads import Find
from breakstep.lab.readings import reads, shown
from breakstep.lab.stacks.node import POOL, Shop
from breakstep.lab.truths import knee_near, names


def _pool_per_s(measured: Measured) -> float:
    """N connections held for W each: N/W requests a second."""
    return POOL / unloaded_s(measured)


def _knee(found: Found) -> str:
    return f"{knee(found['dbsleep'])}; 10/W is {_pool_per_s(found['dbsleep']):.0f}/s"


def _database(found: Found) -> str:
    return shown(found["dbsleep"], "db", "cpu")


EXPERIMENT = Experiment(
    name="node/1b",
    title="a pool gives out N/W",
    shows="Ten connections, each held for W, carry 10/W requests a second: nothing is busy when "
    "that is reached, and the load beyond it waits.",
    needs=WITH_DATABASE,
    runs=(Run("dbsleep", Shop(), Find("/dbsleep", SLO, Ladder("/dbsleep", POOL, SHARES), STEPS)),),
    truths=(
        knee_near("dbsleep", _pool_per_s, within=0.1, says="it breaks within 10 % of 10/W"),
        names("dbsleep", "connection_pool", "pg"),
        reads("dbsleep", "db", "cpu", at_most=0.5),
    ),
    elsewhere=(
        Figure("knee", "breaks at 350/s after a stall of 320 ms; 10/W is 430/s", _knee),
        Figure("PostgreSQL, cores", "0.15 to 0.35", _database),
    ),
)

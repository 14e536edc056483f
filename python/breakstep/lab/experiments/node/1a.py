"""An aggregate over an index: the database's core breaks first, and the pool is where it shows."""

from breakstep.lab.experiment import Experiment, Figure, Found, Run
from breakstep.lab.experiments.node._common import SHARES, SLO, STEPS, WITH_DATABASE, knee
from breakstep.lab.ladder import Ladder
from breakstep.lab.loads import Find
from breakstep.lab.readings import reads, shown
from breakstep.lab.stacks.node import POOL, Shop
from breakstep.lab.truths import names


def _knee(found: Found) -> str:
    return knee(found["db"])


def _database(found: Found) -> str:
    return shown(found["db"], "db", "cpu")


EXPERIMENT = Experiment(
    name="node/1a",
    title="the database's core, seen as a full pool",
    shows="A query that takes CPU fills the database's core; the event loop has room left, and the "
    "queue stands in front of the pool of connections, where a larger pool would not help.",
    needs=WITH_DATABASE,
    runs=(Run("db", Shop(), Find("/db", SLO, Ladder("/db", POOL, SHARES), STEPS)),),
    truths=(
        names("db", "database_cpu", "db"),
        reads("db", "db", "cpu", at_least=0.75),
        reads("db", "node", "loop_utilisation", at_most=0.8),
    ),
    elsewhere=(
        Figure("knee", "150 to 200/s, up to 275 on other runs", _knee),
        Figure("PostgreSQL, cores", "0.78 to 0.87", _database),
    ),
)

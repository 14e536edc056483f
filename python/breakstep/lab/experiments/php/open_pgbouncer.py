"""Open: whether PgBouncer in front of PostgreSQL moves the breaking point of php/exp0."""

from breakstep.lab.experiment import Experiment, Figure, Run
from breakstep.lab.experiments.php._loads import CLIMB, Shares, plateau
from breakstep.lab.experiments.php._readings import cost_text, knee_text
from breakstep.lab.experiments.php.exp0 import NEW_EACH
from breakstep.lab.stacks.php import NEEDS, Site

POOLED = Site(persistent=False, pooler=True)

EXPERIMENT = Experiment(
    name="php/open-pgbouncer",
    title="a pooler in front of new connections",
    shows="A pooler spares PostgreSQL the logins; PHP still makes one for each request, to the "
    "pooler.",
    needs=(*NEEDS, "pgbouncer"),
    runs=(NEW_EACH, Run("pooled", POOLED, Shares("/api/db", CLIMB, plateau))),
    truths=(),
    elsewhere=(
        Figure("breaks at", "not measured", knee_text("exp0", "pooled")),
        Figure("CPU of PostgreSQL a request, without", "16.75 ms", cost_text("exp0", "db")),
        Figure("CPU of PostgreSQL a request, pooled", "not measured", cost_text("pooled", "db")),
        Figure("CPU of PHP a request, without", "about 13 ms", cost_text("exp0", "php")),
        Figure("CPU of PHP a request, pooled", "not measured", cost_text("pooled", "php")),
    ),
)

"""Open: whether PgBouncer in front of PostgreSQL moves the breaking point of php/exp0."""

from breakstep.lab.experiment import Experiment, Figure, Run
from breakstep.lab.experiments.php._loads import CLIMB, Shares, plateau
from breakstep.lab.experiments.php._readings import cost_text, knee_text
from breakstep.lab.stacks.php import NEEDS, Site

LOADS = Shares("/api/db", CLIMB, plateau, {"hold": "4s", "warmup": "1s"})
PROGRAMS = {"php": "PHP", "pgbouncer": "PgBouncer", "db": "PostgreSQL"}
RUNS = (
    Run("direct", Site(persistent=False), LOADS),
    Run("password", Site(persistent=False, pooler="password"), LOADS),
    Run("secret", Site(persistent=False, pooler="secret"), LOADS),
)


def _costs() -> tuple[Figure, ...]:
    """The CPU of a request of each program, in each of the runs."""
    elsewhere = {("php", "direct"): "about 13 ms", ("db", "direct"): "16.75 ms"}
    return tuple(
        Figure(
            f"CPU of {name} a request, {run.key}",
            elsewhere.get((source, run.key), "not measured"),
            cost_text(run.key, source),
        )
        for source, name in PROGRAMS.items()
        for run in RUNS
        if (source, run.key) != ("pgbouncer", "direct")
    )


EXPERIMENT = Experiment(
    name="php/open-pgbouncer",
    title="a pooler in front of new connections",
    shows="A pooler spares PostgreSQL the logins, but not PHP, which makes one for each request "
    "all the same; and the pooler pays for it too unless it is given the SCRAM secret.",
    needs=(*NEEDS, "pgbouncer"),
    runs=RUNS,
    truths=(),
    elsewhere=(
        Figure("breaks at", "not measured", knee_text(*(run.key for run in RUNS))),
        *_costs(),
    ),
)

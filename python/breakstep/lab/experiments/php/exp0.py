"""A new connection to PostgreSQL for each request: what it costs, and whom."""

from breakstep.lab.experiment import Experiment, Figure, Run
from breakstep.lab.experiments.php._loads import CLIMB, Shares, plateau
from breakstep.lab.experiments.php._readings import cost_text, knee_text
from breakstep.lab.experiments.php._truths import breaks_of_cpu, near_the_ceiling
from breakstep.lab.stacks.php import NEEDS, Site

NEW_EACH = Run("exp0", Site(persistent=False), Shares("/api/db", CLIMB, plateau))
"""What php/exp1 is compared with."""

EXPERIMENT = Experiment(
    name="php/exp0",
    title="a connection for each request",
    shows="A request that connects to PostgreSQL anew pays for the login with CPU on both sides; "
    "the side that has the least CPU for it is where the site breaks.",
    needs=NEEDS,
    runs=(NEW_EACH,),
    truths=(breaks_of_cpu("exp0"), near_the_ceiling("exp0", within=0.2)),
    elsewhere=(
        Figure("breaks at", "40–60/s", knee_text("exp0")),
        Figure("CPU of PostgreSQL a request", "16.75 ms", cost_text("exp0", "db")),
        Figure("CPU of PHP a request", "about 13 ms", cost_text("exp0", "php")),
    ),
)

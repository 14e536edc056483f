"""The same lookup with a connection that each worker keeps."""

from breakstep.lab.experiment import Experiment, Figure, Run
from breakstep.lab.experiments.php._loads import CLIMB, Shares, plateau
from breakstep.lab.experiments.php._readings import cost_text, highest_text, knee_text
from breakstep.lab.experiments.php._truths import near_the_ceiling
from breakstep.lab.experiments.php.exp0 import NEW_EACH
from breakstep.lab.readings import reads
from breakstep.lab.stacks.php import NEEDS, Site
from breakstep.lab.truths import names, ratio_of_knees

EXPERIMENT = Experiment(
    name="php/exp1",
    title="connections that are kept",
    shows="With a connection kept by each worker the same site carries far more; the CPU of PHP "
    "breaks first, and the database has little to do.",
    needs=NEEDS,
    runs=(NEW_EACH, Run("exp1", Site(), Shares("/api/db", CLIMB, plateau))),
    truths=(
        ratio_of_knees("exp1", "exp0", at_least=1.5),
        names("exp1", "cpu_workers", "php|host"),
        near_the_ceiling("exp1", within=0.2),
        reads("exp1", "db", "cpu", at_most=0.5),
    ),
    elsewhere=(
        Figure("breaks at", "exp0 40–60/s, exp1 150–180/s", knee_text("exp0", "exp1")),
        Figure("CPU of PHP a request", "8–10 ms", cost_text("exp1", "php")),
        Figure("CPU of PostgreSQL a request", "", cost_text("exp1", "db")),
        Figure(
            "longest listen queue", "2 → 51 → 186 in 4 s", highest_text("exp1", "php-fpm", "queue")
        ),
        Figure("PSI cpu", "45 → 68 %", highest_text("exp1", "host", "cpu_pressure")),
    ),
)

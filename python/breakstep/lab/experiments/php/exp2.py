"""5, 20 and 80 workers, where a request waits 50 ms for the database."""

from breakstep.lab.experiment import Experiment, Figure, Run
from breakstep.lab.experiments.php._loads import Shares, plateau, workers_over_wait
from breakstep.lab.experiments.php._readings import knee_text, more_memory
from breakstep.lab.stacks.php import NEEDS, Site
from breakstep.lab.truths import names, ratio_of_knees, same_within_a_step

PATH = "/api/slow?ms=50"
SHARES = (0.5, 0.7, 0.85, 1.0, 1.15, 1.3)

EXPERIMENT = Experiment(
    name="php/exp2",
    title="how many workers",
    shows="Too few workers break before the CPU does. Once there are enough to fill the CPU, more "
    "of them cost memory and connections and carry nothing.",
    needs=NEEDS,
    runs=(
        Run("5", Site(workers=5), Shares(PATH, SHARES, workers_over_wait)),
        Run("20", Site(workers=20), Shares(PATH, SHARES, plateau)),
        Run("80", Site(workers=80), Shares(PATH, SHARES, plateau)),
    ),
    truths=(
        names("5", "io_workers", "php"),
        names("20", "cpu_workers", "php|host"),
        ratio_of_knees("20", "5", at_least=1.3),
        same_within_a_step("20", "80"),
    ),
    elsewhere=(
        Figure("5 workers break at", "85–90/s", knee_text("5")),
        Figure("20 and 80 break at", "the same", knee_text("20", "80")),
        Figure("memory of PHP, 20 → 80", "+107 MiB", more_memory("20", "80")),
    ),
)

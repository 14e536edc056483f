"""Open: whether a short listen queue keeps goodput flat beyond the breaking point."""

from breakstep.lab.experiment import Experiment, Figure, Run
from breakstep.lab.experiments.php._shedding import BEYOND, WORKERS, falls, goodput, stays_flat
from breakstep.lab.stacks.php import NEEDS, Site

SHORT = 8
"""So many waiting take less than what the SLO leaves: 8 · W/N = 0.09 s of 0.2 s."""
NOT_MEASURED = "not measured"

EXPERIMENT = Experiment(
    name="php/open-backlog",
    title="a short listen queue",
    shows="A queue that is no longer than the SLO allows sheds the rest: at a unix socket at once, "
    "at a port only after the client has tried again for seconds.",
    needs=NEEDS,
    runs=(
        Run("511", Site(workers=WORKERS), BEYOND),
        Run("8-tcp", Site(workers=WORKERS, backlog=SHORT), BEYOND),
        Run("8-unix", Site(workers=WORKERS, backlog=SHORT, unix=True), BEYOND),
    ),
    truths=(falls("511", at_most=0.1), stays_flat("8-unix", at_least=0.6)),
    elsewhere=(
        Figure("511 at a port: load → goodput, of N/W", NOT_MEASURED, goodput("511")),
        Figure("8 at a port", NOT_MEASURED, goodput("8-tcp")),
        Figure("8 at a unix socket", NOT_MEASURED, goodput("8-unix")),
    ),
)

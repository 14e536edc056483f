"""Open: whether a short listen queue keeps goodput flat beyond the breaking point."""

from breakstep.lab.experiment import Experiment, Figure, Run
from breakstep.lab.experiments.php._shedding import BEYOND, WORKERS, goodput
from breakstep.lab.stacks.php import NEEDS, Site

SHORT = 2
"""The kernel keeps one more. Workers that are all busy take longer than one alone, so of the 0.2 s
of the SLO less is left for waiting than it seems."""
NOT_MEASURED = "not measured"

EXPERIMENT = Experiment(
    name="php/open-backlog",
    title="a short listen queue",
    shows="A queue that is no longer than the SLO allows sheds the rest: at a unix socket at once, "
    "at a port only after the client has tried again for seconds.",
    needs=NEEDS,
    runs=(
        Run("511", Site(workers=WORKERS), BEYOND),
        Run("2-tcp", Site(workers=WORKERS, backlog=SHORT), BEYOND),
        Run("2-unix", Site(workers=WORKERS, backlog=SHORT, unix=True), BEYOND),
    ),
    truths=(),
    elsewhere=(
        Figure("511 at a port: load → goodput, of N/W", NOT_MEASURED, goodput("511")),
        Figure("2 at a port", NOT_MEASURED, goodput("2-tcp")),
        Figure("2 at a unix socket", NOT_MEASURED, goodput("2-unix")),
    ),
)

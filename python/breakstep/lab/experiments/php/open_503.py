"""Open: whether a 503 with Retry-After for whoever is too many keeps goodput flat."""

from breakstep.lab.experiment import Experiment, Figure, Run
from breakstep.lab.experiments.php._shedding import BEYOND, WORKERS, goodput
from breakstep.lab.stacks.php import NEEDS, Site

AT_ONCE = WORKERS + 2
"""In PHP or waiting for it. With six more that wait, and all workers busy, the SLO is missed."""
SHEDDING = Site(
    workers=WORKERS,
    http="limit_conn_zone $server_port zone=site:64k;",
    server=(
        "error_page 503 @busy; location @busy { add_header Retry-After 1 always; return 503; }"
    ),
    location=f"limit_conn site {AT_ONCE}; limit_conn_status 503;",
)

EXPERIMENT = Experiment(
    name="php/open-503",
    title="503 and Retry-After for whoever is too many",
    shows="A limit on the requests in progress keeps goodput at what the workers can do, whatever "
    "is offered, and needs no rate that somebody has to know.",
    needs=NEEDS,
    runs=(Run("shedding", SHEDDING, BEYOND),),
    truths=(),
    elsewhere=(Figure("load → goodput, of N/W", "not measured", goodput("shedding")),),
)

"""Open: whether nginx's limit_req, set below the breaking point, keeps goodput flat."""

from breakstep.lab.experiment import Experiment, Figure, Run
from breakstep.lab.experiments.php._shedding import BEYOND, WORKERS, goodput
from breakstep.lab.stacks.php import NEEDS, Site

RATE_PER_S = 75
"""Ten workers that wait a tenth of a second carry fewer than a hundred a second."""
BURST = 5
LIMITED = Site(
    workers=WORKERS,
    http=f"limit_req_zone $server_port zone=site:64k rate={RATE_PER_S}r/s;",
    location=f"limit_req zone=site burst={BURST} nodelay; limit_req_status 503;",
)

EXPERIMENT = Experiment(
    name="php/open-limit-req",
    title="a rate limit below the breaking point",
    shows="A rate limit in front of the queue keeps goodput at the limit, whatever is offered; the "
    "price is that the number has to be known and kept up to date.",
    needs=NEEDS,
    runs=(Run("limited", LIMITED, BEYOND),),
    truths=(),
    elsewhere=(Figure("load → goodput, of N/W", "not measured", goodput("limited")),),
)

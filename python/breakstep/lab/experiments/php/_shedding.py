"""Whether goodput stays flat beyond the breaking point: what the open questions have in common."""

from collections.abc import Callable

from breakstep.lab.experiment import Found
from breakstep.lab.experiments.php._loads import Shares, limit_of, workers_over_wait
from breakstep.lab.steps import trusted_steps

WORKERS = 10
SHARES = (0.7, 1.5, 3.0)
"""Of N/W: a load that the site carries, and two that it cannot."""
BEYOND = Shares(
    "/api/slow", SHARES, workers_over_wait, {"hold": "6s", "warmup": "4s", "abort": False}
)


def goodput(key: str) -> Callable[[Found], str]:
    """The goodput at each load, both as shares of N/W, as a figure of a report."""

    def read(found: Found) -> str:
        limit = limit_of(found[key])
        # A load that failed is held twice: the second time its queue has settled.
        last = {step.offered_per_s: step for step in trusted_steps(found[key])}
        return ", ".join(
            f"{load / limit:.2g} → {step.goodput_per_s / limit:.2f}" for load, step in last.items()
        )

    return read

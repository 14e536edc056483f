"""More workers than PostgreSQL lets in: a wrong setting, which no load makes better or worse."""

from breakstep.analysis.words import percent
from breakstep.lab.experiment import Experiment, Figure, Found, Measured, Run
from breakstep.lab.experiments.php._loads import Shares, one_ping_after_another
from breakstep.lab.stacks.php import NEEDS, Site
from breakstep.lab.steps import errors_of, trusted_steps
from breakstep.lab.truths import errors_share, names

LONG = {"hold": "20s", "warmup": "2s", "abort": False}
"""Long enough that chance moves a share by less than two points."""
LOADS = Shares("/api/db", (0.3, 0.4, 0.5), one_ping_after_another, LONG)
SITE = Site(workers=120, connections=100)


def left_out(measured: Measured) -> float:
    """The share of the workers that get no connection, (N − 100)/N."""
    workers: int = measured.facts["workers"]
    connections: int = measured.facts["connections"]
    return 1.0 - connections / workers


def _shares(found: Found) -> str:
    return ", ".join(
        f"{percent(errors_of(step))} at {step.offered_per_s:g}/s"
        for step in trusted_steps(found["pgconn"])
    )


EXPERIMENT = Experiment(
    name="php/exp2-pgconn",
    title="more workers than max_connections",
    shows="120 workers of which 100 get a connection fail one request in six at every load: that "
    "is a setting, not a limit of capacity.",
    needs=NEEDS,
    runs=(Run("pgconn", SITE, LOADS),),
    truths=(
        errors_share(
            "pgconn", left_out, within=0.02, says="(N − 100)/N of the requests fail at every load"
        ),
        names("pgconn", "config_error"),
    ),
    elsewhere=(
        Figure("failures", "16.4, 17.9, 16.0 % at 50, 100, 150/s; 20/120 = 16.7 %", _shares),
    ),
)

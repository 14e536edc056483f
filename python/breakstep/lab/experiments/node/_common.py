"""What the experiments on Node share."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from breakstep.lab.experiment import Measured
from breakstep.lab.knees import knee_of
from breakstep.lab.steps import trusted_steps

SLO = ("p95<100ms", "errors<1%")
STEPS: Mapping[str, Any] = MappingProxyType({"hold": "4s", "warmup": "1s", "timeout": "5s"})
"""A load that is 5 % too much keeps requests waiting longer than the bound within such a hold."""
SHARES = (0.4, 0.6, 0.75, 0.85, 0.95, 1.05, 1.2, 1.5)
"""Of what the service carries: four that it keeps up with, for a forecast, and some too many."""
NEEDS = ("node", "node-modules")
WITH_DATABASE = (*NEEDS, "postgres", "psycopg")


def unloaded_s(measured: Measured) -> float:
    """W: how long a request takes at the lightest load; not a number if none was trusted."""
    steps = trusted_steps(measured)
    mean_ms = steps[0].service_ms.mean if steps else None
    return math.nan if mean_ms is None else mean_ms / 1e3


def knee(measured: Measured) -> str:
    """The breaking point as a figure."""
    return str(knee_of(measured) or "no breaking point to be trusted")

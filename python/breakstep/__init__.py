"""breakstep finds the load at which a service breaks.

>>> import breakstep
>>> result = breakstep.find("http://127.0.0.1:8080/", slo="p95<200ms")  # doctest: +SKIP
>>> result.answer.sustainable_per_s  # doctest: +SKIP
390.0
"""

from breakstep._engine import __version__
from breakstep.api import find
from breakstep.api_sweep import sweep
from breakstep.model.errors import (
    BreakstepError,
    EngineError,
    PlanError,
    ProbeError,
    StoreError,
    TargetError,
)
from breakstep.model.record import Answer, Result, RunRecord, StepRecord

__all__ = [
    "Answer",
    "BreakstepError",
    "EngineError",
    "PlanError",
    "ProbeError",
    "Result",
    "RunRecord",
    "StepRecord",
    "StoreError",
    "TargetError",
    "__version__",
    "find",
    "sweep",
]

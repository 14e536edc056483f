"""breakstep finds the load at which a web service breaks.

>>> import breakstep
>>> result = breakstep.find("http://127.0.0.1:8080/", slo="p95<200ms")  # doctest: +SKIP
>>> result.answer.sustainable_per_s  # doctest: +SKIP
390.0
"""

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from breakstep.model.errors import (
    BreakstepError,
    EngineError,
    PlanError,
    ProbeError,
    StoreError,
    TargetError,
)

if TYPE_CHECKING:
    from breakstep._engine import __version__
    from breakstep.api import find
    from breakstep.api_sweep import sweep
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

# Loaded when asked for: an agent beside the service has no use for the arrays of a search.
_HOMES = MappingProxyType(
    {
        "Answer": "model.record",
        "Result": "model.record",
        "RunRecord": "model.record",
        "StepRecord": "model.record",
        "__version__": "_engine",
        "find": "api",
        "sweep": "api_sweep",
    }
)


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

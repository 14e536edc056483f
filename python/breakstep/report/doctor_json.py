"""What doctor found, as the envelope of every verb with a section `doctor`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from breakstep.analysis.examination import Examination, Noise
from breakstep.analysis.judgeable import Judgeable
from breakstep.engine.host.settings import as_json
from breakstep.model.record import FORMAT, Trust
from breakstep.model.units import NS_PER_MS, NS_PER_S
from breakstep.report.envelope import dumps

if TYPE_CHECKING:
    from breakstep.engine.host.counters import HostUse

__all__ = ["dumps", "examination_json", "noise_json"]


def examination_json(found: Examination) -> dict[str, Any]:
    """The envelope of an examination."""
    generated, calibration = found.generated, found.calibration
    section = {
        "interrupted": found.interrupted,
        "settings": as_json(found.settings),
        "use": _use(found.quiet.use),
        "wakeups": _judged(found.judged),
        "wakeups_under_load": _judged(found.judged_loaded),
        "generator": None if generated is None else asdict(generated),
        "calibration": None if calibration is None else asdict(calibration),
        "clock": None if found.clock is None else asdict(found.clock),
    }
    return envelope_of(found.id, found.environment, found.trust, section)


def noise_json(found: Noise) -> dict[str, Any]:
    """The envelope of a look at noise."""
    period = found.period
    section = {
        "interrupted": found.interrupted,
        "watched_s": found.watched_ns / NS_PER_S,
        "late_by_second": list(found.by_second),
        "watched_by_second": list(found.watched_by_second),
        "worst_ms": found.worst_ns / NS_PER_MS,
        "forgotten": found.forgotten,
        "period": None if period is None else {**asdict(period), "says": period.says()},
    }
    return envelope_of(found.id, found.environment, found.trust, section)


def envelope_of(
    run: str, environment: Mapping[str, Any], trust: Trust, section: Mapping[str, Any]
) -> dict[str, Any]:
    """What every verb writes, with a section `doctor`."""
    return {
        "format": FORMAT,
        "command": "doctor",
        "id": run,
        "plan": None,
        "environment": dict(environment),
        "trust": {**asdict(trust), "checks": [asdict(check) for check in trust.checks]},
        "doctor": section,
    }


def _use(use: "HostUse") -> dict[str, Any]:
    return {
        "seconds": use.wall_s,
        "steal": use.steal,
        "others_cores": max(0.0, use.busy_cores - use.process_cores),
        "cores": {
            str(core): asdict(one) | {"others": one.others} for core, one in use.cores.items()
        },
    }


def _judged(found: Sequence[Judgeable]) -> list[dict[str, Any]]:
    return [
        {
            "quantile": one.quantile,
            "late_ms": one.late_ns / NS_PER_MS,
            "bound_ms": one.bound_ns / NS_PER_MS,
            "slo": str(one),
        }
        for one in found
    ]

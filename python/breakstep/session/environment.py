"""Where a run took place: enough to tell whether two runs may be compared."""

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from breakstep._engine import __version__
from breakstep.plan.limits import Machine


def describe(machine: Machine, started_at: datetime) -> Mapping[str, Any]:
    """The machine, the versions, the limits and the time, as JSON."""
    return {
        "started_at": started_at.astimezone(UTC).isoformat(timespec="milliseconds"),
        "breakstep": __version__,
        "python": platform.python_version(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "open_files": machine.open_files,
        "local_ports": machine.local_ports,
    }


def _cpu_model() -> str | None:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, None)

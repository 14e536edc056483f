"""Settings of the machine that move measurements. Read and shown; nothing is changed."""

import os
import resource
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from breakstep.engine.host.cgroup import read_throttling

_CPU = Path("sys/devices/system/cpu")


@dataclass(frozen=True, slots=True)
class Settings:
    """What was found; None where this machine does not say."""

    cores: tuple[int, ...]
    """Those we may run on."""
    quota_cores: float | None
    governor: str | None
    turbo: bool | None
    smt: bool | None
    clock_source: str | None
    pressure: float | None
    """Share of the last ten seconds in which someone waited for a core."""
    open_files: tuple[int, int]
    """Soft and hard limit."""
    local_ports: tuple[int, int]
    """First and last."""
    somaxconn: int | None
    timer_slack_ns: int | None


def read_settings(root: Path = Path("/")) -> Settings:
    """Reads them all."""
    throttling = read_throttling(root)
    return Settings(
        cores=tuple(sorted(os.sched_getaffinity(0))),
        quota_cores=None if throttling is None else throttling.quota_cores,
        governor=_text(root / _CPU / "cpu0/cpufreq/scaling_governor"),
        turbo=_turbo(root),
        smt=_flag(root / _CPU / "smt/active"),
        clock_source=_text(
            root / "sys/devices/system/clocksource/clocksource0/current_clocksource"
        ),
        pressure=_pressure(_text(root / "proc/pressure/cpu") or ""),
        open_files=resource.getrlimit(resource.RLIMIT_NOFILE),
        local_ports=_ports(_text(root / "proc/sys/net/ipv4/ip_local_port_range")),
        somaxconn=_number(root / "proc/sys/net/core/somaxconn"),
        timer_slack_ns=_number(root / "proc/self/timerslack_ns"),
    )


def as_json(settings: Settings) -> Mapping[str, object]:
    """By name, as JSON values."""
    return {
        "cores": list(settings.cores),
        "quota_cores": settings.quota_cores,
        "governor": settings.governor,
        "turbo": settings.turbo,
        "smt": settings.smt,
        "clock_source": settings.clock_source,
        "pressure": settings.pressure,
        "open_files": list(settings.open_files),
        "local_ports": list(settings.local_ports),
        "somaxconn": settings.somaxconn,
        "timer_slack_ns": settings.timer_slack_ns,
    }


def _turbo(root: Path) -> bool | None:
    intel_off = _flag(root / _CPU / "intel_pstate/no_turbo")
    return _flag(root / _CPU / "cpufreq/boost") if intel_off is None else not intel_off


def _pressure(text: str) -> float | None:
    fields = dict(field.split("=") for field in text.partition("\n")[0].split()[1:])
    return float(fields["avg10"]) / 100 if "avg10" in fields else None


def _ports(text: str | None) -> tuple[int, int]:
    low, high = (text or "32768 60999").split()
    return int(low), int(high)


def _flag(path: Path) -> bool | None:
    number = _number(path)
    return None if number is None else number != 0


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text is not None and text.isdecimal() else None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None

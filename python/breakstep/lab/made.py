"""What came of an experiment: its runs, and each truth with whether it held."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from breakstep.lab.experiment import Experiment, Found, Held, Measured, Truth


@dataclass(frozen=True, slots=True)
class Made:
    """A run that was made. `attempt` counts from 1; `directory` is below the experiment's own."""

    key: str
    attempt: int
    url: str
    seconds: float
    directory: str
    processes: Mapping[str, int]
    versions: Mapping[str, str]
    measured: Measured


@dataclass(frozen=True, slots=True)
class Judged:
    """A truth, and whether it came out."""

    truth: Truth
    held: Held


@dataclass(frozen=True, slots=True)
class LabResult:
    """An experiment that was carried out. `made` has every attempt, the last of a key counts."""

    id: str
    experiment: Experiment
    environment: Mapping[str, Any]
    cores: str
    made: tuple[Made, ...]
    judged: tuple[Judged, ...]

    @property
    def found(self) -> Found:
        """What each run brought in the end."""
        return {one.key: one.measured for one in self.made}

    @property
    def held(self) -> bool:
        """Whether every truth came out."""
        return all(one.held.ok is True for one in self.judged)

"""Load-model files for tests."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from plans import loopback

from breakstep.model.errors import PlanError
from breakstep.model.plan import Plan
from breakstep.plan.file import read_file
from breakstep.plan.flags import plan_from_flags
from breakstep.plan.words import Flags, over

TARGET = "target: {url: http://127.0.0.1:8080/}\n"


class Files:
    """A directory with one file, `breakstep.yaml`, whose text each test gives."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.path = directory / "breakstep.yaml"

    def flags(self, text: str, environment: Mapping[str, str] | None = None) -> Flags:
        """What the file asks for."""
        self.path.write_text(text, encoding="utf-8")
        return read_file(self.path, environment or {})

    def plan(
        self, text: str, flags: Flags | None = None, environment: Mapping[str, str] | None = None
    ) -> Plan:
        """Its plan, with flags over it."""
        asked = over(flags or Flags(), self.flags(text, environment))
        return plan_from_flags(asked, loopback)

    def faults(self, text: str, environment: Mapping[str, str] | None = None) -> Sequence[str]:
        """The faults of the file, without its directory."""
        with pytest.raises(PlanError) as raised:
            self.plan(text, environment=environment)
        return [fault.replace(f"{self.directory}/", "") for fault in raised.value.faults]

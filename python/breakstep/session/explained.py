"""A result with what broke first."""

from collections.abc import Sequence
from dataclasses import replace

from breakstep.analysis.signals import Series
from breakstep.diagnosis.diagnose import diagnose
from breakstep.diagnosis.observed import observed_of
from breakstep.model.probe import ProbeState
from breakstep.model.record import Result
from breakstep.store.finding_json import to_section


def explained(result: Result, series: Sequence[Series], states: Sequence[ProbeState]) -> Result:
    """The result with its section `diagnosis`, made of nothing but what is stored with it."""
    finding = diagnose(observed_of(result, series, states))
    return replace(result, sections={**result.sections, "diagnosis": to_section(finding)})

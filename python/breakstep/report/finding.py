"""The finding of a result, for whoever shows it."""

from breakstep.model.finding import Finding
from breakstep.model.record import Result
from breakstep.store.finding_json import from_section


def finding_of(result: Result) -> Finding | None:
    """What broke first; None in a result that was never diagnosed. Raises StoreError."""
    section = result.sections.get("diagnosis")
    return None if section is None else from_section(section)

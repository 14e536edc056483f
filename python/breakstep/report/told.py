"""A result in words, whatever the verb: the answer in the first line, what it rests on below."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from breakstep.model.record import Result
from breakstep.report import interfere, sweep
from breakstep.report.check import check_text
from breakstep.report.conclusion import conclusion
from breakstep.store import check_json, interfere_json, sweep_json

OF_SECTION: Mapping[str, Callable[[Result], str]] = MappingProxyType(
    {
        check_json.SECTION: check_text,
        interfere_json.SECTION: interfere.conclusion,
        sweep_json.SECTION: lambda result: sweep.conclusion(result, sweep_json.sweep_of(result)),
    }
)
"""By the section that a verb writes; a search has none of its own."""


def told(result: Result) -> str:
    """All of it. Raises StoreError where the section is damaged."""
    tell = next((OF_SECTION[name] for name in OF_SECTION if name in result.sections), conclusion)
    return tell(result)


def answered(result: Result) -> str:
    """The answer alone."""
    return told(result).partition("\n")[0]


def is_search(result: Result) -> bool:
    """Whether it looked for the breaking load."""
    return not OF_SECTION.keys() & result.sections.keys()

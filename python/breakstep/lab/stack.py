"""A stack at work: what an experiment offers load to."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from breakstep.lab.place import Place


@dataclass(frozen=True, slots=True)
class Stack:
    """Servers that are ready. `url` has no path: the load says which.

    `probes` are written as `--probe` is. `processes` names the process of each role, `versions`
    what runs there. `facts` are what a truth needs to know of it: `{"workers": 20}`.
    """

    url: str
    probes: tuple[str, ...] = ()
    processes: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


Factory = Callable[[Place], AbstractContextManager[Stack]]
"""Puts a stack up, returns it once it is ready, and takes it down."""

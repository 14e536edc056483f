"""What a lab experiment is: stacks, the load on each, and what must come out.

A file `experiments/GROUP/NAME.py` holds one, as `EXPERIMENT`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from breakstep.lab.place import Cores
from breakstep.lab.stack import Factory, Stack
from breakstep.model.record import Result


@dataclass(frozen=True, slots=True)
class Bench:
    """What a load is given besides the stack: where its files go, cores, and how to say a line."""

    out: Path
    cores: Cores
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run brought. `result` is that of `find`, `sweep` and the like, if one was made.

    `figures` are numbers by name, units in the names; `facts` are the stack's.
    """

    result: Result | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


Found = Mapping[str, Measured]
"""What each run brought, by its key."""
Load = Callable[[Stack, Bench], Measured]


@dataclass(frozen=True, slots=True)
class Run:
    """One stack under one load."""

    key: str
    stack: Factory
    load: Load


@dataclass(frozen=True, slots=True)
class Held:
    """Whether a truth came out; `ok` is None where that could not be judged: `ours` says why."""

    ok: bool | None
    ours: str


@dataclass(frozen=True, slots=True)
class Truth:
    """What must come out: `says` in words, judged from the runs with these keys.

    A truth that could not be judged has these runs made again; it is never loosened.
    """

    says: str
    keys: tuple[str, ...]
    judge: Callable[[Found], Held]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that was measured elsewhere, and how ours is read from the runs."""

    name: str
    elsewhere: str
    ours: Callable[[Found], str] | None = None


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment. `shows` is one sentence; `needs` names what must be installed for it."""

    name: str
    title: str
    shows: str
    runs: tuple[Run, ...]
    truths: tuple[Truth, ...]
    elsewhere: tuple[Figure, ...] = ()
    needs: tuple[str, ...] = ()

"""Which cores a lab's parts run on, as the machine allows.

    cores   generator   database   app
    1       (all share it: nothing is pinned)
    2       first       first      second
    3       first       second     third
    more    first       second     the rest

Where the database shares the generator's core it is given a lower priority: the generator needs
little, but needs it at once.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.servers.programs import program

_TWO = 2
_NICER = "10"


@dataclass(frozen=True, slots=True)
class Cores:
    """The cores of each part; none where nothing is pinned."""

    generator: tuple[int, ...] = ()
    database: tuple[int, ...] = ()
    app: tuple[int, ...] = ()

    @property
    def pin(self) -> tuple[int, ...]:
        """For `--pin`: the generator's core, unless the database works there too.

        What shares the core of a pinned generator makes a step invalid, and rightly so; one that
        is not pinned goes where there is room, and is judged by how late it was.
        """
        return () if self.generator == self.database else self.generator

    def __str__(self) -> str:
        if not self.generator:
            return "one core for all: nothing is pinned"
        if self.generator == self.database:
            return (
                f"generator and database on core {_listed(self.generator)}, the database with a "
                f"lower priority; app on core {_listed(self.app)}"
            )
        return (
            f"generator on core {_listed(self.generator)}, database on {_listed(self.database)}, "
            f"app on {_listed(self.app)}"
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stack is put up: `home` for its files, and what goes before its commands."""

    home: Path
    cores: Cores

    @property
    def app(self) -> tuple[str, ...]:
        """Before the command of the app, and of whatever counts as its box: `taskset -c 1`."""
        return _on(self.cores.app)

    @property
    def database(self) -> tuple[str, ...]:
        """Before the database's."""
        shared = bool(self.cores.database) and self.cores.database == self.cores.generator
        return (*((program("nice"), "-n", _NICER) if shared else ()), *_on(self.cores.database))

    @property
    def generator(self) -> tuple[str, ...]:
        """Before a command that is to be in the generator's way."""
        return _on(self.cores.generator)


def share(allowed: Sequence[int]) -> Cores:
    """Shares out the cores that this process may use.

    >>> share([0, 1, 2, 3]).app
    (2, 3)
    """
    first, *others = sorted(allowed)
    if not others:
        return Cores()
    if len(others) < _TWO:
        return Cores((first,), (first,), tuple(others))
    return Cores((first,), (others[0],), tuple(others[1:]))


def allowed_cores() -> Cores:
    """As they are shared out here."""
    return share(sorted(os.sched_getaffinity(0)))


def _on(cores: tuple[int, ...]) -> tuple[str, ...]:
    return (program("taskset"), "-c", _listed(cores)) if cores else ()


def _listed(cores: tuple[int, ...]) -> str:
    return ",".join(map(str, cores))

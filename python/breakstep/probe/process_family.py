"""The processes that match, and whatever descends from them, as they come and go."""

import os
from collections.abc import Callable, Iterable, Mapping

from breakstep.probe.process_files import (
    ProcessStat,
    process_ids,
    read_process,
    read_program,
)

_NAME_MAX = 15
"""The kernel keeps so many bytes of a name."""
_TURNS = 8
"""Reads in which every stranger is looked at once more: it may have become another program."""

Matches = Callable[[int, ProcessStat], bool]


class Family:
    """Members are found once and kept until they end, even if their parents end before them.

    Looking at all processes takes its time: strangers are looked at when they are new, and then
    every eighth read.
    """

    def __init__(self, matches: Matches, proc: str = "/proc") -> None:
        self._matches = matches
        self._proc = proc
        self._members: dict[int, int] = {}
        self._strangers: set[int] = set()
        self._turn = 0
        # We are never part of what we look at, nor is what we started, unless it matches itself.
        self._self = os.getpid()

    def now(self) -> Mapping[int, ProcessStat]:
        """The members that are there, by id. Raises ValueError for files that are not known."""
        ids = set(process_ids(self._proc))
        found = self._stay(ids)
        others = {pid: stat for pid in self._candidates(ids) if (stat := self._read(pid))}
        joining = [
            pid for pid, stat in others.items() if stat.parent in found or self._matches(pid, stat)
        ]
        while joining:
            found |= {pid: others.pop(pid) for pid in joining}
            joining = [pid for pid, stat in others.items() if stat.parent in found]
        self._members = {pid: stat.started for pid, stat in found.items()}
        self._strangers = ids - found.keys()
        self._turn = (self._turn + 1) % _TURNS
        return found

    def _stay(self, ids: set[int]) -> dict[int, ProcessStat]:
        stats = ((pid, self._read(pid)) for pid in self._members if pid in ids)
        return {
            pid: stat
            for pid, stat in stats
            if stat is not None and stat.started == self._members[pid]
        }

    def _candidates(self, ids: set[int]) -> Iterable[int]:
        return (
            pid
            for pid in ids
            if pid not in self._members
            and (pid not in self._strangers or pid % _TURNS == self._turn)
            and pid != self._self
        )

    def _read(self, pid: int) -> ProcessStat | None:
        return read_process(self._proc, pid)


def named(name: str, proc: str = "/proc") -> Matches:
    """Matches by the name that the kernel knows, or the one the program was started as."""

    def matches(pid: int, stat: ProcessStat) -> bool:
        if stat.name == name:
            return True
        if len(stat.name) == _NAME_MAX and name.startswith(stat.name):
            return True
        return read_program(proc, pid) == name

    return matches


def one(pid: int, started: int) -> Matches:
    """Matches one process, and never another that got its id later."""
    return lambda other, stat: other == pid and stat.started == started

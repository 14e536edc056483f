"""Numbers and switches of a plan: each in its range, and none against another."""

import os
from typing import cast

from breakstep.plan.faults import Faults
from breakstep.plan.words import Flags

WORKERS_MAX = 256
REPEAT_MAX = 100
_LAWS = ("poisson", "uniform")


def check_words(flags: Flags, faults: Faults) -> None:
    """Notes every word that is out of range or goes against another."""
    law, workers = flags.arrivals, cast("int", flags.workers)
    _range(flags, faults, "arrivals", law in _LAWS, f"{law!r} is none of {', '.join(_LAWS)}")
    _range(flags, faults, "workers", 1 <= workers <= WORKERS_MAX, f"between 1 and {WORKERS_MAX}")
    enough = cast("int", flags.max_in_flight) >= max(1, min(workers, WORKERS_MAX))
    _range(flags, faults, "max_in_flight", enough, "at least one for each worker")
    repeat = 1 if flags.repeat is None else flags.repeat
    _range(flags, faults, "repeat", 1 <= repeat <= REPEAT_MAX, f"between 1 and {REPEAT_MAX}")
    _range(flags, faults, "servers", flags.servers is None or flags.servers >= 1, "at least 1")
    raised = flags.raised is None or flags.raised > 1.0
    _range(flags, faults, "raised", raised, "above 1, such as 2")
    _range(flags, faults, "seed", 0 <= cast("int", flags.seed) < 2**48, "between 0 and 2^48 − 1")
    _together(flags, faults)


def cores(text: str) -> tuple[int, ...]:
    """The cores of a text such as `0,1`, which this process may use. Raises ValueError."""
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"{text!r} is no list of cores: write 0,1") from None
    allowed = os.sched_getaffinity(0)
    if missing := [core for core in found if core not in allowed]:
        here = ", ".join(map(str, sorted(allowed)))
        raise ValueError(f"no core {missing[0]} may be used here; there are {here}")
    return found


def _range(flags: Flags, faults: Faults, word: str, right: bool, says: str) -> None:  # noqa: FBT001
    faults.when(not right, flags.place(word), says)


def _together(flags: Flags, faults: Faults) -> None:
    name = flags.name
    if flags.between is not None and flags.repeat == 1:
        says = f"{name('between')} goes with more than one {name('repeat')}"
        faults.clause(flags.place("between"), says)
    if flags.predict_only and flags.servers is None:
        says = "how many requests the service works on at once"
        says = f"{name('predict_only')} needs {name('servers')}: {says}"
        faults.clause(flags.place("predict_only"), says)
    if flags.raised is not None and flags.experiment is None:
        says = "it says by how much that raises a limit"
        says = f"{name('raised')} goes with {name('experiment')}: {says}"
        faults.clause(flags.place("raised"), says)
    if flags.experiment is not None and flags.predict_only:
        says = f"{name('experiment')} needs a search: leave out {name('predict_only')}"
        faults.clause(flags.place("experiment"), says)

"""The experiments that there are: found as files, loaded when asked for.

`php/exp2-pgconn` is `experiments/php/exp2_pgconn.py`.
"""

import difflib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from breakstep.lab.experiment import Experiment
from breakstep.model.errors import PlanError

ALL = "all"
_FOLDER = Path(__file__).with_name("experiments")


def names() -> list[str]:
    """Of all experiments, group by group."""
    files = sorted(_FOLDER.glob("*/*.py"))
    return [_name(file) for file in files if not file.name.startswith("_")]


def load(name: str) -> Experiment:
    """The experiment of this name, which is one of `names()`."""
    group, _, rest = name.partition("/")
    module = import_module(f"breakstep.lab.experiments.{group}.{rest.replace('-', '_')}")
    experiment: Experiment = module.EXPERIMENT
    return experiment


def chosen(asked: Sequence[str]) -> list[Experiment]:
    """The experiments that were asked for, in that order; `all` is every one.

    `single` is every one of that group. Raises PlanError with every name that is none.
    """
    known, faults, found = names(), [], []
    for name in asked:
        matching = [one for one in known if name in (ALL, one, one.partition("/")[0])]
        found += matching
        if not matching:
            faults.append(_unknown(name, known))
    if faults:
        raise PlanError(faults)
    return [load(name) for name in dict.fromkeys(found)]


def _unknown(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "`breakstep lab list` shows them all"
    return f"{name!r} is no experiment: {hint}"


def _name(file: Path) -> str:
    return f"{file.parent.name}/{file.stem.replace('_', '-')}"

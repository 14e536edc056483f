"""From what a verb is given, a URL or a load-model file, to a Plan."""

from dataclasses import replace
from pathlib import Path

from breakstep.model.errors import PlanError
from breakstep.model.plan import Plan
from breakstep.plan.address import Resolver, resolve
from breakstep.plan.flags import plan_from_flags
from breakstep.plan.words import Flags, over

_SUFFIXES = (".yaml", ".yml")


def plan_from(source: str, flags: Flags, resolver: Resolver = resolve) -> Plan:
    """The plan of a URL or of a file, with flags over it; `flags.url` replaces that of a file.

    Raises PlanError with every fault, TargetError if the host cannot be resolved.
    """
    return plan_from_flags(flags_from(source, flags), resolver)


def flags_from(source: str, flags: Flags) -> Flags:
    """What was asked for in all. Raises PlanError."""
    if not is_file(source):
        if flags.url is not None:
            raise PlanError(["--url goes with a FILE: there is a URL already"])
        return replace(flags, url=source)
    # YAML is only read by who has a file.
    from breakstep.plan.file import read_file  # noqa: PLC0415

    return over(flags, read_file(Path(source)))


def is_file(source: str) -> bool:
    """Whether a source is a file rather than a URL."""
    if "://" in source:
        return False
    path = Path(source)
    return source.endswith(_SUFFIXES) or (path.exists() and not path.is_dir())

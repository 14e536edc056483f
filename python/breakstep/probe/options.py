"""Options that several kinds of probe share."""

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.model.units import NS_PER_S, parse_duration

TIMEOUT_S = 2.0
TIMEOUT_MAX_S = 30.0
_YES = frozenset({"yes", "true", "1"})
_NO = frozenset({"no", "false", "0"})


def timeout_s(spec: ProbeSpec) -> float:
    """The longest that one read may take: `timeout=1s`, two seconds without. Raises ProbeError."""
    text = spec.option("timeout")
    if text is None:
        return TIMEOUT_S
    try:
        seconds = parse_duration(text) / NS_PER_S
    except ValueError as error:
        raise ProbeError(f"timeout={text}: {error}") from error
    if not 0.0 < seconds <= TIMEOUT_MAX_S:
        raise ProbeError(f"timeout={text}: above nothing, and at most {TIMEOUT_MAX_S:g}s")
    return seconds


def insecure(spec: ProbeSpec) -> bool:
    """Whether certificates go unchecked: `insecure=yes`. Raises ProbeError."""
    text = spec.option("insecure")
    if text is None or text.lower() in _NO:
        return False
    if text.lower() in _YES:
        return True
    raise ProbeError(f"insecure={text}: write insecure=yes or insecure=no")

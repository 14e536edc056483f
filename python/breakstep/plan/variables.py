"""`${NAME}` in a text of a file: a value from the environment that is never shown.

`$${NAME}` stands for the characters `${NAME}`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from breakstep.plan.redact import REDACTED

EXPANDED_MAX = 1_000_000
_VARIABLE = re.compile(r"(\$?)\$\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Expanded:
    """A text with its variables put in, as it may be shown, and what was put in."""

    text: str
    shown: str
    values: frozenset[str] = frozenset()


def expand(text: str, environment: Mapping[str, str]) -> Expanded:
    """The text with its variables. Raises ValueError, which names those that are missing.

    >>> expand("Bearer ${TOKEN}", {"TOKEN": "abc"}).shown
    'Bearer ***'
    """
    asked = [match[2] for match in _VARIABLE.finditer(text) if not match[1]]
    names = frozenset(asked)
    if says := "; ".join(filter(None, (_fault(name, environment) for name in sorted(names)))):
        raise ValueError(says)
    if sum(len(environment[name]) for name in asked) > EXPANDED_MAX:
        raise ValueError(f"its variables come to more than {EXPANDED_MAX} characters")
    return Expanded(
        _put(text, lambda name: environment[name]),
        _put(text, lambda _name: REDACTED),
        frozenset(environment[name] for name in names),
    )


def _put(text: str, value: Callable[[str], str]) -> str:
    return _VARIABLE.sub(lambda match: match[0][1:] if match[1] else value(match[2]), text)


def _fault(name: str, environment: Mapping[str, str]) -> str:
    meant = f"write $${{{name}}} to mean the characters"
    if not _NAME.fullmatch(name):
        return f"{name!r} is no name of a variable: {meant}"
    if environment.get(name):
        return ""
    state = "empty" if name in environment else "not set"
    return f"the variable {name} is {state}: export {name}=…, or {meant}"

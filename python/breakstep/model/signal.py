"""Series of measurements beside the load, and the words that name them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Signal:
    """One server-side series. `source` is the probe's label, `kind` its kind, such as `php-fpm`.

    `name` may end in labels: `cpu{core=0}`. `clock_offset_s` is what the source's clock was ahead
    of ours; the times of its samples are corrected already.
    """

    source: str
    kind: str
    name: str
    unit: str
    clock_offset_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Sample:
    """One value of a signal; `at_s` in seconds since 1970 on our clock.

    A rate stands in the middle of the time that it was taken over.
    """

    signal: Signal
    at_s: float
    value: float


def labelled(name: str, /, **labels: object) -> str:
    """The name of one series among several alike.

    >>> labelled("cpu", core=0)
    'cpu{core=0}'
    """
    inside = ",".join(f"{key}={value}" for key, value in labels.items())
    return f"{name}{{{inside}}}" if inside else name


def base_name(name: str) -> str:
    """The name without its labels.

    >>> base_name("cpu{core=0}")
    'cpu'
    """
    return name.partition("{")[0]


def label_of(name: str) -> str:
    """What stands between the braces, empty without labels.

    >>> label_of("cpu{thread=node-41}")
    'thread=node-41'
    """
    return name.partition("{")[2].removesuffix("}")

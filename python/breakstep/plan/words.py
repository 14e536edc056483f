"""What the user asked for, in the words of the command line and of the load-model file.

Of a word that is said twice the flag is heard before the file, and the file before the defaults.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType

from breakstep.plan.faults import NOWHERE, Fault, Place


@dataclass(frozen=True, slots=True)
class RequestWords:
    """One request of a file. `body` is meant as it stands, `data` may be `@FILE`."""

    name: str = ""
    weight: float = 1.0
    method: str | None = None
    path: str | None = None
    """Below the path of the URL; without it that path itself."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    body: str | None = field(default=None, repr=False)
    data: str | None = field(default=None, repr=False)
    place: Place = NOWHERE
    places: Mapping[str, Place] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Flags:
    """What the user asked for; None where nothing was said."""

    url: str | None = None
    slo: Sequence[str] = ()
    steps: str | None = None
    from_: str | None = None
    to: str | None = None
    by: str | None = None
    effort: str | None = None
    budget: str | None = None
    hold: str | None = None
    """By default the least that fits the load: see HOLD_OF_STEPS and HOLD_OF_SEARCH."""
    ramp: str | None = None
    warmup: str | None = None
    """By default enough for the effort: see WARMUP and WARMUP_OF_QUICK."""
    arrivals: str | None = None
    timeout: str | None = None
    max_in_flight: int | None = None
    seed: int | None = None
    workers: int | None = None
    pin: str | None = None
    spin: bool | None = None
    abort: bool | None = None
    repeat: int | None = None
    between: str | None = None
    servers: int | None = None
    predict_only: bool | None = None
    experiment: str | None = None
    raised: float | None = None
    probe: Sequence[str] = ()
    method: str | None = None
    header: Sequence[str] = ()
    data: str | None = None
    keep_alive: bool | None = None
    insecure: bool | None = None
    cacert: str | None = None
    unix_socket: str | None = None
    authorized: Sequence[str] = ()
    # What only a file can say.
    requests: Sequence[RequestWords] = ()
    demand: Mapping[str, str | float] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)
    """Where words were said, entries of lists as `slo[0]`; flags are not in it."""
    faults: Sequence[Fault] = ()
    """What is wrong with the file already; its words are missing."""
    shown: "Flags | None" = None
    """The same with `***` for values of the environment; None if there are none."""
    hidden: frozenset[str] = field(default=frozenset(), repr=False)
    """The values of the environment."""

    def place(self, word: str, entry: int | None = None) -> Place:
        """Where a word was said: in a file, or else as a flag."""
        key = word if entry is None else f"{word}[{entry}]"
        flag = "URL" if word == "url" else "--" + word.strip("_").replace("_", "-")
        return self.places.get(key) or self.places.get(word) or Place(flag)

    def name(self, word: str) -> str:
        """What the word is called there."""
        return self.place(word).name


DEFAULTS = Flags(
    ramp="0s",
    arrivals="poisson",
    timeout="10s",
    max_in_flight=10_000,
    seed=1,
    workers=1,
    spin=False,
    abort=True,
    predict_only=False,
    keep_alive=True,
    insecure=False,
)

_SEARCHED = ("from_", "to", "by", "effort", "budget")
_DISPLACED: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "steps": _SEARCHED,
        **dict.fromkeys(_SEARCHED, ("steps",)),
        "effort": ("steps", "by", "budget"),
        "budget": ("steps", "by", "effort"),
        "insecure": ("cacert",),
        "cacert": ("insecure",),
    }
)
"""A flag also takes away words of the file that would contradict it."""


def over(upper: Flags, lower: Flags) -> Flags:
    """The words of `upper`, and those of `lower` that it leaves open."""
    said = {each.name: getattr(upper, each.name) for each in fields(Flags)}
    said = {name: value for name, value in said.items() if _says(value)}
    against = {word for name in said for word in _DISPLACED.get(name, ())}
    gone = dict.fromkeys(against & lower.places.keys())
    kept = {
        key: place
        for key, place in lower.places.items()
        if key.partition("[")[0] not in said.keys() | gone.keys()
    }
    shown = None if lower.shown is None else over(upper, lower.shown)
    places = {**kept, **upper.places}
    return replace(lower, **{"shown": shown, **gone, **said, "places": places})


def _says(value: object) -> bool:
    return value is not None and value not in ((), [], {}, frozenset())

"""The keys of a load-model file: what may stand where, and what an editor says of it."""

from collections.abc import Mapping
from math import isfinite
from types import MappingProxyType
from typing import get_args

from breakstep.model.plan import Arrivals, Effort
from breakstep.plan.kinds import Key, Many, Pairs, Schema, Section, Slo, Word
from breakstep.plan.requests import REQUESTS_MAX

_DURATION_PATTERN = r"^\s*\d+(\.\d+)?(ns|us|µs|ms|s|m|h)\s*$"
_RATE_PATTERN = r"^\s*\d*\.?\d+([eE][+-]?\d+)?\s*(/s)?\s*$"
_SLO_PATTERN = (
    r"^(.*:\s*)?\s*(p\d+(\.\d+)?\s*<=?\s*\S+|(errors\s*<|goodput\s*>)=?\s*\d+(\.\d+)?\s*%)\s*$"
)

SLOS_MAX = 100


def _switch(text: str) -> bool:
    if text not in {"true", "false"}:
        raise ValueError(f"{text!r} is neither true nor false")
    return text == "true"


def _count(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a whole number") from None


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise ValueError(f"{text!r} is not a number")
    return number


def _share(text: str) -> float:
    number = _number(text.removesuffix("%"))
    return number / 100.0 if text.endswith("%") else number


def _choice(words: tuple[str, ...]) -> Word:
    return Word({"enum": list(words)})


_STRING: Schema = MappingProxyType({"type": "string"})
_SCALAR: Schema = MappingProxyType({"type": ["string", "number", "boolean"]})
"""What YAML takes for something else than a text is a text here all the same."""

TEXT = Word(_STRING)
NAME = Word(_SCALAR)
SECRET_TEXT = Word(_STRING, variables=True)
CONTENT = Word(_SCALAR, variables=True)
DURATION = Word({"type": "string", "pattern": _DURATION_PATTERN})
RATE = Word({"type": ["number", "string"], "exclusiveMinimum": 0, "pattern": _RATE_PATTERN})
SWITCH = Word({"type": "boolean"}, _switch)
COUNT = Word({"type": "integer"}, _count)
NUMBER = Word({"type": "number"}, _number)
SHARE = Word({"type": ["number", "string"], "pattern": r"^\d+(\.\d+)?%$"}, _share)

TARGET: Mapping[str, Key] = MappingProxyType(
    {
        "url": Key(SECRET_TEXT, "http://HOST:PORT/ or https://…; requests are below its path."),
        "unix-socket": Key(TEXT, "Connect to this socket; the URL then only names the host."),
        "keep-alive": Key(SWITCH, "Carry many requests on a connection; true by default."),
        "insecure": Key(SWITCH, "Accept any TLS certificate."),
        "cacert": Key(TEXT, "Authorities to trust, PEM."),
    }
)

REQUEST: Mapping[str, Key] = MappingProxyType(
    {
        "name": Key(NAME, "Tells it from the others in results, and an SLO may name it."),
        "weight": Key(NUMBER, "Its share of the arrivals is its weight over the sum of all."),
        "method": Key(TEXT, "GET, or POST with a body."),
        "path": Key(SECRET_TEXT, "Path and query, below the path of the target's URL."),
        "headers": Key(Pairs(CONTENT), "By name. ${NAME} is read from the environment."),
        "body": Key(CONTENT, "The body, as it is written here."),
        "data": Key(CONTENT, "The body, or @FILE."),
    }
)

LOAD: Mapping[str, Key] = MappingProxyType(
    {
        "steps": Key(Many(RATE), "The rates to offer, each above the one before it."),
        "from": Key(RATE, "Lowest rate.", "from_"),
        "to": Key(RATE, "Highest rate."),
        "by": Key(RATE, "Distance between steps; without it the search is automatic."),
        "effort": Key(_choice(get_args(Effort)), "Of the automatic search."),
        "budget": Key(DURATION, "Time the automatic search may take, instead of an effort."),
        "servers": Key(COUNT, "Requests the service works on at once: foretells the answer."),
        "predict-only": Key(SWITCH, "Foretell, and offer light loads only."),
        "hold": Key(DURATION, "The judged part of a step."),
        "ramp": Key(DURATION, "Rise to a step's rate, not judged."),
        "warmup": Key(DURATION, "At the step's rate before the hold, not judged."),
        "arrivals": Key(_choice(get_args(Arrivals)), "The law of the arrivals."),
        "seed": Key(COUNT, "The same seed is the same schedule."),
        "timeout": Key(DURATION, "From the intended start to the last byte."),
        "max-in-flight": Key(COUNT, "Connections at most."),
        "abort": Key(SWITCH, "End a hopeless hold early, and steps at the first failure."),
        "repeat": Key(COUNT, "Runs of the whole."),
        "between": Key(TEXT, "Command between runs, such as a restart."),
        "workers": Key(COUNT, "Threads that offer the load."),
        "pin": Key(Many(COUNT), "Their cores."),
        "spin": Key(SWITCH, "Spend a core on exact starts."),
    }
)

EXPERIMENT: Mapping[str, Key] = MappingProxyType(
    {
        "command": Key(
            TEXT,
            "A command that changes the service after the search, which is then made again.",
            "experiment",
        ),
        "raised": Key(NUMBER, "By how much it raises the suspected limit, such as 2."),
    }
)

DEMAND: Mapping[str, Key] = MappingProxyType(
    {
        "peak": Key(RATE, "Requests a second at the busiest time."),
        "growth": Key(SHARE, "How much more is expected, such as 30%."),
        "failures": Key(COUNT, "Nodes that may be down at the peak."),
        "burst": Key(NUMBER, "Busiest second over the mean of the peak, such as 1.3."),
        "headroom": Key(SHARE, "Share of the measured load to count on, such as 0.7."),
        "imbalance": Key(NUMBER, "Busiest node over the mean of all, such as 1.1."),
    }
)

FILE = Section(
    {
        "target": Key(Section(TARGET, ("url",)), "The system under test."),
        "requests": Key(
            Many(Section(REQUEST), REQUESTS_MAX, alone=False),
            "What an arrival does: one of these, by weight.",
        ),
        "slo": Key(
            Many(Slo(Word({"type": "string", "pattern": _SLO_PATTERN})), SLOS_MAX),
            "p95<200ms, errors<1%, goodput>97%, each also for one request: 'NAME: p95<300ms'.",
        ),
        "load": Key(Section(LOAD), "What is offered and for how long: the flags of `find`."),
        "probes": Key(
            Many(SECRET_TEXT), "What is sampled on the server, as with --probe.", "probe"
        ),
        "plan": Key(Section(DEMAND), "The demand that `breakstep plan` plans for.", "demand"),
        "experiment": Key(Section(EXPERIMENT), "A change to make after the search."),
    },
    ("target",),
)

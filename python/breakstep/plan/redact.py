"""A plan as it may be shown: secrets are replaced wherever the plan is written down."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any
from urllib.parse import unquote_plus

from breakstep.model.plan import Plan, Scenario, Search, Staircase
from breakstep.model.probe import ProbeSpec
from breakstep.model.units import NS_PER_S

REDACTED = "***"
# A name that holds one of these words carries a secret more often than not.
_SECRET = re.compile(
    r"auth|cookie|token|secret|passw|pwd|api[-_]?key|access[-_]?key|signature|session|credential|jwt"
    r"|^key$|^sig$",
    re.IGNORECASE,
)
_USERINFO = re.compile(r"^(\w+://)?.*@", re.DOTALL)
_PASSWORD = re.compile(r"(password\s*=\s*)('[^']*'|\S+)", re.IGNORECASE)
_SECRET_OPTIONS = frozenset({"token", "password"})
_PAIR = re.compile(r"([^?&;=#]+)=([^&;#]*)")
# Headers whose names look harmless and whose values are.
_HARMLESS = frozenset(
    {"accept", "accept-language", "content-type", "user-agent", "host", "cache-control", "range"}
)


def plan_json(plan: Plan) -> Mapping[str, Any]:
    """The plan as JSON. Header values that are not known to be harmless are left out."""
    document = asdict(plan)
    for name in ("ramp_ns", "warmup_ns", "hold_ns", "timeout_ns"):
        document[name.removesuffix("_ns") + "_s"] = document.pop(name) / NS_PER_S
    # A command may carry a password.
    document["between"] = REDACTED if plan.between is not None else None
    document["experiment"] = plan.experiment and {
        "command": REDACTED,
        "raised": plan.experiment.raised,
    }
    document["probes"] = [probe_json(spec) for spec in plan.probes]
    document["slos"] = [str(slo) for slo in plan.slos]
    document["load"] = _load(plan.load)
    document["target"]["url"] = redact_url(plan.target.url)
    document["scenarios"] = [_scenario(one.shown or one) for one in plan.scenarios]
    document["demand"] = dict(plan.demand)
    document["hash"] = document.pop("digest") or None
    return document


def redact_header(name: str, value: str) -> str:
    """The value of a header known to be harmless; `***` for any other.

    >>> redact_header("Authorization", "Bearer abc"), redact_header("Accept", "text/html")
    ('***', 'text/html')
    """
    return value if name.lower() in _HARMLESS else REDACTED


def redact_url(url: str, instead: Callable[[str], str] = lambda _name: REDACTED) -> str:
    """The URL without the values of query parameters that look like secrets.

    Any text will do, a faulty URL too. `instead` says what a parameter's value becomes.

    >>> redact_url("http://h/p?page=2&api_key=abc")
    'http://h/p?page=2&api_key=***'
    """
    before, mark, query = url.partition("?")
    return before + mark + _PAIR.sub(partial(_redact_pair, instead), query)


def redact_faulty_url(text: str) -> str:
    """What may be shown of a text that is no URL: nothing before its last `@`.

    >>> redact_faulty_url("ftp://me:abc@h/")
    'ftp://***@h/'
    """
    return redact_url(_USERINFO.sub(rf"\1{REDACTED}@", text))


def redact_where(where: str) -> str:
    """A place without passwords, tokens and user names."""
    shown = _PASSWORD.sub(rf"\1{REDACTED}", where)
    return redact_faulty_url(shown) if "@" in shown else redact_url(shown)


def probe_json(spec: ProbeSpec) -> Mapping[str, object]:
    """A probe as it may be shown."""
    return {
        "kind": spec.kind,
        "label": spec.label,
        "every_s": spec.every_ns / NS_PER_S,
        "options": [
            [name, REDACTED if name in _SECRET_OPTIONS else value] for name, value in spec.options
        ],
    }


def _redact_pair(instead: Callable[[str], str], pair: re.Match[str]) -> str:
    secret = _SECRET.search(unquote_plus(pair[1]))
    return f"{pair[1]}={instead(pair[1])}" if secret else pair[0]


def _scenario(scenario: Scenario) -> Mapping[str, Any]:
    body = scenario.body
    return {
        "name": scenario.name,
        "weight": scenario.weight,
        "method": scenario.method,
        "path": redact_url(scenario.path),
        "headers": {name: redact_header(name, value) for name, value in scenario.headers},
        "body_bytes": len(body),
        "body_sha256": hashlib.sha256(body).hexdigest() if body else None,
    }


def _load(load: Staircase | Search) -> Mapping[str, Any]:
    return {"kind": type(load).__name__.lower(), **asdict(load)}

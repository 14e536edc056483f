"""A plan as it may be shown: secrets are replaced wherever the plan is written down."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from breakstep.model.plan import Climb, Plan, Search, Staircase
from breakstep.model.units import NS_PER_S

REDACTED = "***"
# A name that holds one of these words carries a secret more often than not.
_SECRET = re.compile(
    r"auth|cookie|token|secret|passw|pwd|api[-_]?key|access[-_]?key|signature|session|credential|jwt"
    r"|^key$|^sig$",
    re.IGNORECASE,
)
# Headers whose names look harmless and whose values are.
_HARMLESS = frozenset(
    {"accept", "accept-language", "content-type", "user-agent", "host", "cache-control", "range"}
)


def plan_json(plan: Plan) -> Mapping[str, Any]:
    """The plan as JSON. Header values that are not known to be harmless are left out."""
    document = asdict(plan)
    for name in ("ramp_ns", "warmup_ns", "hold_ns", "timeout_ns"):
        document[name.removesuffix("_ns") + "_s"] = document.pop(name) / NS_PER_S
    document["slos"] = [str(slo) for slo in plan.slos]
    document["load"] = _load(plan.load)
    document["target"]["url"] = redact_url(plan.target.url)
    document["scenario"] = {
        "method": plan.scenario.method,
        "path": redact_url(plan.scenario.path),
        "headers": {name: redact_header(name, value) for name, value in plan.scenario.headers},
        "body_bytes": len(plan.scenario.body),
        "body_sha256": hashlib.sha256(plan.scenario.body).hexdigest()
        if plan.scenario.body
        else None,
    }
    return document


def redact_header(name: str, value: str) -> str:
    """The value of a header known to be harmless; `***` for any other.

    >>> redact_header("Authorization", "Bearer abc"), redact_header("Accept", "text/html")
    ('***', 'text/html')
    """
    return value if name.lower() in _HARMLESS else REDACTED


def redact_url(url: str) -> str:
    """The URL without the values of query parameters that look like secrets.

    >>> redact_url("http://h/p?page=2&api_key=abc")
    'http://h/p?page=2&api_key=***'
    """
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    if not any(_SECRET.search(name) for name, _ in pairs):
        return url
    shown = [(name, REDACTED if _SECRET.search(name) else value) for name, value in pairs]
    return urlunsplit(parts._replace(query=urlencode(shown, safe="*")))


def _load(load: Staircase | Climb | Search) -> Mapping[str, Any]:
    return {"kind": type(load).__name__.lower(), **asdict(load)}

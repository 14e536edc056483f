"""A plan in one number: equal plans have equal digests, whether they came from flags or a file."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from breakstep.model.plan import Plan
from breakstep.plan.redact import plan_json

_SETTLED = ("first_look", "looks", "width", "foretold_per_s")
"""Of a search: follow from its effort and the first contact."""


def plan_digest(plan: Plan, **more: object) -> str:
    """SHA-256 of what fixes the run, in hex; `more` fixes it too.

    It is taken of the plan as it may be shown, so no secret can be guessed from it: two plans that
    differ in secrets alone are the same. Left out is what changes nothing: where the host was
    found, the demand, and the name of an only request.
    """
    return _sha256({**_canonical(plan_json(plan)), **more})


def _canonical(document: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in document.items() if key not in {"hash", "demand"}}
    target = {
        key: value for key, value in kept["target"].items() if key not in {"addresses", "url"}
    }
    load = {key: value for key, value in kept["load"].items() if key not in _SETTLED}
    scenarios = [dict(scenario) for scenario in kept["scenarios"]]
    if len(scenarios) == 1:
        del scenarios[0]["name"], scenarios[0]["weight"]
    return {**kept, "target": target, "load": load, "scenarios": scenarios}


def _sha256(document: Mapping[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

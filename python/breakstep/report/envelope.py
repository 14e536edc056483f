"""The text of an envelope: the document that every verb writes."""

import json
from collections.abc import Mapping
from typing import Any


def dumps(envelope: Mapping[str, Any]) -> str:
    """Its text, without numbers that JSON does not have."""
    return json.dumps(envelope, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

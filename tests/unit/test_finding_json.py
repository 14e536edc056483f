"""The section `diagnosis` and back."""

import json

import pytest

from breakstep.model.errors import StoreError
from breakstep.model.finding import Alternative, Evidence, Finding
from breakstep.store.finding_json import from_section, to_section
from breakstep.store.result_json import NOT_OBSERVED

FINDING = Finding(
    kind="event_loop",
    resource="node:127.0.0.1:9464",
    confidence="medium",
    says="The one thread of node:127.0.0.1:9464 that serves requests was full.",
    evidence=(Evidence("node loop_utilisation", 0.996, "share", 3, "99.6 % at 200/s: busy"),),
    alternatives=(Alternative("garbage_collection", "process:node", "Not sampled.", "more heap"),),
    missing=("to tell whether a database was full, add --probe postgres:DSN",),
    remedy="Take the work off the loop.",
)


def test_a_finding_survives_the_file() -> None:
    """Every field, by way of JSON text."""
    assert from_section(json.loads(json.dumps(to_section(FINDING)))) == FINDING


def test_the_section_has_exactly_these_keys() -> None:
    """Those of the contract, in its order, then what is ours."""
    section = to_section(FINDING)
    assert list(section) == [
        *("kind", "resource", "confidence", "evidence", "alternatives"),
        *("says", "missing", "remedy"),
    ]
    assert list(section["evidence"][0]) == ["signal", "value", "unit", "step", "says"]
    assert list(section["alternatives"][0]) == ["kind", "resource", "says", "experiment"]


def test_a_section_of_an_older_result_is_read() -> None:
    """It had no sentences."""
    finding = from_section(NOT_OBSERVED)
    assert (finding.kind, finding.says, finding.missing) == ("not_observed", "", ())


@pytest.mark.parametrize(
    ("section", "says"),
    [
        ({}, "'kind' is missing"),
        ({**to_section(FINDING), "evidence": [{"signal": "x"}]}, "damaged"),
        ({**to_section(FINDING), "evidence": [5]}, "damaged"),
        ({**to_section(FINDING), "alternatives": None}, "damaged"),
    ],
)
def test_a_damaged_section_is_refused(section: dict[str, object], says: str) -> None:
    """With what is wrong about it."""
    with pytest.raises(StoreError, match=says):
        from_section(section)

"""A capacity plan as it is read."""

import json
from dataclasses import replace

import pytest
from golden import assert_golden
from knees import broke_at, full, held
from results import FOUND

from breakstep.capacity.planning import plan_capacity
from breakstep.model.capacity import (
    CapacityPlan,
    DatabaseTerms,
    PeakDemand,
    PlanTerms,
    ScalingTerms,
)
from breakstep.model.record import Trust
from breakstep.model.units import NS_PER_MS, NS_PER_S
from breakstep.report.envelope import dumps
from breakstep.report.plan import headline, plan_text
from breakstep.report.plan_json import plan_envelope, plan_section

FLEET = PlanTerms(
    PeakDemand(500.0, growth=0.2, burst=1.1, given=frozenset({"growth", "burst"})),
    database=DatabaseTerms(pool=20, max_connections=100, held_ns=12 * NS_PER_MS),
    scaling=ScalingTerms(2.0, 90 * NS_PER_S),
)
RUNS = tuple(broke_at(knee, name=f"run{k}") for k, knee in enumerate((146.0, 150.0, 152.0)))
OWN = full("event_loop", "node:127.0.0.1:9229")
SHARED = full("database_cpu", "db")


def fleet(terms: PlanTerms = FLEET) -> CapacityPlan:
    """Three runs that lie close together."""
    return plan_capacity(RUNS, [OWN] * 3, None, terms)


def shared() -> CapacityPlan:
    """One run in which the database was full."""
    return plan_capacity([held(120.0, 130.0)], [SHARED], None, PlanTerms(PeakDemand(500.0)))


@pytest.mark.parametrize(
    ("name", "plan", "width"),
    [
        ("plan-fleet.txt", fleet(), 100),
        ("plan-shared.txt", shared(), 100),
        ("plan-asked.txt", fleet(replace(FLEET, nodes=4, headroom=0.7)), 60),
    ],
    ids=["fleet", "shared", "asked"],
)
def test_a_plan_reads_as_it_did(name: str, plan: CapacityPlan, width: int) -> None:
    """Headline, questions, the table of assumptions, notes."""
    text = plan_text(plan, width)
    assert all(len(line) <= width for line in text.splitlines())
    assert_golden(name, f"{text}\n")


def test_the_headline_says_the_nodes_by_hand() -> None:
    """6 nodes, 5 of which carry it."""
    terms = PlanTerms(PeakDemand(500.0), headroom=0.7)
    plan = plan_capacity([broke_at(150.0, (150.0, 150.0))], [OWN], None, terms)
    assert headline(plan) == "6 nodes: 5 carry 500/s, 1 may be down."


def test_the_contract_of_the_section_holds() -> None:
    """Every key that other programs may rely on is there, and says the same as the text."""
    section = plan_section(fleet())
    assert section.keys() >= {
        *("rated_per_node", "nodes", "spare", "database", "autoscale_at_per_s"),
        *("rate_limit_per_s", "assumptions"),
    }
    assert section["database"].keys() >= {"connections", "limit", "fits"}
    assert (section["nodes"], section["spare"]) == (fleet().fleet.nodes, 1)  # type: ignore[union-attr]
    assert {row["name"]: row["source"] for row in section["assumptions"]} == {
        "spread": "measured",
        "growth": "given",
        "burst": "given",
        "imbalance": "assumed",
        "failures": "assumed",
        "linear": "measured",
    }


def test_no_number_is_null() -> None:
    """Where more nodes do not help there are none."""
    section = plan_section(shared())
    assert section["nodes"] is None
    assert section["fleet"] is None
    assert section["database"]["connections"] is None


def test_the_envelope_is_that_of_the_run_trusted_least() -> None:
    """What a plan rests on is named, and it is no better than the worst of it."""
    noisy = replace(FOUND, id="noisy", trust=Trust("noisy"), environment={"cores": 64})
    envelope = json.loads(dumps(plan_envelope(fleet(), (*RUNS, noisy), "id")))
    assert envelope["command"] == "plan"
    assert envelope["trust"]["verdict"] == "noisy"
    assert envelope["environment"] == {"cores": 64}
    assert envelope["plan"]["rests_on"] == ["run0", "run1", "run2", "noisy"]


def test_names_of_others_cannot_paint_the_terminal() -> None:
    """A resource is named by whoever runs the server."""
    loud = full("event_loop", "node\x1b[31m:x")
    plan = plan_capacity([broke_at(150.0)], [loud], None, PlanTerms(PeakDemand(500.0)))
    assert "\x1b" not in plan_text(plan)

"""The command that measures a result again."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from results import FOUND

from breakstep.model.plan import Plan, Search
from breakstep.plan.flags import Flags, plan_from_flags
from breakstep.plan.redact import plan_json
from breakstep.report.reproduce import reproduce

if TYPE_CHECKING:
    from breakstep.report.reproduce import Again

URL = "http://127.0.0.1:8080/a?b=1&c=2"


def _again(plan: Any) -> Again:
    found = reproduce(replace(FOUND, plan=plan))
    assert found is not None
    return found


def _read_back(plan: Plan) -> Plan:
    """The plan of the command, as `find` would read it."""
    words = shlex.split(" ".join(_again(plan_json(plan)).words))[2:]
    fields: dict[str, Any] = {"url": words.pop(0), "slo": []}
    while words:
        flag, value = words.pop(0), words.pop(0)
        name = flag.removeprefix("--").replace("-", "_").replace("from", "from_")
        fields[name] = [*fields["slo"], value] if name == "slo" else value
    fields["seed"] = int(fields["seed"])
    return plan_from_flags(Flags(**fields))


def test_the_command_of_a_staircase_gives_the_same_plan() -> None:
    """Read by the reader of flags itself."""
    flags = Flags(url=URL, slo=["p95<200ms", "errors<1%"], steps="50,62.5,100", hold="3s", seed=9)
    plan = plan_from_flags(flags)
    assert _read_back(plan) == plan


def test_the_command_of_a_search_gives_the_same_plan() -> None:
    """With its limits and its effort."""
    plan = plan_from_flags(Flags(url=URL, from_="10", to="500", effort="quick", arrivals="uniform"))
    assert isinstance(plan.load, Search)
    assert _read_back(plan) == plan


def test_what_is_secret_has_to_be_put_in_by_hand() -> None:
    """The command says where, and a note says so."""
    flags = Flags(url=URL, steps="5", header=["Authorization: Bearer abc"], data="secret")
    again = _again(plan_json(plan_from_flags(flags)))
    command = " ".join(again.words)
    assert "abc" not in command
    assert "'Authorization: ***'" in command
    assert "--data '***'" in command
    assert any("***" in note for note in again.notes)


def test_a_probe_with_a_name_of_its_own_is_marked() -> None:
    """Its place is not in the plan; that of the others is their name."""
    probe = ["host", "listen:8080", "process:node,name=app"]
    words = _again(plan_json(plan_from_flags(Flags(url=URL, steps="5", probe=probe)))).words
    assert words[-6:] == (
        "--probe",
        "host",
        "--probe",
        "listen:8080",
        "--probe",
        "'process:***,name=app'",
    )


def test_a_hostile_value_stays_one_word() -> None:
    """Nobody who copies the command runs something else."""
    plan = {"target": {"url": "http://h/$(id)`id`'; rm -rf x #"}, "scenario": {}, "slos": ["\n;id"]}
    words = shlex.split(" ".join(_again(plan).words))
    assert words[2] == plan["target"]["url"]  # type: ignore[index]
    assert words[4] == "\n;id"


def test_several_requests_have_no_command() -> None:
    """They are in a file that is not in the result."""
    assert reproduce(replace(FOUND, plan={"target": {}, "scenarios": [{}, {}]})) is None
    assert reproduce(replace(FOUND, command="check")) is None

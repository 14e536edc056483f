"""What the machine allows, held against the plan."""

from dataclasses import replace
from typing import Any

import pytest
from plans import URL, plan_of

from breakstep.model.plan import Plan
from breakstep.plan.flags import Flags
from breakstep.plan.limits import Machine, connections_allowed, read_machine, warnings

ROOMY = Machine(open_files=1_048_576, local_ports=28_232)
FEW_FILES = Machine(open_files=1_024, local_ports=28_232)
FEW_PORTS = Machine(open_files=1_048_576, local_ports=500)


def plan(**changes: Any) -> Plan:
    """A plan with these flags."""
    return plan_of(replace(Flags(URL), **changes))


def test_a_roomy_machine_has_nothing_to_say() -> None:
    """No warning without a reason."""
    assert warnings(plan(), ROOMY) == ()
    assert connections_allowed(plan(), ROOMY) == 10_000


def test_few_open_files_are_a_warning_with_the_remedy() -> None:
    """The connections that are left are named."""
    assert warnings(plan(), FEW_FILES) == (
        (
            "the limit of open files (1024) allows 960 connections, fewer than the 10000 of "
            "--max-in-flight: raise it with ulimit -n"
        ),
    )
    assert connections_allowed(plan(), FEW_FILES) == 960


def test_few_local_ports_are_a_warning_with_the_remedy() -> None:
    """A connection to one address takes a port of its own."""
    (warning,) = warnings(plan(), FEW_PORTS)
    assert warning.startswith("500 local ports allow as many connections at once")
    assert connections_allowed(plan(), FEW_PORTS) == 500


def test_a_unix_socket_needs_no_ports() -> None:
    """Neither at once nor one after another."""
    unix = plan(unix_socket="/s", keep_alive=False, steps="100000")
    assert warnings(unix, FEW_PORTS) == ()
    assert connections_allowed(unix, FEW_PORTS) == 10_000


def test_a_plan_within_the_limits_is_no_warning() -> None:
    """Asking for fewer connections is a remedy too."""
    assert warnings(plan(max_in_flight=960), FEW_FILES) == ()


@pytest.mark.parametrize(
    ("changes", "warned"),
    [
        ({"steps": "100,400"}, False),
        ({"steps": "100,500"}, True),
        ({"to": "400"}, False),
        ({"to": "500"}, True),
        ({}, True),
    ],
)
def test_without_keep_alive_the_ports_bound_the_rate(
    changes: dict[str, Any], *, warned: bool
) -> None:
    """28 232 ports that rest a minute each are 470 connections a second."""
    found = warnings(plan(keep_alive=False, **changes), ROOMY)
    assert [("above about 471/s" in warning) for warning in found] == [True] * warned


def test_every_worker_has_a_connection_whatever_the_limits() -> None:
    """A starved machine is the engine's to refuse."""
    starved = Machine(open_files=10, local_ports=10)
    assert connections_allowed(plan(workers=8), starved) == 8


def test_this_machine_can_be_read() -> None:
    """Both limits are known."""
    machine = read_machine()
    assert machine.open_files > 0
    assert machine.local_ports > 0

"""Facts of choosing among a host's addresses."""

import socket

import pytest

from breakstep.engine.reach import at_its_address, reachable_first
from breakstep.plan.flags import Flags, plan_from_flags

pytestmark = pytest.mark.sockets


def test_the_address_that_listens_comes_first() -> None:
    """A service on 127.0.0.1 alone is found although localhost may mean ::1 before it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert reachable_first(("::1", "127.0.0.1"), port) == ("127.0.0.1", "::1")


def test_the_order_stays_when_nothing_listens() -> None:
    """Nobody at home is told by the first contact, with the address first tried."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert reachable_first(("::1", "127.0.0.1"), port) == ("::1", "127.0.0.1")


def test_a_plan_goes_where_the_service_listens() -> None:
    """Every command that loads a host of several addresses asks this way."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        flags = Flags(f"http://localhost:{port}/")
        plan = plan_from_flags(flags, lambda _host, _port: ("::1", "127.0.0.1"))
        assert at_its_address(plan).target.addresses == ("127.0.0.1", "::1")

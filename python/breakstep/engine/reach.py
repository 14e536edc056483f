"""Which of a host's addresses the service listens on: `localhost` may mean two."""

import socket
from collections.abc import Sequence
from dataclasses import replace

from breakstep.model.plan import Plan

PATIENCE_S = 1.0


def at_its_address(plan: Plan) -> Plan:
    """The plan with its load going where the service listens."""
    target = plan.target
    if len(target.addresses) <= 1:
        return plan
    addresses = reachable_first(target.addresses, target.port)
    return replace(plan, target=replace(target, addresses=addresses))


def reachable_first(addresses: Sequence[str], port: int) -> tuple[str, ...]:
    """The addresses, the first one that accepts a connection in front; as they are if none does."""
    chosen = next((address for address in addresses if accepts(address, port)), None)
    if chosen is None:
        return tuple(addresses)
    return (chosen, *(address for address in addresses if address != chosen))


def accepts(address: str, port: int) -> bool:
    """Whether something takes a connection there."""
    try:
        with socket.create_connection((address, port), timeout=PATIENCE_S):
            return True
    except OSError:
        return False

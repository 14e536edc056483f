"""Plans for tests, made as the command line makes them."""

from breakstep.model.plan import Plan
from breakstep.plan.flags import Flags, plan_from_flags

URL = "http://127.0.0.1:8080/"


def loopback(_host: str, _port: int) -> tuple[str, ...]:
    """A resolver that finds everything at home."""
    return ("127.0.0.1",)


def plan_of(flags: Flags) -> Plan:
    """The plan of these flags, whatever the host."""
    return plan_from_flags(flags, loopback)

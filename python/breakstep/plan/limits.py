"""What this machine allows, held against the plan before any load."""

import resource
from dataclasses import dataclass
from pathlib import Path

from breakstep.model.plan import Plan, Staircase

RESERVED_FILES = 64
"""Descriptors for everything that is not a connection under load."""
TIME_WAIT_S = 60


@dataclass(frozen=True, slots=True)
class Machine:
    """Limits of the machine: open files of this process, local ports for outgoing connections."""

    open_files: int
    local_ports: int


def read_machine() -> Machine:
    """Raises the soft limit of open files to the hard one and reads what is left."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    files = 2**31 if hard == resource.RLIM_INFINITY else hard
    return Machine(files, _local_ports())


def connections_allowed(plan: Plan, machine: Machine) -> int:
    """The most connections the plan may have open here at once."""
    return max(
        plan.workers,
        min(plan.max_in_flight, machine.open_files - RESERVED_FILES, _ports(plan, machine)),
    )


def warnings(plan: Plan, machine: Machine) -> tuple[str, ...]:
    """What the machine's limits will do to this plan, each with the remedy."""
    found = []
    if machine.open_files - RESERVED_FILES < plan.max_in_flight:
        found.append(
            f"the limit of open files ({machine.open_files}) allows "
            f"{connections_allowed(plan, machine)} connections, fewer than the "
            f"{plan.max_in_flight} of --max-in-flight: raise it with ulimit -n"
        )
    if _ports(plan, machine) < plan.max_in_flight:
        found.append(
            f"{machine.local_ports} local ports allow as many connections at once, fewer than the "
            f"{plan.max_in_flight} of --max-in-flight: widen net.ipv4.ip_local_port_range"
        )
    return (*found, *_short_lived(plan, machine))


def _short_lived(plan: Plan, machine: Machine) -> tuple[str, ...]:
    if plan.target.keep_alive or plan.target.unix_socket is not None:
        return ()
    highest = plan.load.rates_per_s[-1] if isinstance(plan.load, Staircase) else plan.load.to_per_s
    limit = machine.local_ports / TIME_WAIT_S
    if highest is not None and highest <= limit:
        return ()
    says = (
        f"without keep-alive every request takes a local port for up to {TIME_WAIT_S} s: above "
        f"about {limit:.0f}/s the {machine.local_ports} ports may run out; widen "
        "net.ipv4.ip_local_port_range or set net.ipv4.tcp_tw_reuse=1"
    )
    return (says,)


def _ports(plan: Plan, machine: Machine) -> int:
    return plan.max_in_flight if plan.target.unix_socket is not None else machine.local_ports


def _local_ports() -> int:
    low, high = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    return int(high) - int(low) + 1

"""Runs an agent: listens, reads its probes, serves until it is told to stop."""

import asyncio
import signal
import socket
from collections.abc import Callable, Coroutine

from breakstep.model.errors import ProbeError
from breakstep.plan.agent_flags import AgentPlan
from breakstep.plan.host_port import format_host_port
from breakstep.probe.agent_server import AgentServer, Say
from breakstep.probe.agent_visitor import Access
from breakstep.probe.desk import ProbeDesk

BACKLOG = 64
_STOPPING = (signal.SIGINT, signal.SIGTERM)

Ready = Callable[[str], None]


def run_agent(plan: AgentPlan, ready: Ready, say: Say) -> None:
    """Serves until SIGINT or SIGTERM. `ready` gets the address once it listens.

    Raises ProbeError if a probe cannot be read or the address cannot be had.
    """
    with _listener(plan) as listener:
        desk = ProbeDesk.open(plan.probes)
        try:
            desk.start()
            server = AgentServer(desk, Access(plan.token, plan.tls), say)
            address = format_host_port(plan.host, listener.getsockname()[1])
            asyncio.run(_until_stopped(server.serve(listener), lambda: ready(address)))
        finally:
            desk.stop()


async def _until_stopped(serve: Coroutine[None, None, None], ready: Callable[[], None]) -> None:
    serving = asyncio.ensure_future(serve)
    for number in _STOPPING:
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    # Only now: whoever reads this line may stop us the next moment.
    ready()
    try:
        await serving
    except asyncio.CancelledError:
        return


def _listener(plan: AgentPlan) -> socket.socket:
    family = socket.AF_INET6 if ":" in plan.host else socket.AF_INET
    try:
        return socket.create_server((plan.host, plan.port), family=family, backlog=BACKLOG)
    except OSError as error:
        where = format_host_port(plan.host, plan.port)
        raise ProbeError(
            f"cannot listen on {where}: {error.strerror or error}; choose another with --listen"
        ) from error

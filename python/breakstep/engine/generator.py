"""Opens the data plane for a plan."""

from pathlib import Path

from breakstep._engine import Engine, Interval
from breakstep._engine import request_bytes as encode_request
from breakstep.model.errors import EngineError, PlanError
from breakstep.model.plan import Plan


def start_engine(plan: Plan, max_in_flight: int) -> Engine:
    """Worker threads ready to offer the plan's request to its target.

    Raises PlanError for a request or a policy that cannot be, EngineError if the system refuses.
    """
    target = plan.target
    try:
        engine = Engine(
            address=_address(plan),
            request=request_bytes(plan),
            head_only=plan.scenarios[0].method == "HEAD",
            keep_alive=target.keep_alive,
            tls_server_name=target.host if target.tls else None,
            ca_pem=None if target.ca_file is None else Path(target.ca_file).read_bytes(),
            insecure=target.insecure,
            workers=plan.workers,
            pin=plan.pin,
            spin=plan.spin,
            max_in_flight=max_in_flight,
            timeout_ns=plan.timeout_ns,
        )
    except ValueError as error:
        raise PlanError(str(error).splitlines()) from error
    try:
        engine.start()
    except ValueError as error:
        raise PlanError(str(error).splitlines()) from error
    except OSError as error:
        raise EngineError(f"the load generator cannot start: {error}") from error
    return engine


def drain(engine: Engine, wait_ns: int) -> list[Interval]:
    """What the workers handed over. Raises EngineError if one has died."""
    try:
        return engine.drain(wait_ns)
    except (RuntimeError, OSError) as error:
        raise EngineError(f"the load generator failed: {error}") from error


def request_bytes(plan: Plan) -> bytes:
    """The request as it goes out. Raises ValueError with a fault on each line."""
    scenario, target = plan.scenarios[0], plan.target
    host = f"[{target.host}]" if ":" in target.host else target.host
    port = "" if target.port == (443 if target.tls else 80) else f":{target.port}"
    return encode_request(
        scenario.method,
        scenario.path,
        host + port,
        scenario.headers,
        scenario.body,
        target.keep_alive,
    )


def _address(plan: Plan) -> str:
    if plan.target.unix_socket is not None:
        return f"unix:{plan.target.unix_socket}"
    ip = plan.target.addresses[0]
    return f"[{ip}]:{plan.target.port}" if ":" in ip else f"{ip}:{plan.target.port}"

"""Opens the data plane for a plan."""

from pathlib import Path

from breakstep._engine import Engine, Interval, request_bytes
from breakstep.model.errors import EngineError, PlanError
from breakstep.model.plan import Plan, Scenario, Target
from breakstep.plan.requests import rows_faults


def start_engine(plan: Plan, max_in_flight: int) -> Engine:
    """Worker threads ready to offer the plan's requests to its target.

    Raises PlanError for a request or a policy that cannot be, EngineError if the system refuses.
    """
    target, mix = plan.target, _mix(plan)
    try:
        engine = Engine(
            address=_address(plan),
            mix=mix,
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


def _mix(plan: Plan) -> list[tuple[bytes, bool, float]]:
    """Each request as it goes out, whether it is a HEAD, and its weight. Raises PlanError."""
    mix, faults = [], list(rows_faults(plan))
    for scenario in plan.scenarios:
        try:
            encoded = _encoded(plan.target, scenario)
        except ValueError as error:
            of = f"{scenario.name}: " if scenario.name else ""
            faults.extend(of + line for line in str(error).splitlines())
        else:
            mix.append((encoded, scenario.method == "HEAD", scenario.weight))
    if faults:
        raise PlanError(faults)
    return mix


def _encoded(target: Target, scenario: Scenario) -> bytes:
    host = f"[{target.host}]" if ":" in target.host else target.host
    port = "" if target.port == (443 if target.tls else 80) else f":{target.port}"
    return request_bytes(
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

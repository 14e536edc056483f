"""What `--probe auto` stands for."""

from collections.abc import Sequence

from breakstep._engine import Engine
from breakstep.engine.contact import one_request
from breakstep.model.plan import Plan
from breakstep.model.probe import ProbeSpec
from breakstep.probe.auto import detect
from breakstep.session.around import Around


def named_probes(plan: Plan) -> Sequence[ProbeSpec]:
    """Those that the user named."""
    return [spec for spec in plan.probes if spec.kind != "auto"]


def detected(plan: Plan, engine: Engine, around: Around) -> Sequence[ProbeSpec]:
    """The probes of the services behind the target, if the plan asks for them.

    One that was also named by the user is left out. Raises ProbeError, EngineError.
    """
    named = named_probes(plan)
    if len(named) == len(plan.probes) or around.stopping():
        return ()
    target = plan.target
    host = target.addresses[0] if target.addresses else target.host
    found = detect(
        host,
        target.port,
        target.unix_socket,
        poke=lambda: one_request(engine, around.stopping),
    )
    for line in found.says:
        around.say(line)
    labels = {spec.label for spec in named}
    return [spec for spec in found.specs if spec.label not in labels]

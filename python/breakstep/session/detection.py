"""What `--probe auto` stands for."""

from collections.abc import Sequence

from breakstep._engine import Engine
from breakstep.engine.contact import one_request
from breakstep.model.plan import Plan
from breakstep.model.probe import ProbeSpec
from breakstep.probe.auto import detect
from breakstep.session.around import Around


def detected(plan: Plan, engine: Engine, around: Around) -> Sequence[ProbeSpec]:
    """The plan's probes, with `auto` replaced by those of the services behind the target.

    One that was also named by the user is taken as named. Raises ProbeError, EngineError.
    """
    named = [spec for spec in plan.probes if spec.kind != "auto"]
    if len(named) == len(plan.probes) or around.stopping():
        return named
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
    return [*named, *(spec for spec in found.specs if spec.label not in labels)]

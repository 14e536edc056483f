"""What connections and TLS cost a service that has little else to do."""

from breakstep.lab.experiment import Experiment, Figure, Found, Run
from breakstep.lab.experiments.node._common import NEEDS, SLO, knee
from breakstep.lab.ladder import Ladder
from breakstep.lab.loads import Find
from breakstep.lab.readings import at_the_top
from breakstep.lab.stacks.node import Shop
from breakstep.lab.steps import trusted_steps

PATH = "/ping"
USERS = 16
SHARES = (0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25)
STEPS = {"hold": "3s", "warmup": "1s", "timeout": "5s"}
KEYS = ("kept", "new", "tls", "tls-new")


def _run(key: str) -> Run:
    tls, keeps = key.startswith("tls"), not key.endswith("new")
    options = {**STEPS, "keep_alive": keeps, "insecure": tls}
    load = Find(PATH, SLO, Ladder(PATH, USERS, SHARES, keeps), options)
    return Run(key, Shop(database=False, tls=tls), load)


def _knees(found: Found) -> str:
    return "; ".join(f"{key} {knee(found[key])}" for key in KEYS)


def _costs(found: Found) -> str:
    """CPU of the app for a request, at the highest load."""
    return ", ".join(f"{key} {_cost_ms(found, key)}" for key in KEYS)


def _cost_ms(found: Found, key: str) -> str:
    cores, steps = at_the_top(found[key], "app", "cpu"), trusted_steps(found[key])
    if cores is None or not steps or not steps[-1].completed_per_s:
        return "not sampled"
    return f"{1e3 * cores / steps[-1].completed_per_s:.2f} ms"


EXPERIMENT = Experiment(
    name="node/open-transport",
    title="no keep-alive, and TLS",
    shows="A connection for each request costs a small service a large part of what it carries, "
    "with TLS most of it; TLS on connections that are kept costs little.",
    needs=(*NEEDS, "openssl"),
    runs=tuple(map(_run, KEYS)),
    truths=(),
    elsewhere=(
        Figure("knees", "not measured elsewhere", _knees),
        Figure("CPU of the app for a request", "not measured elsewhere", _costs),
    ),
)

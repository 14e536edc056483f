"""A hash on the event loop: one thread is full while the machine looks half idle."""

from breakstep.lab.experiment import Experiment, Figure, Found, Run
from breakstep.lab.experiments.node._common import NEEDS, SHARES, SLO, STEPS, knee
from breakstep.lab.ladder import Ladder
from breakstep.lab.loads import Find
from breakstep.lab.readings import reads, shown
from breakstep.lab.stacks.node import Shop
from breakstep.lab.truths import names


def _knee(found: Found) -> str:
    return knee(found["cpu"])


def _loop(found: Found) -> str:
    busy = shown(found["cpu"], "node", "loop_utilisation")
    return f"{busy}, {shown(found['cpu'], 'node', 'loop_delay_p99', '.0f')} ms"


EXPERIMENT = Experiment(
    name="node/2a",
    title="one thread is full, the machine half idle",
    shows="A loop that computes is full at one core; the requests that wait are bytes in the "
    "kernel, while the app itself never sees more than one in flight.",
    needs=NEEDS,
    runs=(Run("cpu", Shop(database=False), Find("/cpu", SLO, Ladder("/cpu", 2, SHARES), STEPS)),),
    truths=(
        names("cpu", "event_loop", "node|app"),
        reads("cpu", "node", "loop_utilisation", at_least=0.95),
        reads("cpu", "app", "cpu", at_least=0.9, at_most=1.3),
        reads("cpu", "node", "in_flight", at_most=2.0),
        reads("cpu", "queue", "unread_connections", at_least=5.0),
    ),
    elsewhere=(
        Figure("knee", "150 to 175/s", _knee),
        Figure("loop utilisation, delay p99", "1.00, 437 to 592 ms", _loop),
    ),
)

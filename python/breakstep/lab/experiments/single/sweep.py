"""A closed sweep of an endpoint that does next to nothing."""

from breakstep.lab.experiment import Experiment, Figure, Found, Run
from breakstep.lab.loads import Sweep
from breakstep.lab.stacks.single import single
from breakstep.lab.sweeps import flattens, knee_at, little, longer, longer_text, worst_little

USERS = (1, 2, 4, 8, 16, 32, 64, 128)


def _knee(found: Found) -> str:
    return knee_at(found["fast"])


def _longer(found: Found) -> str:
    return longer_text(found["fast"])


def _little(found: Found) -> str:
    return worst_little(found["fast"])


EXPERIMENT = Experiment(
    name="single/sweep",
    title="where more users stop to help",
    shows="From some number of users on the throughput of one server stays what it is, and every "
    "further user only makes all of them wait longer.",
    needs=("node",),
    runs=(Run("fast", single, Sweep("/fast", USERS, {"hold": "3s"})),),
    truths=(
        little("fast", within=0.01),
        flattens("fast", to_below=1.15),
        longer("fast", at_least=2.0),
    ),
    elsewhere=(
        Figure("users at the knee", "16", _knee),
        Figure("p99 from the knee to 128 users", "8.4 times as long", _longer),
        Figure("W = L/λ, worst level", "within 0.3 %", _little),
    ),
)

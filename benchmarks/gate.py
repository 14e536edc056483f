"""How often `check --against` is right on sockets: `python -m benchmarks.gate`.

Equal code against itself has to stay green, a service that takes 20 % longer has to go red. Base
and head are two model servers of eight servers with 20 ms each, below two thirds of their knee.
"""

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# The tests own the model server's start; they are no package that could be installed.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from acceptance.target import target

BREAKSTEP = (sys.executable, "-m", "breakstep")
SERVERS, SERVICE_MS = 8, 20.0
RATE = "240"
SLO = "p95<50ms"
SLOWER = 1.2
MISSED_AT_MOST = 0.1


@dataclass(frozen=True, slots=True)
class Checked:
    """One check: what it said of which change, and how long it took."""

    slower: float
    exit_code: int
    verdict: str
    change: float | None
    took_s: float

    def __str__(self) -> str:
        change = "unknown" if self.change is None else f"{100 * self.change:+.1f} %"
        return (
            f"head × {self.slower:g}: {self.verdict} (exit {self.exit_code}), "
            f"typical {change}, {self.took_s:.0f} s"
        )


def main() -> int:
    """0 when equal code was never red and slower code was in nine of ten."""
    asked = _arguments()
    equal = list(_checks(1.0, asked.law, asked.equal, asked))
    slower = list(_checks(SLOWER, asked.law, asked.slower, asked))
    for name, found in (("equal", equal), (f"× {SLOWER:g}", slower)):
        print(f"{name}: {dict(Counter(one.verdict for one in found))}")
    alarms = sum(one.exit_code == 99 for one in equal)
    missed = sum(one.exit_code != 99 for one in slower)
    return 0 if alarms == 0 and missed <= MISSED_AT_MOST * len(slower) else 1


def check(base: str, head: str, slower: float, duration: str, seed: int) -> Checked:
    """One gate of head against base."""
    flags = ("--against", base, "--rate", RATE, "--slo", SLO, "--for", duration)
    command = [*BREAKSTEP, "check", head, *flags, "--seed", str(seed), "--json", "-", "--quiet"]
    began = time.monotonic()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    took_s = time.monotonic() - began
    if not ended.stdout:
        raise RuntimeError(ended.stderr)
    gate = json.loads(ended.stdout)["check"]
    differences = gate["comparison"]["differences"]
    change = differences[0]["change"] if differences else None
    return Checked(slower, ended.returncode, gate["verdict"], change, took_s)


def _checks(slower: float, law: str, count: int, asked: argparse.Namespace) -> Iterator[Checked]:
    for seed in range(asked.seed, asked.seed + count):
        with (
            target(*_service(law, 1.0), "--seed", str(2 * seed)) as base,
            target(*_service(law, slower), "--seed", str(2 * seed + 1)) as head,
        ):
            found = check(base, head, slower, asked.duration, seed)
        print(found, flush=True)
        yield found


def _service(law: str, factor: float) -> tuple[str, ...]:
    return ("--servers", str(SERVERS), "--service", f"{law}:{factor * SERVICE_MS:g}ms")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gate", description=__doc__)
    parser.add_argument("--equal", type=int, default=20, help="checks of equal code")
    parser.add_argument("--slower", type=int, default=10, help="checks of slower code")
    parser.add_argument("--for", dest="duration", default="44s", help="of load in each check")
    parser.add_argument("--law", default="constant", help="of the service: constant, exponential")
    parser.add_argument("--seed", type=int, default=0, help="of the first check")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

"""`python -m benchmarks.change_rates`: how often `check --against` is right, in virtual time.

The table of docs/check.md; `--checks N` of each cell.
"""

import argparse
import sys
from itertools import product
from pathlib import Path

# The tests own the virtual service; they are no package that could be installed.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from virtual.changes import Scene, verdicts

CHECKS = 100
SLOWER = (1.0, 1.05, 1.1, 1.15, 1.2)
SERVICES = (
    ("M/D/8, 20 ms", "constant:{:.4f}ms", 8, 20.0, "fcfs"),
    ("M/M/8, 20 ms", "exponential:{:.4f}ms", 8, 20.0, "fcfs"),
    ("M/M/1, 4 ms", "exponential:{:.4f}ms", 1, 4.0, "fcfs"),
    ("M/M/1 ps, 4 ms", "exponential:{:.4f}ms", 1, 4.0, "ps"),
)


def main() -> None:
    """Writes the Markdown to standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checks", type=int, default=CHECKS)
    checks = parser.parse_args().checks
    headings = " | ".join(f"× {slower:g}" for slower in SLOWER)
    print(f"| service | load | arrivals a block | noise | {headings} |")
    print("|---" * (4 + len(SLOWER)) + "|")
    for service, rho, per_block, noise in product(SERVICES, (0.5, 2 / 3), (200, 500), (0.0, 0.05)):
        name, law, servers, mean_ms, discipline = service
        scene = Scene(name, law, servers, mean_ms, rho, per_block, noise, discipline)
        cells = " | ".join(_cell(scene, slower, checks) for slower in SLOWER)
        print(f"| {name} | {rho:.2f} | {per_block} | {noise:.0%} | {cells} |", flush=True)


def _cell(scene: Scene, slower: float, checks: int) -> str:
    found = verdicts(scene, slower, checks)
    return " / ".join(str(found[name]) for name in ("pass", "fail", "undecided"))


if __name__ == "__main__":
    main()

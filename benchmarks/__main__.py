"""`python -m benchmarks [NAME…]`: measures, and says which bounds were kept."""

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType

from benchmarks import connections, node_preload, pacing, probe_cost, saturation, second_tool, soak
from benchmarks.figure import Figure
from benchmarks.host import Cores, HostError, choose_cores

Benchmark = Callable[[Cores, float | None], Iterator[Figure]]

BENCHMARKS: Mapping[str, Benchmark] = MappingProxyType(
    {
        "saturation": saturation.run,
        "pacing": pacing.run,
        "connections": connections.run,
        "soak": soak.run,
        "node-preload": node_preload.run,
        "probe-cost": probe_cost.run,
        "second-tool": second_tool.run,
    }
)
DEFAULT = ("saturation", "pacing", "connections")


def main() -> int:
    """0 when every bound was kept, 1 when one was missed or the host cannot measure."""
    arguments = _arguments()
    cores = choose_cores()
    print(_describe(cores))
    try:
        figures = list(_measure(arguments.names or DEFAULT, cores, arguments.seconds))
    except HostError as error:
        print(error, file=sys.stderr)
        return 1
    print(*figures, sep="\n")
    if arguments.json is not None:
        arguments.json.write_text(_as_json(figures))
    return 0 if all(figure.kept for figure in figures) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(BENCHMARKS)}")
    parser.add_argument("--seconds", type=float, help="length of one measurement")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(BENCHMARKS):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    return arguments


def _describe(cores: Cores) -> str:
    host = f"{os.cpu_count()} cores, Linux {platform.release()}"
    if cores.shared:
        return f"{host}; server and generator share core {cores.server}: figures mean little"
    return f"{host}; server on core {cores.server}, generator on core {cores.generator}"


def _measure(
    names: list[str] | tuple[str, ...], cores: Cores, seconds: float | None
) -> Iterator[Figure]:
    for name in names:
        print(f"\n{name}")
        for figure in BENCHMARKS[name](cores, seconds):
            print(f" {figure}", flush=True)
            yield figure


def _as_json(figures: list[Figure]) -> str:
    rows = [asdict(figure) | {"kept": figure.kept} for figure in figures]
    return json.dumps({"figures": rows}, indent=2) + "\n"


if __name__ == "__main__":
    sys.exit(main())

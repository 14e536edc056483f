"""A Go program, built when it is first needed."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from breakstep.lab.servers.process import child, printed_port

SOURCE = Path(__file__).with_name("go_app")
_OLDEST = (1, 20)
"""Runtime metrics of the collector's CPU came with it."""


@dataclass(frozen=True, slots=True)
class GoApp:
    """A running program: its address, and where expvar answers."""

    address: str
    pid: int

    @property
    def vars_url(self) -> str:
        """What `--probe go:` is given."""
        return f"http://{self.address}/debug/vars"


@contextmanager
def go_app(
    home: Path, environment: Mapping[str, str] | None = None, source: Path = SOURCE
) -> Iterator[GoApp]:
    """Builds and starts it. `environment` may hold LIVE_MIB, GOMAXPROCS, GOGC and the like."""
    program, output = home / "go-app", home / "go-app.log"
    build = [_go(), "build", "-o", str(program), "."]
    subprocess.run(build, cwd=source, check=True, env=os.environ | {"GOWORK": "off"})
    settings = [f"{name}={value}" for name, value in (environment or {}).items()]
    with child(["/usr/bin/env", *settings, str(program)], output) as process:
        yield GoApp(f"127.0.0.1:{printed_port(process, output)}", process.pid)


@cache
def _go() -> str:
    """The first Go that is new enough: the system's, or the one installed beside Python."""
    beside = str(Path(sys.executable).parent)
    for path in (os.environ["PATH"], beside):
        program = shutil.which("go", path=path)
        if program is not None and _version(program) >= _OLDEST:
            return program
    raise RuntimeError("Go 1.20 or newer is not installed: run `make test-python`")


def _version(program: str) -> tuple[int, int]:
    says = subprocess.run([program, "version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"go(\d+)\.(\d+)", says)
    return (int(found[1]), int(found[2])) if found else (0, 0)

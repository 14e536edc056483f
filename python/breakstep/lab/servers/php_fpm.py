"""php-fpm with one pool of our own, and a status page of its own."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from breakstep.lab.servers.process import child, free_port, wait_for_path, wait_for_port
from breakstep.lab.servers.programs import php_fpm_program

_CONFIG = """\
[global]
error_log = {home}/php-fpm.log
daemonize = no
[stack]
{user}
listen = {listen}
listen.backlog = {pool.backlog}
listen.mode = 0666
pm = {pool.pm}
pm.max_children = {pool.workers}
pm.start_servers = 1
pm.min_spare_servers = 1
pm.max_spare_servers = {pool.workers}
pm.status_path = /status
{status_listen}
clear_env = no
catch_workers_output = yes
{environment}
{settings}
"""


@dataclass(frozen=True, slots=True)
class Pool:
    """What a pool is like. Without `status_listen` its status waits for a free worker.

    `prefix` goes before the command: `taskset -c 1`. `settings` are lines of the pool, such as
    `access.log` or `php_admin_value[opcache.validate_timestamps]`.
    """

    workers: int = 2
    pm: Literal["static", "dynamic", "ondemand"] = "static"
    backlog: int = 511
    unix: bool = False
    status_listen: bool = True
    environment: Mapping[str, str] = field(default_factory=dict)
    prefix: Sequence[str] = ()
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PhpFpm:
    """A running php-fpm. `listen` is as nginx writes it; `probe` as `--probe` does."""

    listen: str
    probe: str
    process: subprocess.Popen[bytes]
    command: Sequence[str]
    log: Path


@contextmanager
def php_fpm(home: Path, pool: Pool | None = None) -> Iterator[PhpFpm]:
    """Starts php-fpm with its files in `home`, a short path: it may hold a unix socket."""
    pool = pool or Pool()
    listen = f"unix:{home}/php.sock" if pool.unix else f"127.0.0.1:{free_port()}"
    status = f"127.0.0.1:{free_port()}" if pool.status_listen else listen
    config = home / "php-fpm.conf"
    config.write_text(_config(home, pool, listen, status))
    log = home / "php-fpm-output.log"
    command = [*pool.prefix, php_fpm_program(), "--fpm-config", str(config), "--nodaemonize"]
    if os.geteuid() == 0:
        command.append("--allow-to-run-as-root")
    with child(command, log) as process:
        for address in {listen, status}:
            _wait_for(address, process, log)
        yield PhpFpm(listen, _probe(status), process, command, home / "php-fpm.log")


def _config(home: Path, pool: Pool, listen: str, status: str) -> str:
    return _CONFIG.format(
        home=home,
        pool=pool,
        user="user = root\ngroup = root" if os.geteuid() == 0 else "",
        listen=listen.removeprefix("unix:"),
        status_listen=f"pm.status_listen = {status}" if pool.status_listen else "",
        environment="\n".join(f'env[{name}] = "{text}"' for name, text in pool.environment.items()),
        settings="\n".join(f"{name} = {text}" for name, text in pool.settings.items()),
    )


def _probe(status: str) -> str:
    if status.startswith("unix:"):
        return f"php-fpm:fcgi+{status}|/status"
    return f"php-fpm:fcgi://{status}/status"


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    if not address.startswith("unix:"):
        wait_for_port(int(address.rpartition(":")[2]), process, log)
        return
    wait_for_path(Path(address.removeprefix("unix:")), process, log)

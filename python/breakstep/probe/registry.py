"""Which file opens which kind of probe."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from breakstep.model.probe import ProbeKind, ProbeSpec
from breakstep.probe.reading import Opener, Probe

# `auto` is replaced by others before anything is opened; an agent is a feed of its own.
MODULES: Mapping[ProbeKind, str] = MappingProxyType(
    {
        "cgroup": "cgroup",
        "command": "command",
        "go": "go",
        "haproxy": "haproxy",
        "host": "host",
        "json": "json_endpoint",
        "listen": "listen",
        "nginx": "nginx",
        "node": "node",
        "pgbouncer": "pgbouncer",
        "php-fpm": "php_fpm",
        "postgres": "postgres",
        "process": "process",
        "prometheus": "prometheus",
        "redis": "redis",
    }
)


def open_probe(spec: ProbeSpec) -> Probe:
    """Opens a probe; its file is loaded only now. Raises ProbeError."""
    opener: Opener = import_module(f"breakstep.probe.{MODULES[spec.kind]}").open_probe
    return opener(spec)

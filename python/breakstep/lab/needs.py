"""What the labs need to be installed, and how to find out whether it is."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from breakstep.lab.node_modules import installed as node_modules_installed
from breakstep.lab.servers.programs import SETUP, php_fpm_program, postgres_program, program
from breakstep.model.errors import LabError


@dataclass(frozen=True, slots=True)
class Need:
    """Something to be installed: the Debian package that has it, if one does."""

    package: str | None
    there: Callable[[], bool]
    service: str = ""
    """The service that the package starts, which no lab uses; may be a pattern."""


def _runs(find: Callable[[str], str], name: str) -> Callable[[], bool]:
    def there() -> bool:
        try:
            return bool(find(name))
        except LabError:
            return False

    return there


def _file(pattern: str) -> Callable[[], bool]:
    return lambda: any(Path("/").glob(pattern.lstrip("/")))


NEEDS: Mapping[str, Need] = MappingProxyType(
    {
        "util-linux": Need("util-linux", _runs(program, "setpriv")),
        "node": Need("nodejs", _runs(program, "node")),
        "node-modules": Need("npm", node_modules_installed),
        "nginx": Need("nginx", _runs(program, "nginx"), "nginx"),
        "php-fpm": Need("php-fpm", _runs(lambda _: php_fpm_program(), "php-fpm"), "php*-fpm"),
        "php-pgsql": Need("php-pgsql", _file("/usr/lib/php/*/pdo_pgsql.so")),
        "laravel": Need(
            "php-laravel-framework", _file("/usr/share/php/Illuminate/Foundation/Application.php")
        ),
        "postgres": Need("postgresql", _runs(postgres_program, "initdb"), "postgresql"),
        "pgbouncer": Need("pgbouncer", _runs(program, "pgbouncer"), "pgbouncer"),
        "openssl": Need("openssl", _runs(program, "openssl")),
        "psycopg": Need(None, lambda: find_spec("psycopg") is not None),
    }
)
ALWAYS = ("util-linux",)


def missing(needed: Iterable[str]) -> list[str]:
    """Of these, those that are not there."""
    return [name for name in dict.fromkeys((*ALWAYS, *needed)) if not NEEDS[name].there()]


def require(needed: Iterable[str]) -> None:
    """Raises LabError with everything that is missing, and the remedy."""
    if absent := missing(needed):
        raise LabError(f"not installed: {', '.join(absent)}; {SETUP}")

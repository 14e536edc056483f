"""What the servers run: scripts of PHP in `php/`, apps of Node in `js/`."""

from pathlib import Path

from breakstep.lab.servers.nginx_front import Fastcgi

PHP = Path(__file__).with_name("php")
JS = Path(__file__).with_name("js")


def php_behind(listen: str) -> Fastcgi:
    """The scripts of `php/` run by a php-fpm that listens there, each under its own name."""
    return Fastcgi(listen, f"{PHP}$fastcgi_script_name")

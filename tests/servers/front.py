"""nginx in front of another server, over a port or a path, HTTP or FastCGI."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template

from breakstep.lab.servers.process import child, free_port, wait_for_port
from breakstep.lab.servers.programs import program
from servers.scripts import PHP

_CONFIG = Template("""\
$user
worker_processes 1;
daemon off;
pid $home/front.pid;
error_log $home/front-error.log warn;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path $home/body;
  proxy_temp_path $home/proxy;
  fastcgi_temp_path $home/fastcgi;
  uwsgi_temp_path $home/uwsgi;
  scgi_temp_path $home/scgi;
  upstream behind { server $behind; $keep }
  server {
    listen 127.0.0.1:$port;
    location / { $pass }
  }
}
""")
_FASTCGI = f"""
      fastcgi_pass behind;
      fastcgi_param SCRIPT_FILENAME {PHP}$fastcgi_script_name;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param REQUEST_METHOD $request_method;
"""
_HTTP = """
      proxy_pass http://behind;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
"""


@dataclass(frozen=True, slots=True)
class Front:
    """A running nginx in front."""

    port: int
    pid: int


@contextmanager
def front(home: Path, behind: str, *, fastcgi: bool = False, keep: bool = False) -> Iterator[Front]:
    """Starts nginx in front of `behind`, as nginx writes it; `keep` keeps connections to it."""
    port, log = free_port(), home / "front.log"
    config = home / "front.conf"
    config.write_text(
        _CONFIG.substitute(
            home=home,
            port=port,
            behind=behind,
            keep="keepalive 8;" if keep else "",
            user="user root root;" if os.geteuid() == 0 else "",
            **{"pass": _FASTCGI if fastcgi else _HTTP},
        )
    )
    with child([program("nginx"), "-p", str(home), "-c", str(config)], log) as process:
        wait_for_port(port, process, log)
        yield Front(port, process.pid)

"""nginx in front of something: PHP over FastCGI, HTTP servers, or both, with logs and numbers."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.servers.process import child, free_port, wait_for_port
from breakstep.lab.servers.programs import program

_CONFIG = """\
{user}
worker_processes {front.workers};
worker_rlimit_nofile 8192;
daemon off;
pid {home}/nginx.pid;
error_log {home}/front-error.log {front.error_level};
events {{ worker_connections {front.worker_connections}; }}
http {{
  log_format front '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
    '"$http_referer" "$http_user_agent" '
    'rt=$request_time urt="$upstream_response_time" uct="$upstream_connect_time"';
  access_log {home}/front-access.log front;
  client_body_temp_path {home}/body;
  proxy_temp_path {home}/proxy;
  fastcgi_temp_path {home}/fastcgi;
  uwsgi_temp_path {home}/uwsgi;
  scgi_temp_path {home}/scgi;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  fastcgi_read_timeout {front.read_timeout_ms}ms;
  fastcgi_connect_timeout {front.connect_timeout_ms}ms;
  proxy_read_timeout {front.read_timeout_ms}ms;
  proxy_connect_timeout {front.connect_timeout_ms}ms;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  {front.http_more}
  {upstream}
  server {{
    listen 127.0.0.1:{port} backlog=4096{tls};
    {certificate}
    {front.server_more}
    {fastcgi}
    {proxy}
  }}
  server {{
    listen 127.0.0.1:{status_port};
    access_log off;
    location = /stub_status {{ stub_status; }}
  }}
}}
"""
_UPSTREAM = "upstream app {{ {servers} keepalive 512; }}"
_PROXY = "location / { proxy_pass http://app; }"
_FASTCGI = """\
location {fastcgi.location} {{
      fastcgi_pass {fastcgi.address};
      fastcgi_param SCRIPT_FILENAME {fastcgi.script};
      fastcgi_param SCRIPT_NAME $fastcgi_script_name;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param REQUEST_URI $request_uri;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param CONTENT_TYPE $content_type;
      fastcgi_param CONTENT_LENGTH $content_length;
      fastcgi_param SERVER_PROTOCOL $server_protocol;
      fastcgi_param REMOTE_ADDR $remote_addr;
      {fastcgi.more}
    }}"""


@dataclass(frozen=True, slots=True)
class Fastcgi:
    """What speaks FastCGI, at `HOST:PORT` or `unix:PATH`, and which requests go there.

    `script` is the file that PHP runs; with the `location` of the default every script of a
    directory can be asked for: `/srv/scripts$fastcgi_script_name`. `more` is put in verbatim.
    """

    address: str
    script: str
    location: str = "~ ^(/status|/[a-z_]+[.]php)$"
    more: str = ""


@dataclass(frozen=True, slots=True)
class Front:
    """What stands behind nginx: FastCGI, and for everything else `servers` that speak HTTP.

    `prefix` goes before the command: `taskset -c 1`. With `certificate`, a PEM of key and
    certificate, it speaks TLS. `http_more` and `server_more` are put in verbatim.
    """

    fastcgi: Fastcgi | None = None
    servers: Sequence[str] = ()
    read_timeout_ms: int = 5000
    connect_timeout_ms: int = 5000
    workers: int = 1
    worker_connections: int = 4096
    error_level: str = "error"
    prefix: Sequence[str] = ()
    certificate: Path | None = None
    http_more: str = ""
    server_more: str = ""


@dataclass(frozen=True, slots=True)
class NginxFront:
    """A running nginx. `probe` is how `--probe` reads all it tells."""

    address: str
    status_url: str
    access_log: Path
    error_log: Path
    process: subprocess.Popen[bytes]

    @property
    def probe(self) -> str:
        """The page and both logs."""
        logs = f"access_log={self.access_log},error_log={self.error_log}"
        return f"nginx:{self.status_url},{logs}"


@contextmanager
def nginx_front(home: Path, front: Front) -> Iterator[NginxFront]:
    """Starts nginx with its files in `home`; another server may have its own there too."""
    port, status_port = free_port(), free_port()
    config, log = home / "nginx-front.conf", home / "front-output.log"
    config.write_text(_config(home, front, port, status_port))
    command = [*front.prefix, program("nginx"), "-p", str(home), "-c", str(config)]
    with child(command, log) as process:
        wait_for_port(port, process, log)
        yield NginxFront(
            address=f"127.0.0.1:{port}",
            status_url=f"http://127.0.0.1:{status_port}/stub_status",
            access_log=home / "front-access.log",
            error_log=home / "front-error.log",
            process=process,
        )


def _config(home: Path, front: Front, port: int, status_port: int) -> str:
    servers = " ".join(f"server {address};" for address in front.servers)
    pem = front.certificate
    return _CONFIG.format(
        home=home,
        front=front,
        # Started by root, the worker would otherwise be a user who cannot enter `home`.
        user="user root root;" if os.geteuid() == 0 else "",
        port=port,
        status_port=status_port,
        upstream=_UPSTREAM.format(servers=servers) if servers else "",
        proxy=_PROXY if servers else "",
        fastcgi="" if front.fastcgi is None else _FASTCGI.format(fastcgi=front.fastcgi),
        tls="" if pem is None else " ssl",
        certificate="" if pem is None else f"ssl_certificate {pem}; ssl_certificate_key {pem};",
    )

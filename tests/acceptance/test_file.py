"""The load-model file, from `init` to the files of a run."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import breakstep as api
from acceptance.command import FAST, breakstep, found_json
from acceptance.target import target

pytestmark = pytest.mark.sockets

SECRET = "hunter2"  # noqa: S105  the one that must not be found
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A quick service."""
    with target("--servers", "8", "--service", "constant:1ms") as found:
        yield found


@contextmanager
def remembering() -> Iterator[tuple[str, list[str]]]:
    """A server that keeps what it is asked: its URL, and method, path, headers and body."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append(f"{self.requestline}\n{self.headers}{body.decode()}")
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


def plan_hash(source: str, cwd: Path, *flags: str) -> str:
    """The digest of the plan that is in the result."""
    ended = breakstep("find", source, *FAST, *flags, "--quiet", "--json", "-", cwd=cwd)
    assert ended.returncode == 0, ended.stderr
    found: str = found_json(ended)["plan"]["hash"]
    return found


def test_what_init_writes_is_found_like_the_url(url: str, tmp_path: Path) -> None:
    """Usable as it is, and one plan hash by either way."""
    ended = breakstep("init", f"{url}/?page=2", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "`breakstep find breakstep.yaml` runs it" in ended.stderr
    by_file = plan_hash("breakstep.yaml", tmp_path)
    assert by_file == plan_hash(f"{url}/?page=2", tmp_path)
    assert by_file != plan_hash("breakstep.yaml", tmp_path, "--seed", "2")
    assert len(by_file) == 64


def test_init_leaves_a_file_alone_that_is_there(tmp_path: Path) -> None:
    """Another name is asked for."""
    file = tmp_path / "breakstep.yaml"
    file.write_text("mine")
    ended = breakstep("init", "http://127.0.0.1/", cwd=tmp_path)
    assert ended.returncode == 1
    assert "breakstep.yaml is there already: name another file with --out" in ended.stderr
    assert file.read_text() == "mine"
    assert breakstep("init", "http://127.0.0.1/", "--out", "o.yaml", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("arguments", [(), ("ftp://h/",)])
def test_init_needs_a_url(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """And writes nothing without."""
    ended = breakstep("init", *arguments, cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: URL: ")
    assert list(tmp_path.iterdir()) == []


def test_the_schema_is_published_by_a_command(tmp_path: Path) -> None:
    """The same as in the documents."""
    published = (DOCS / "breakstep.schema.json").read_text(encoding="utf-8")
    assert breakstep("init", "--schema", cwd=tmp_path).stdout == published
    breakstep("init", "--schema", "--out", "s.json", cwd=tmp_path)
    assert (tmp_path / "s.json").read_text(encoding="utf-8") == published


TEN_FAULTS = """\
target:
  url: http://127.0.0.1:8080/
  insecure: perhaps
slo: [p95<fast, errors<200%]
load:
  hold: 10
  wamup: 2s
  steps: [100, 50]
  seed: -1
requests:
  - headers: {Authorization: "Bearer ${NOT_THERE}"}
    data: "@nowhere"
probes: [quantum]
"""


def test_ten_faults_are_listed_with_their_lines(tmp_path: Path) -> None:
    """One `error:` line each, exit code 2, and no load."""
    (tmp_path / "breakstep.yaml").write_text(TEN_FAULTS)
    ended = breakstep("find", "breakstep.yaml", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    places = [line.split(": ")[1] for line in ended.stderr.splitlines()]
    lines = (3, 4, 4, 6, 7, 8, 9, 11, 12, 13)
    assert [place.split(":")[:2] for place in places] == [["breakstep.yaml", str(n)] for n in lines]


def test_secrets_of_the_environment_are_sent_and_never_shown(tmp_path: Path) -> None:
    """In the URL, in a path, in headers of any name and in a body."""
    with remembering() as (base, asked):
        document = {
            "target": {"url": base.replace("://", "://me:${S}@")},
            "requests": [
                {
                    "path": "/${S}?a=${S}",
                    "headers": {"X-Key": "${S}", "User-Agent": "x ${S}"},
                    "body": '{"p": "${S}"}',
                }
            ],
        }
        (tmp_path / "f.yaml").write_text(json.dumps(document))
        ended = breakstep(
            *("find", "f.yaml", *FAST, "--json", "-", "--out", "run"),
            cwd=tmp_path,
            env={"S": SECRET},
        )
    assert ended.returncode == 0, ended.stderr
    head, _, body = asked[0].replace("\r\n", "\n").partition("\n\n")
    assert head.startswith(f"POST /{SECRET}?a={SECRET} HTTP/1.1\n")
    assert f"X-Key: {SECRET}\n" in head
    assert body == f'{{"p": "{SECRET}"}}'
    assert SECRET not in ended.stdout + ended.stderr
    for file in (tmp_path / "run").iterdir():
        assert SECRET not in file.read_text()


def test_an_error_of_the_target_shows_no_secret(tmp_path: Path) -> None:
    """Nobody listens there."""
    (tmp_path / "f.yaml").write_text("target: {url: 'http://me:${S}@127.0.0.1:1/${S}?b=${S}'}")
    ended = breakstep("find", "f.yaml", *FAST, cwd=tmp_path, env={"S": SECRET})
    assert ended.returncode == 1
    assert "http://127.0.0.1:1/***?b=*** cannot be measured" in ended.stderr
    assert SECRET not in ended.stdout + ended.stderr


def test_flags_count_before_the_file(url: str, tmp_path: Path) -> None:
    """Another address and another hold for the same load model."""
    text = "target: {url: http://127.0.0.1:1/}\nload: {steps: [20, 50], hold: 300ms, warmup: 0s}\n"
    (tmp_path / "f.yaml").write_text(f"{text}slo: errors<1%\n")
    flags = ("--url", url, "--hold", "400ms", "--quiet", "--json", "-")
    found = found_json(breakstep("find", "f.yaml", *flags, cwd=tmp_path))
    assert [step["offered_per_s"] for step in found["runs"][0]["steps"]] == [20.0, 50.0]
    assert (found["plan"]["hold_s"], found["plan"]["target"]["port"]) == (0.4, port_of(url))


def test_python_and_sweep_take_a_file_too(url: str, tmp_path: Path) -> None:
    """One load model for all."""
    file = tmp_path / "f.yaml"
    file.write_text(f"target: {{url: '{url}'}}\nload: {{hold: 300ms, warmup: 0s}}\n")
    result = api.find(str(file), steps=[50], slo="errors<1%")
    assert result.answer.status == "above_ceiling"
    assert breakstep("sweep", "f.yaml", "--concurrency", "1,2", cwd=tmp_path).returncode in (0, 3)


def port_of(url: str) -> Any:
    """The port of a URL."""
    return int(url.rpartition(":")[2].strip("/"))

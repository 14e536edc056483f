"""The site of the PHP labs: Laravel on real nginx, php-fpm, PostgreSQL and PgBouncer."""

import json
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from typing import Any

import psycopg
import pytest

from breakstep.lab.experiments.php._logs import Line, fpm_lines, nginx_lines
from breakstep.lab.experiments.php.open_503 import SHEDDING
from breakstep.lab.experiments.php.open_limit_req import LIMITED
from breakstep.lab.home import lab_home
from breakstep.lab.place import Cores, Place
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.php import Pooler, Site

WORKERS, CROWD = 4, 40


@pytest.fixture(name="site", scope="module")
def _site() -> Iterator[Stack]:
    """Workers that keep their connections."""
    with up(Site(workers=WORKERS)) as stack:
        yield stack


def test_the_framework_answers_without_the_database(site: Stack) -> None:
    """`/api/ping` is Laravel and nothing else."""
    assert get(f"{site.url}/api/ping") == (200, {"pong": True})


def test_a_lookup_finds_one_of_ten_thousand_rows(site: Stack) -> None:
    """`/api/db` answers with the row, and not always the same."""
    rows = [get(f"{site.url}/api/db") for _ in range(5)]
    assert {status for status, _ in rows} == {200}
    assert all(row["name"] == f"item {row['id']}" for _, row in rows)
    assert len({row["id"] for _, row in rows}) > 1


def test_a_wait_is_that_of_the_database(site: Stack) -> None:
    """The log of php-fpm has the tenth of a second, and what `ms` asks for instead."""
    log = Path(site.facts["fpm_log"])
    tenth, less = written(fpm_lines, log, f"{site.url}/api/slow", f"{site.url}/api/slow?ms=30")
    assert tenth.took_ms >= 100
    assert 30 <= less.took_ms < tenth.took_ms


def test_both_logs_tell_what_a_request_took(site: Stack) -> None:
    """In ms and by the same clock; nginx was connected at once. A line comes after its answer."""
    url = f"{site.url}/api/slow?ms=50"
    (worker,) = written(fpm_lines, Path(site.facts["fpm_log"]), url)
    (front,) = written(nginx_lines, Path(site.facts["nginx_log"]), url)
    assert (front.status, worker.status) == (200, 200)
    assert min(front.took_ms, worker.took_ms) >= 49
    assert front.connect_ms is not None
    assert abs(front.at_s - worker.at_s) <= 5


def test_every_worker_keeps_one_connection(site: Stack) -> None:
    """They were opened before the site was called ready."""
    assert sessions(site) == WORKERS


def test_without_keeping_no_connection_is_left() -> None:
    """Each request opens one and closes it."""
    with up(Site(workers=WORKERS, persistent=False)) as site:
        assert get(f"{site.url}/api/db")[0] == 200
        assert sessions(site) == 0


def test_a_worker_that_gets_no_connection_fails_every_time() -> None:
    """About one of six, for workers take turns; and in JSON."""
    with up(Site(workers=6, connections=5)) as site:
        answers = [get(f"{site.url}/api/db") for _ in range(60)]
        statuses = Counter(status for status, _ in answers)
        assert set(statuses) == {200, 500}
        assert 7 <= statuses[500] <= 13
        assert {"message": "Server Error"} in [body for _, body in answers]


@pytest.mark.parametrize("knows", ["password", "secret"])
def test_a_pooler_keeps_connections_that_php_does_not(knows: Pooler) -> None:
    """The database sees PgBouncer's, and answers through it, whatever it knows of the password."""
    with up(Site(workers=WORKERS, persistent=False, pooler=knows)) as site:
        assert get(f"{site.url}/api/db")[0] == 200
        assert 1 <= sessions(site) <= WORKERS


def test_a_site_may_stand_at_a_unix_socket() -> None:
    """Its probe asks the kernel for the queue of that socket."""
    with up(Site(workers=WORKERS, unix=True)) as site:
        assert get(f"{site.url}/api/ping")[0] == 200
        assert any(probe.startswith("listen:/") for probe in site.probes)


@pytest.mark.parametrize(("limited", "again"), [(LIMITED, None), (SHEDDING, "1")])
def test_whoever_is_too_many_gets_503(limited: Site, again: str | None) -> None:
    """The others are served; where the site counts who is there, it says when to try again."""
    with up(limited) as site:
        answers = together(f"{site.url}/api/slow", CROWD)
        assert {status for status, _ in answers} == {200, 503}
        assert {retry for status, retry in answers if status == 503} == {again}


@contextmanager
def up(site: Site) -> Iterator[Stack]:
    """The site put up, nothing pinned."""
    with (
        tempfile.TemporaryDirectory() as base,
        lab_home("php-test", Path(base)) as home,
    ):
        # PostgreSQL is another user, who has to get there.
        Path(base).chmod(0o711)
        with site(Place(home, Cores())) as stack:
            yield stack


def written(read: Callable[[Path], Sequence[Line]], log: Path, *urls: str) -> Sequence[Line]:
    """What a log says of requests made one after another. A worker writes after its answer."""
    before = len(read(log))
    for url in urls:
        get(url)
    give_up = time.monotonic() + 10
    while len(lines := read(log)) < before + len(urls):
        assert time.monotonic() < give_up, lines
        time.sleep(0.01)
    return lines[before:]


def sessions(site: Stack) -> int:
    """The app's connections to the database, by its own word."""
    probe = next(probe for probe in site.probes if probe.startswith("postgres:"))
    dsn = probe.removeprefix("postgres:").partition(",")[0]
    with psycopg.connect(dsn) as connection:
        count = connection.execute(
            "select count(*) from pg_stat_activity where usename = 'app'"
        ).fetchone()
    assert count is not None
    return int(count[0])


def get(url: str) -> tuple[int, dict[str, Any]]:
    """Status and JSON; nginx's own pages have none."""
    status, _, text = answered(url)
    return status, json.loads(text) if text.startswith("{") else {}


def together(url: str, requests: int) -> list[tuple[int, str | None]]:
    """So many requests at once: each status, and when to try again."""
    with ThreadPoolExecutor(requests) as threads:
        answers = list(threads.map(answered, [url] * requests))
    return [(status, headers["Retry-After"]) for status, headers, _ in answers]


def answered(url: str) -> tuple[int, Message, str]:
    """Status, headers and body, of an error too."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310  a site of ours
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read().decode()

"""The app of the Node labs, with a real PostgreSQL behind it."""

import json
import ssl
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg
import pytest

from breakstep.lab.home import lab_home
from breakstep.lab.ladder import Ladder
from breakstep.lab.place import Cores, Place
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.node import POOL, Shop

ORDERS_OF_A_CUSTOMER = 1_000


@pytest.fixture(name="shop", scope="module")
def _shop() -> Iterator[Stack]:
    """A cluster of two whose pools give up after half a second."""
    with up(Shop(workers=2, pool_wait_ms=500)) as stack:
        yield stack


def test_every_process_fills_its_pool_before_the_app_is_ready(shop: Stack) -> None:
    """A cluster of two holds twice the connections of one process."""
    assert connections(shop) == 2 * POOL


def test_a_customer_has_a_thousand_orders(shop: Stack) -> None:
    """The aggregate adds up as many rows as the experiments suppose."""
    months = get(f"{shop.url}/db")
    assert sum(int(month["orders"]) for month in months) == ORDERS_OF_A_CUSTOMER


def test_the_hash_is_the_same_on_the_loop_in_the_pool_and_in_a_thread(shop: Stack) -> None:
    """The three routes do the same work, or their knees could not be compared."""
    keys = {get(f"{shop.url}/{path}")["key"] for path in ("cpu", "cpu-pool", "cpu-thread")}
    assert len(keys) == 1


def test_who_waits_for_a_connection_too_long_is_told_so_with_status_500(shop: Stack) -> None:
    """While the table is locked every connection is taken; whoever has none gives up."""
    beyond = 4
    with ThreadPoolExecutor(2 * POOL + beyond) as pool:
        with psycopg.connect(dsn_of(shop)) as session:
            session.execute("lock table orders in access exclusive mode")
            asked = [pool.submit(answered, f"{shop.url}/db") for _ in range(2 * POOL + beyond)]
            first = [one.result() for one in islice(as_completed(asked), beyond)]
        assert {status for status, _ in first} == {500}
        assert {json.loads(body)["error"] for _, body in first} == {
            "timeout exceeded when trying to connect"
        }
        assert sorted(one.result()[0] for one in asked) == [200] * 2 * POOL + [500] * beyond


def test_behind_tls_the_app_answers_as_without() -> None:
    """With a certificate made for this run, and no database."""
    with up(Shop(database=False, tls=True)) as stack:
        assert stack.url.startswith("https://")
        assert get(f"{stack.url}/ping") == {"ok": True}
        assert "PostgreSQL" not in stack.versions


@pytest.mark.sockets
def test_the_loads_of_a_ladder_are_shares_of_what_the_service_carries() -> None:
    """A hash of some milliseconds on one loop: far below a thousand a second, above ten."""
    with up(Shop(database=False)) as stack:
        half, twice = Ladder("/cpu", 2, (0.5, 2.0))(stack)
    assert twice == pytest.approx(4 * half, rel=0.01)
    assert 10 < twice < 1_000


@contextmanager
def up(shop: Shop) -> Iterator[Stack]:
    """The stack, pinned nowhere."""
    with tempfile.TemporaryDirectory(prefix="b") as folder:
        base = Path(folder)
        # PostgreSQL runs as another user, who has to get there.
        base.chmod(0o711)
        with lab_home("node/test", base) as home, shop(Place(home, Cores())) as stack:
            yield stack


def get(url: str) -> Any:
    """The JSON at a URL; a certificate of our own making is good enough."""
    status, body = answered(url)
    assert status == 200
    return json.loads(body)


def answered(url: str) -> tuple[int, str]:
    """Status and body."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(url, timeout=10.0, context=context) as answer:  # noqa: S310
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def connections(stack: Stack) -> int:
    """Sessions of the app, as PostgreSQL counts them."""
    with psycopg.connect(dsn_of(stack)) as session:
        row = session.execute(
            "select count(*) from pg_stat_activity where usename = 'app'"
        ).fetchone()
    return 0 if row is None else int(row[0])


def dsn_of(stack: Stack) -> str:
    """How the superuser gets in."""
    probe = next(one for one in stack.probes if one.startswith("postgres:"))
    return probe.removeprefix("postgres:").partition(",")[0]

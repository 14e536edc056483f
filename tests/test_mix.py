"""Several requests of one engine: what its rows tell is what was planned."""

from typing import Final
from urllib.parse import urlsplit

import pytest

from breakstep._engine import Engine, Segment, intended_requests, intended_starts, request_bytes
from breakstep.analysis.rows import OK, Rows
from breakstep.model.outcome import OUTCOMES
from servers.by_path import Reply, by_path

MS: Final = 1_000_000
WEIGHTS: Final = (5.0, 3.0, 2.0)
ASKED: Final = (("GET", "/"), ("GET", "/lost"), ("HEAD", "/"))


def encoded(method: str, path: str) -> bytes:
    """A request without anything of its own."""
    return request_bytes(method, path, "localhost", [], b"", keep_alive=True)


def engine(address: str, workers: int) -> Engine:
    """One that offers the three by their weights."""
    mix = [
        (encoded(method, path), method == "HEAD", weight)
        for (method, path), weight in zip(ASKED, WEIGHTS, strict=True)
    ]
    return Engine(address=address, mix=mix, workers=workers)


def offered(running: Engine, segment: Segment) -> Rows:
    """The rows of a segment, once all its arrivals have ended."""
    due = len(intended_starts([segment]))
    rows: list[bytes] = []
    running.append(segment)
    while sum(map(len, rows)) < 32 * due:
        rows += [interval.rows for interval in running.drain(1_000 * MS)]
    return Rows.decode(b"".join(rows))


@pytest.mark.sockets
@pytest.mark.parametrize("workers", [1, 3])
def test_each_arrival_performed_what_the_schedule_says(workers: int) -> None:
    """In order, whatever the number of workers; each ended as its own request does."""
    with by_path({"/": Reply()}) as url:
        running = engine(urlsplit(url).netloc, workers)
        running.start()
        try:
            start_ns = running.now_ns() + 50 * MS
            segment = Segment(
                start_ns=start_ns,
                duration_ns=500 * MS,
                from_per_s=400.0,
                to_per_s=400.0,
                seed=11,
                rows=True,
            )
            rows = offered(running, segment)
        finally:
            running.stop()
    assert rows.intended_ns.tolist() == intended_starts([segment])
    assert rows.request.tolist() == intended_requests([segment], WEIGHTS)
    lost = OUTCOMES.index("http_error")
    assert [set(part.outcome.tolist()) for part in rows.apart(3)] == [{OK}, {lost}, {OK}]


def test_an_engine_has_one_request_or_a_mix() -> None:
    """Both at once would leave open which is meant, and none leaves nothing to do."""
    get = encoded("GET", "/")
    with pytest.raises(ValueError, match="request: leave it out, or leave out mix"):
        Engine(address="127.0.0.1:1", request=get, mix=[(get, False, 1.0)])
    with pytest.raises(ValueError, match="requests: between 1 and 65536"):
        Engine(address="127.0.0.1:1")
    with pytest.raises(ValueError, match="requests: every weight is above 0"):
        Engine(address="127.0.0.1:1", mix=[(get, False, 0.0)])

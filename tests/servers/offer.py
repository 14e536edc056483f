"""Offers one segment of load with an engine and waits for every arrival to end."""

from typing import Final

from breakstep._engine import Engine, Segment, Tally

_NS_PER_S: Final = 1_000_000_000
_LEAD_NS: Final = 50_000_000
_DRAIN_NS: Final = 50_000_000


def offer(engine: Engine, rate: float, seconds: float, *, patience_s: float = 12.0) -> Tally:
    """What happened to `rate` uniform arrivals a second, offered for `seconds`.

    Starts the engine and stops it. Raises TimeoutError when arrivals are still unfinished
    `patience_s` after the last one was due.
    """
    engine.start()
    start_ns = engine.now_ns() + _LEAD_NS
    end_ns = start_ns + round(seconds * _NS_PER_S)
    engine.append(
        Segment(
            start_ns=start_ns,
            duration_ns=end_ns - start_ns,
            from_per_s=rate,
            to_per_s=rate,
            arrivals="uniform",
        )
    )
    tally = Tally()
    try:
        _drain_until_done(engine, tally, end_ns, end_ns + round(patience_s * _NS_PER_S))
    finally:
        for interval in engine.stop():
            tally.merge(interval.tally)
    return tally


def _drain_until_done(engine: Engine, tally: Tally, end_ns: int, give_up_ns: int) -> None:
    while engine.now_ns() < end_ns or engine.in_flight() > 0:
        if engine.now_ns() > give_up_ns:
            raise TimeoutError(f"{engine.in_flight()} arrivals never ended")
        for interval in engine.drain(wait_ns=_DRAIN_NS):
            tally.merge(interval.tally)

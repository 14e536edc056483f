"""What a probe sees while something is done."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from breakstep.plan.probes import parse_probe
from breakstep.probe.reading import Probe
from breakstep.probe.registry import open_probe
from breakstep.probe.sampler import Rates


@contextmanager
def probing(text: str) -> Iterator[Probe]:
    """An open probe, as the command line would open it."""
    probe = open_probe(parse_probe(text))
    try:
        yield probe
    finally:
        probe.close()


def now(probe: Probe) -> Mapping[str, float]:
    """Every reading by name; a counter is its count."""
    return {reading.name: reading.value for reading in probe.read()}


def during(probe: Probe, act: Callable[[], object]) -> Mapping[str, float]:
    """Every signal by name, read before and after `act`: rates over it, and gauges after it."""
    rates = Rates()
    values: dict[str, float] = {}
    for step in (lambda: None, act):
        step()
        # As the sampler does: on one clock, read beside.
        at_s = time.time()
        for reading in probe.read():
            found = rates.value(reading, at_s)
            if found is not None:
                values[reading.name] = found[1]
    return values


def burn(length_s: float) -> None:
    """Keeps a core busy for so much CPU time of this thread."""
    end_s = time.thread_time() + length_s
    while time.thread_time() < end_s:
        pass


def eventually(act: Callable[[], bool], patience_s: float = 10.0) -> bool:
    """True as soon as `act` is; False if it never becomes so."""
    give_up_s = time.monotonic() + patience_s
    while time.monotonic() < give_up_s:
        if act():
            return True
        time.sleep(0.01)
    return False

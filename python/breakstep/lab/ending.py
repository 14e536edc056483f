"""Every polite way to end a lab is Ctrl-C: what was started is stopped on the way out."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_POLITE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ended_politely() -> Iterator[None]:
    """Makes each of them raise KeyboardInterrupt, also where a shell had SIGINT ignored.

    In the main thread only.
    """
    before = {number: signal.getsignal(number) for number in _POLITE}
    for number in _POLITE:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

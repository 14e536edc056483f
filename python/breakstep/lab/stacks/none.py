"""No server at all: for what is measured of the machine itself."""

from collections.abc import Iterator
from contextlib import contextmanager

from breakstep.lab.place import Place
from breakstep.lab.stack import Stack


@contextmanager
def none(place: Place) -> Iterator[Stack]:
    """Nothing is started."""
    yield Stack(url="", facts={"cores": list(place.cores.app)})

"""Coordinates of our own making, which a page shows whole however long they are."""


class Geometry(str):
    """The points of a line or the data of a path: digits, letters of commands, nothing else."""

    __slots__ = ()

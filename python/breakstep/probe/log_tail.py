"""Follows a log file from its end: whole lines only, through rotation and truncation."""

import os
import stat
from pathlib import Path

from breakstep.model.errors import ProbeError

TAKE_BYTES = 8_000_000
"""As much of a file as one call reads; what is beyond waits for the next."""
LINE_BYTES = 64_000
"""A line longer than this that has not ended yet is dropped."""


class LogTail:
    """A log from now on. `behind` says that the last call left lines unread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = _open(path)
        self._position = os.fstat(self._file).st_size
        self._partial = b""
        self._dropping = False
        self._replaced = False
        self.behind = False

    def new(self) -> bytes:
        """The lines written since the last call, each with its end. Raises ProbeError."""
        if self._file < 0:
            raise ProbeError(f"{self.path} is closed")
        try:
            lines = self._lines(self._take(TAKE_BYTES))
            if self._follows_rename():
                lines += self._lines(self._take(TAKE_BYTES))
        except OSError as error:
            raise ProbeError(f"{self.path} cannot be read ({error.strerror})") from error
        return lines

    def end_of_file(self, limit_bytes: int) -> bytes:
        """What stands before the position now, for a look at how lines are made."""
        start = max(0, self._position - limit_bytes)
        return os.pread(self._file, self._position - start, start)

    def close(self) -> None:
        """Lets go of the file."""
        if self._file >= 0:
            file, self._file = self._file, -1
            os.close(file)

    def _take(self, limit_bytes: int) -> bytes:
        size = os.fstat(self._file).st_size
        if size < self._position:
            self._start_again()
        data = os.pread(self._file, limit_bytes, self._position)
        self._position += len(data)
        self.behind = self._position < size
        return data

    def _follows_rename(self) -> bool:
        """Whether the path is another file now, which is read instead from here on.

        At the first sight of it the old file stays: a server goes on writing there until it has
        opened the new one.
        """
        try:
            there = self.path.stat()
        except FileNotFoundError:
            return False
        here = os.fstat(self._file)
        if (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino) or self.behind:
            self._replaced = False
            return False
        if not self._replaced:
            self._replaced = True
            return False
        newer = _open(self.path)
        os.close(self._file)
        self._file, self._replaced = newer, False
        self._start_again()
        return True

    def _start_again(self) -> None:
        self._position, self._partial, self._dropping = 0, b"", False

    def _lines(self, data: bytes) -> bytes:
        if self._dropping:
            _, end, data = data.partition(b"\n")
            self._dropping = not end
        whole, end, rest = (self._partial + data).rpartition(b"\n")
        self._partial = rest
        if len(rest) > LINE_BYTES:
            self._partial, self._dropping = b"", True
        return whole + end


def _open(path: Path) -> int:
    try:
        # A pipe would hold up an ordinary open until somebody writes.
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except PermissionError as error:
        raise ProbeError(f"{path} may not be read: run as a member of its group") from error
    except OSError as error:
        raise ProbeError(f"{path} cannot be read ({error.strerror})") from error
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise ProbeError(f"{path} is no file that can be followed: let nginx log to a regular file")
    return file

"""`command:COMMAND`: a program of the user's that prints lines of JSON, each an object of numbers.

It runs without a shell in a process group of its own. Its output stays in the pipe until the next
read: a program that prints too much has to wait, and costs no memory here.
"""

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from typing import IO

from breakstep.model.errors import ProbeError
from breakstep.model.printable import printable
from breakstep.model.probe import ProbeSpec
from breakstep.probe.command_lines import Lines, newest
from breakstep.probe.options import timeout_s
from breakstep.probe.reading import Reading

SILENT_S = 10.0
"""Without `timeout`: how long it may print nothing, at the start and later."""
STOP_S = 1.0
_LOOK_S = 0.02


class Command:
    """A running program. It is never started again: what it counts might begin anew."""

    def __init__(self, words: Sequence[str], silent_s: float) -> None:
        self._name = printable(words[0].rpartition("/")[2])
        self._silent_s = silent_s
        self._lock = Lock()
        self._process = _start(words)
        self._output = _lines(self._process.stdout)
        self._errors = _lines(self._process.stderr)
        self._last_words = ""
        self._heard_s = time.monotonic()
        self._closed = False

    def read(self) -> Sequence[Reading]:
        """The newest numbers since the last read; none if there was no line."""
        with self._lock:
            if self._closed:
                raise ProbeError(f"{self._name} was stopped")
            how = _end(self._process)
            lines = self._output.take()
            self._listen()
        if lines:
            self._heard_s = time.monotonic()
            return newest(lines)
        if how is not None:
            raise ProbeError(f"{self._name} {how}{self._last_words}")
        silent_s = time.monotonic() - self._heard_s
        if silent_s >= self._silent_s:
            raise ProbeError(
                f"{self._name} printed no line for {silent_s:.1f} s{self._last_words}:"
                " it has to flush each, and timeout=30s gives it more time"
            )
        return ()

    def close(self) -> None:
        """Ends the program and its children: asked first, killed a second later."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            # It is reaped last of all, so that its number cannot be anyone else's by now.
            _signal(self._process, signal.SIGTERM)
            give_up = time.monotonic() + STOP_S
            while time.monotonic() < give_up and _end(self._process) is None:
                time.sleep(_LOOK_S)
            _signal(self._process, signal.SIGKILL)
            with self._process:
                pass

    def _listen(self) -> None:
        said = [line for line in self._errors.take() if line.strip()]
        if said:
            self._last_words = f'; it said "{printable(said[-1].decode(errors="replace").strip())}"'


def open_probe(spec: ProbeSpec) -> Command:
    """Starts the program and waits for a line. Raises ProbeError if no numbers come."""
    silent_s = SILENT_S if spec.option("timeout") is None else timeout_s(spec)
    command = Command(_words(spec.where), silent_s)
    try:
        while not command.read():
            time.sleep(_LOOK_S)
    except BaseException:
        command.close()
        raise
    return command


def _words(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ProbeError(f"the command cannot be split into words: {error}") from error
    if not words:
        raise ProbeError("there is no command: write command:./signals.sh")
    return words


def _start(words: Sequence[str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603  the user's own command, without a shell
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        says = error.strerror if isinstance(error, OSError) else error
        raise ProbeError(
            f"{printable(words[0])} cannot be started ({says}):"
            " is it an executable program? No shell is involved"
        ) from error


def _lines(pipe: IO[bytes] | None) -> Lines:
    fd = -1 if pipe is None else pipe.fileno()
    os.set_blocking(fd, False)
    return Lines(fd)


def _end(process: subprocess.Popen[bytes]) -> str | None:
    """How it ended, None while it runs. It is not reaped by this."""
    ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if ended is None:
        return None
    if ended.si_code == os.CLD_EXITED:
        return f"ended with exit code {ended.si_status}"
    return f"was ended by signal {ended.si_status}"


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)

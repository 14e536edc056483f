"""The two versions of a service behind one address, each brought up by a command of the user's.

    a command that returns 0        deployed it: what it started stays up by itself
    a command that goes on          is the version, and is ended before the other one is started

Where something answers already, the command has to return: until then it may be the old version
that answers.
"""

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

from breakstep.engine.reach import accepts
from breakstep.model.errors import TargetError
from breakstep.model.plan import Target

COMMAND_S = 300.0
UP_S = 60.0
END_S = 10.0
PAUSE_S = 0.05
SAID_BYTES = 4_000


@dataclass(slots=True)
class Version:
    """Brings versions up at a target, one at a time."""

    target: Target
    stopping: Callable[[], bool]
    _process: subprocess.Popen[bytes] | None = None
    _output: IO[bytes] = field(default_factory=tempfile.TemporaryFile)

    def switch(self, command: str, flag: str) -> None:
        """Ends what is up, if it is ours, and waits until the command's version answers.

        Raises TargetError.
        """
        self.stop()
        other = self._answers()
        self._output.seek(0)
        self._output.truncate()
        # The user's own command line, as a shell reads it, in a group of its own to end it whole.
        self._process = subprocess.Popen(  # noqa: S602
            command,
            shell=True,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
        )
        returned = self._wait(self._process, flag, alone=not other)
        if returned:
            self._process = None
            self._wait_up(flag)

    def stop(self) -> None:
        """Ends the version that is up, with all its children, if its command goes on."""
        process, self._process = self._process, None
        if process is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            _tell(process, number)
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                continue
            break
        # Children that outlived it.
        _tell(process, signal.SIGKILL)

    def _wait(self, process: subprocess.Popen[bytes], flag: str, *, alone: bool) -> bool:
        """Until the command has returned, True, or what it goes on with answers, False."""
        until = time.monotonic() + COMMAND_S
        while not self.stopping():
            code = process.poll()
            if code is not None:
                self._check(code, flag)
                return True
            if alone and self._answers():
                return False
            if time.monotonic() > until:
                raise TargetError(f"{flag}: {_late(alone=alone)}{self._said()}")
            time.sleep(PAUSE_S)
        return False

    def _wait_up(self, flag: str) -> None:
        until = time.monotonic() + UP_S
        while not self._answers() and not self.stopping():
            if time.monotonic() > until:
                raise TargetError(
                    f"{flag}: the command returned, and nothing listened at {self._where()} for "
                    f"{UP_S:.0f} s after it{self._said()}"
                )
            time.sleep(PAUSE_S)

    def _check(self, code: int, flag: str) -> None:
        if code != 0:
            raise TargetError(f"{flag}: the command failed with {code}{self._said()}")

    def _answers(self) -> bool:
        """Whether something listens at the target."""
        target = self.target
        if target.unix_socket is not None:
            return _listens(target.unix_socket)
        return any(accepts(address, target.port) for address in target.addresses)

    def _where(self) -> str:
        target = self.target
        return target.unix_socket or f"{target.host}:{target.port}"

    def _said(self) -> str:
        self._output.seek(0, os.SEEK_END)
        self._output.seek(max(0, self._output.tell() - SAID_BYTES))
        lines = self._output.read().decode(errors="replace").strip().splitlines()
        return f": {lines[-1]}" if lines else "; it said nothing"


def _listens(path: str) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.connect(path)
            return True
    except OSError:
        return False


def _tell(process: subprocess.Popen[bytes], number: int) -> None:
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return


def _late(*, alone: bool) -> str:
    if alone:
        return f"its version did not listen within {COMMAND_S:.0f} s"
    return (
        f"the command did not return within {COMMAND_S:.0f} s, and what answers there may be "
        "another version: stop that first, or let the command return once its version is up"
    )

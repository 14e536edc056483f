"""FastCGI as a status page needs it: one request without a body, and the records of its answer.

A record is a head of eight bytes (version 1, type, request, length of content and of padding) and
what it holds. The answer is standard output in records of type 6, words of trouble in type 7, and
a record of type 3 that ends it. Bytes in, values out: no socket, no clock.
"""

import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_HEAD = struct.Struct(">BBHHBx")
_VERSION = 1
_REQUEST = 1
_BEGIN, _END, _PARAMS, _STDIN, _STDOUT, _STDERR = 1, 3, 4, 5, 6, 7
# The role of a responder, and no wish to keep the connection: a worker waits on a kept one.
_BEGIN_BODY = struct.pack(">HB5x", 1, 0)
_END_BODY = struct.Struct(">IB3x")
_REFUSALS = {1: "cannot serve two requests at once", 2: "is overloaded", 3: "knows no responder"}
_SHORT_MAX = 127
_CONTENT_MAX = 65_535
_HEADERS_END = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"(?:^|\n)status:[ \t]*(\d{3})", re.IGNORECASE)
_OK = 200


@dataclass(frozen=True, slots=True)
class Page:
    """An answer. `errors` is what the server wrote beside it."""

    status: int
    body: bytes
    errors: bytes


def encode_get(path: str, query: str) -> bytes:
    """The request for a page. Raises ValueError when path and query fill more than one record."""
    params = _params(
        {
            "REQUEST_METHOD": "GET",
            "SCRIPT_NAME": path,
            "SCRIPT_FILENAME": path,
            "REQUEST_URI": f"{path}?{query}" if query else path,
            "QUERY_STRING": query,
        }
    )
    if len(params) > _CONTENT_MAX:
        raise ValueError("the path is too long for FastCGI")
    records = ((_BEGIN, _BEGIN_BODY), (_PARAMS, params), (_PARAMS, b""), (_STDIN, b""))
    return b"".join(_record(kind, content) for kind, content in records)


@dataclass(slots=True)
class Answer:
    """An answer as it arrives. `ended` once it is complete; nothing is taken after that."""

    limit_bytes: int
    ended: bool = False
    _fed: int = 0
    _waiting: bytearray = field(default_factory=bytearray)
    _output: bytearray = field(default_factory=bytearray)
    _errors: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> None:
        """Takes what was received. Raises ValueError when it is no FastCGI or beyond the limit."""
        self._fed += len(data)
        if self._fed > self.limit_bytes:
            raise ValueError(f"more than {self.limit_bytes} bytes")
        self._waiting += data
        while not self.ended and (record := self._next()) is not None:
            self._take(*record)

    def page(self) -> Page:
        """The page. Raises ValueError before the end, and when it has no headers."""
        if not self.ended:
            raise ValueError("the answer is not complete")
        gap = _HEADERS_END.search(self._output)
        if gap is None:
            raise ValueError("the answer has no headers")
        status = _STATUS.search(self._output[: gap.start()])
        return Page(
            status=int(status[1]) if status else _OK,
            body=bytes(self._output[gap.end() :]),
            errors=bytes(self._errors),
        )

    def _next(self) -> tuple[int, int, bytes] | None:
        if len(self._waiting) < _HEAD.size:
            return None
        version, kind, request, length, padding = _HEAD.unpack_from(self._waiting)
        if version != _VERSION:
            raise ValueError("this is not FastCGI")
        end = _HEAD.size + length
        if len(self._waiting) < end + padding:
            return None
        content = bytes(self._waiting[_HEAD.size : end])
        del self._waiting[: end + padding]
        return kind, request, content

    def _take(self, kind: int, request: int, content: bytes) -> None:
        if request != _REQUEST:
            raise ValueError(f"a record of request {request}, which was not made")
        if kind == _STDOUT:
            self._output += content
        elif kind == _STDERR:
            self._errors += content
        elif kind == _END and len(content) == _END_BODY.size:
            _, refusal = _END_BODY.unpack(content)
            if refusal:
                raise ValueError(f"the server {_REFUSALS.get(refusal, 'refused the request')}")
            self.ended = True
        else:
            raise ValueError(f"a record of type {kind} and {len(content)} bytes is not expected")


def _params(pairs: Mapping[str, str]) -> bytes:
    return b"".join(_param(name.encode(), text.encode()) for name, text in pairs.items())


def _param(name: bytes, text: bytes) -> bytes:
    return b"".join(_lengths((name, text))) + name + text


def _lengths(parts: Iterable[bytes]) -> Iterable[bytes]:
    for part in parts:
        short = len(part) <= _SHORT_MAX
        yield bytes([len(part)]) if short else struct.pack(">I", len(part) | 1 << 31)


def _record(kind: int, content: bytes) -> bytes:
    return _HEAD.pack(_VERSION, kind, _REQUEST, len(content), 0) + content

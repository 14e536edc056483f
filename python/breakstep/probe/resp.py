"""The little of Redis's protocol that a question and its answer take."""

from breakstep.probe.stream import Stream

LIMIT_BYTES = 1_000_000
LINE_MAX = 10_000
_END = b"\r\n"


class Refused(Exception):  # noqa: N818  the server's answer, not an error of ours
    """An error reply; the text is the server's."""


def command(*words: str) -> bytes:
    r"""A command as it is sent.

    >>> command("AUTH", "é")
    b'*2\r\n$4\r\nAUTH\r\n$2\r\n\xc3\xa9\r\n'
    """
    parts = [word.encode("utf-8", "surrogateescape") for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(one), one) for one in parts)


def receive(stream: Stream) -> str:
    """One reply: a line, a number or a bulk of text.

    Raises Refused for an error reply, ValueError for what is no reply, OSError for the rest.
    """
    received = _until_line(stream, b"")
    line, _, rest = received.partition(_END)
    kind, text = line[:1], line[1:]
    if kind == b"$":
        return _bulk(stream, rest, _length(text))
    if rest or kind not in {b"+", b"-", b":"}:
        raise ValueError("no reply")
    shown = text.decode("utf-8", "replace")
    if kind == b"-":
        raise Refused(shown)
    return shown


def _until_line(stream: Stream, received: bytes) -> bytes:
    while _END not in received:
        if len(received) > LINE_MAX:
            raise ValueError("a line without end")
        received += _some(stream)
    return received


def _length(text: bytes) -> int:
    if not text.isdigit() or len(text) > len(str(LIMIT_BYTES)) or int(text) > LIMIT_BYTES:
        raise ValueError("a bulk of no acceptable length")
    return int(text)


def _bulk(stream: Stream, received: bytes, length: int) -> str:
    while len(received) < length + len(_END):
        received += _some(stream)
    if received[length:] != _END:
        raise ValueError("a bulk without its end")
    return received[:length].decode("utf-8", "replace")


def _some(stream: Stream) -> bytes:
    received = stream.receive()
    if not received:
        raise ConnectionResetError("the connection was closed")
    return received

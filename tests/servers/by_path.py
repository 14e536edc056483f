"""An HTTP server whose answer depends on the path: its status, and how long it takes."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reply:
    """A status after a while."""

    status: int = 200
    after_s: float = 0.0


@contextmanager
def by_path(replies: Mapping[str, Reply]) -> Iterator[str]:
    """The URL of one that serves these paths, and 404 for every other, until left."""
    loop = asyncio.new_event_loop()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _serve(replies, reader, writer)

    server = loop.run_until_complete(asyncio.start_server(serve, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


async def _serve(
    replies: Mapping[str, Reply], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            method, path, _ = head.decode().split(" ", 2)
            reply = replies.get(path, Reply(404))
            await asyncio.sleep(reply.after_s)
            body = b"" if method == "HEAD" else b"hello"
            writer.write(f"HTTP/1.1 {reply.status} X\r\nContent-Length: 5\r\n\r\n".encode() + body)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()

"""An HTTP server whose answer depends on the path: its status, and how long it takes."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from queue import Queue


@dataclass(frozen=True, slots=True)
class Reply:
    """A status after a while."""

    status: int = 200
    after_s: float = 0.0


@contextmanager
def by_path(replies: Mapping[str, Reply]) -> Iterator[str]:
    """The URL of one that serves these paths, and 404 for every other, until left."""
    ready: Queue[tuple[int, Callable[[], object]]] = Queue()
    thread = threading.Thread(target=asyncio.run, args=(_run(replies, ready),))
    thread.start()
    port, stop = ready.get()
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        stop()
        thread.join()


async def _run(
    replies: Mapping[str, Reply], ready: Queue[tuple[int, Callable[[], object]]]
) -> None:
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()
    server = await asyncio.start_server(partial(_serve, replies), "127.0.0.1", 0)
    ready.put((server.sockets[0].getsockname()[1], partial(loop.call_soon_threadsafe, stopped.set)))
    async with server:
        await stopped.wait()


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
        pass
    finally:
        writer.close()

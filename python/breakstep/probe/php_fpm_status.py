"""The JSON of a php-fpm status page as values."""

import json
from dataclasses import dataclass

_LARGEST = 2**63


@dataclass(frozen=True, slots=True)
class Status:
    """A pool at one moment. `queue_limit` is 0 where the socket cannot tell its queue."""

    manager: str
    active: int
    idle: int
    workers: int
    queue: int
    queue_limit: int
    accepted: int
    slow: int
    max_children_reached: int

    def without_own(self, requests: int) -> "Status":
        """The pool without the worker that answered, nor the `requests` made to ask it."""
        busy = min(1, self.active)
        return Status(
            self.manager,
            self.active - busy,
            self.idle + busy,
            self.workers,
            self.queue,
            self.queue_limit,
            self.accepted - requests,
            self.slow,
            self.max_children_reached,
        )


def parse_status(body: bytes) -> Status:
    """The status in a page. Raises ValueError when it is none."""
    try:
        page = json.loads(body.decode(errors="replace"))
    except RecursionError:
        raise ValueError("nested too deep for a status page") from None
    if not isinstance(page, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004  what a server sent is a value
    return Status(
        manager=str(page.get("process manager", ""))[:16],
        active=_count(page, "active processes"),
        idle=_count(page, "idle processes"),
        workers=_count(page, "total processes"),
        queue=_count(page, "listen queue"),
        queue_limit=_count(page, "listen queue len"),
        accepted=_count(page, "accepted conn"),
        slow=_count(page, "slow requests"),
        max_children_reached=_count(page, "max children reached"),
    )


def _count(page: dict[str, object], name: str) -> int:
    value = page.get(name)
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise ValueError(f"no count named {name!r}")
    return value

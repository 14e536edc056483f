"""How long the workers are waited for when everything should have ended."""

from dataclasses import dataclass

from breakstep.model.errors import EngineError
from breakstep.model.units import NS_PER_S, format_duration

SAFETY_NS = 5 * NS_PER_S
"""Past the load and the timeout everything has ended; so much later the engine is at fault."""
STARVED_NS = 60 * NS_PER_S
"""A worker that gets hardly any CPU is late, not wrong; one that gets none stands still."""


@dataclass(slots=True)
class Patience:
    """Waits while the workers come forward, in their own time, however late they are."""

    _past_ns: int = -1
    _moved_ns: int = 0

    def wait(self, past_ns: int, over_ns: int, now_ns: int) -> None:
        """Raises EngineError when there is nothing left to wait for.

        `past_ns` is the instant until which every worker has handed over, `over_ns` the one at
        which all has ended by the timeout.
        """
        if past_ns > over_ns + SAFETY_NS:
            raise EngineError(
                "arrivals are unaccounted for after the timeout: this is a bug in breakstep"
            )
        if past_ns != self._past_ns:
            self._past_ns, self._moved_ns = past_ns, now_ns
        if now_ns > max(over_ns, self._moved_ns) + STARVED_NS:
            raise EngineError(
                f"the load generator's threads got no CPU for {format_duration(STARVED_NS)}: free "
                "a core for them (--pin), or run it on a machine of its own"
            )

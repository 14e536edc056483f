"""How an arrival ended: a closed set, counted, never merged."""

from typing import Final, Literal, get_args

Outcome = Literal[
    "ok",
    "check_failed",
    "http_error",
    "timeout",
    "connect",
    "tls",
    "reset",
    "protocol",
    "dropped",
]

OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)

MEANING: Final[dict[Outcome, str]] = {
    "ok": "a complete response that counts as success",
    "check_failed": "a complete response that failed a check of the scenario",
    "http_error": "a complete response with status 400 or above",
    "timeout": "sent, and not answered within the timeout from its intended start",
    "connect": "no connection could be opened",
    "tls": "the TLS handshake failed",
    "reset": "the server closed or reset the connection before the response was complete",
    "protocol": "the bytes received are not a valid HTTP response",
    "dropped": "intended and never sent: no connection came free before the timeout",
}

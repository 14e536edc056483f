"""`HOST:PORT`, as people write where something listens."""

import ipaddress
import re
from collections.abc import Sequence

_HOST_PORT = re.compile(r"(?:\[([0-9A-Fa-f:.%\w]+)\]|([^\s:/@\[\]]+)):(\d{1,5})")


def parse_host_port(text: str) -> tuple[str, int]:
    """The host and the port. Raises ValueError.

    >>> parse_host_port("[::1]:7890")
    ('::1', 7890)
    """
    match = _HOST_PORT.fullmatch(text.strip())
    if match is None:
        raise ValueError("write HOST:PORT, as in 127.0.0.1:7890 or [::1]:7890")
    port = int(match[3])
    if port > 65_535:  # noqa: PLR2004
        raise ValueError(f"port {port}: at most 65535")
    return match[1] or match[2], port


def format_host_port(host: str, port: int) -> str:
    """The two as they are written.

    >>> format_host_port("::1", 7890)
    '[::1]:7890'
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def all_loopback(addresses: Sequence[str]) -> bool:
    """Whether none of these IP addresses is reached from another machine.

    >>> all_loopback(["127.0.0.1", "::1"]), all_loopback(["0.0.0.0"])
    (True, False)
    """
    return all(ipaddress.ip_address(address.partition("%")[0]).is_loopback for address in addresses)

"""The target of a plan: who it is, how it is reached, and whether load on it is allowed."""

from pathlib import Path
from typing import cast

from breakstep.model.plan import Target
from breakstep.plan.address import Resolver, Url, authorisation_fault, parse_url
from breakstep.plan.faults import NOWHERE, Faults
from breakstep.plan.scenarios import joined
from breakstep.plan.words import Flags


def url_of(flags: Flags, faults: Faults) -> Url | None:
    """The URL, whose host, port and scheme are not secret."""
    place = flags.place("url")
    if flags.url is None and all(fault[0].name != place.name for fault in faults.found):
        faults.add(place, "there is none: write http://HOST:PORT/")
    url = faults.of(place, parse_url, flags.url)
    if url is None or flags.shown is None:
        return url
    if _place(url) == _place(Faults().of(place, parse_url, flags.shown.url)):
        return url
    says = "every result names the host, so no variable can stand for it"
    faults.add(place, f"{says}: write it out, or give --url")
    return None


def _place(url: Url | None) -> tuple[bool, str, int] | None:
    return None if url is None else (url.tls, url.host, url.port)


def target_of(flags: Flags, url: Url | None, faults: Faults, resolver: Resolver) -> Target | None:
    """The target. Its host is only asked for once everything that can be said without is right.

    Raises TargetError if the host cannot be resolved.
    """
    place = flags.place("cacert")
    ca_file = faults.of(place, _readable, flags.cacert)
    if flags.insecure and flags.cacert is not None:
        name = flags.name("insecure")
        says = f"{name} trusts anyone: leave out {place.name}, or leave out {name}"
        faults.clause(flags.place("insecure"), says)
    if url is None:
        return None
    return Target(
        url=_shown(flags, url),
        host=url.host,
        port=url.port,
        tls=url.tls,
        addresses=_addresses(flags, url, faults, resolver),
        unix_socket=flags.unix_socket,
        insecure=cast("bool", flags.insecure),
        ca_file=ca_file,
        keep_alive=cast("bool", flags.keep_alive),
    )


def _shown(flags: Flags, url: Url) -> str:
    """The URL as it may be shown, with the path of the only request."""
    words = flags if flags.shown is None else flags.shown
    shown = url if flags.shown is None else parse_url(words.url or "")
    paths = [request.path for request in words.requests]
    try:
        return joined(shown, paths[0]).url if len(paths) == 1 and paths[0] else shown.url
    except ValueError:
        return shown.url


def _addresses(flags: Flags, url: Url, faults: Faults, resolver: Resolver) -> tuple[str, ...]:
    if flags.unix_socket is not None:
        name = flags.name("unix_socket")
        says = f"{name} speaks plain http: write the URL with http://"
        if url.tls:
            faults.clause(flags.place("unix_socket"), says)
        return ()
    if faults:
        return ()
    addresses = tuple(resolver(url.host, url.port))
    fault = authorisation_fault(url.host, addresses, flags.authorized)
    faults.when(fault is not None, NOWHERE, fault or "")
    return addresses


def _readable(text: str) -> str:
    try:
        with Path(text).open("rb"):
            return text
    except OSError as error:
        raise ValueError(f"cannot read {text!r}: {error.strerror}") from error

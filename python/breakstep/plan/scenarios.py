"""The requests of a plan, from flags, from a file, or from a file with flags over it."""

import base64
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from breakstep._engine import request_bytes
from breakstep.model.plan import Scenario
from breakstep.model.slo import Slo
from breakstep.plan.address import Url, parse_url
from breakstep.plan.faults import NOWHERE, Faults, Place
from breakstep.plan.requests import faults_of
from breakstep.plan.words import Flags, RequestWords

BODY_MAX = 64 * 2**20
"""Bytes, of one body and of all together: they are kept in memory."""
Header = tuple[str, str]


def scenarios_of(flags: Flags, url: Url | None, faults: Faults) -> tuple[Scenario, ...]:
    """What arrivals may perform, as it may be shown too where that differs."""
    made = tuple(_scenarios(flags, url, faults))
    if flags.shown is None or url is None:
        return made
    # Its faults are those of what is sent.
    shown = _scenarios(flags.shown, parse_url(flags.shown.url or ""), Faults())
    return tuple(
        replace(one, shown=None if one == other else other)
        for one, other in zip(made, shown, strict=True)
    )


def check_together(
    flags: Flags, scenarios: Sequence[Scenario], slos: Sequence[Slo | None], faults: Faults
) -> None:
    """Notes what is wrong with the requests together, and with SLOs that name one."""
    words = flags.requests or (RequestWords(),)
    alone = [
        (one.place, faults_of((each,), ())) for one, each in zip(words, scenarios, strict=True)
    ]
    for place, found in alone:
        for says in found:
            faults.add(place, says)
    said = {says for _, found in alone for says in found}
    together = [says for says in faults_of(scenarios, ()) if says not in said]
    for says in together:
        faults.clause(flags.place("requests"), says)
    names = {scenario.name for scenario in scenarios if scenario.name}
    for number, slo in enumerate(slos):
        if slo is not None and slo.request is not None and slo.request not in names:
            faults.clause(flags.place("slo", number), faults_of(scenarios, (slo,))[-1])


def joined(url: Url, path: str) -> Url:
    """The URL with a path below its own. Raises ValueError."""
    if not path.startswith("/"):
        raise ValueError(f"{path!r}: a path begins with /")
    base, _, query = url.path.partition("?")
    if query:
        raise ValueError("the URL has a query, so no path can follow it: write the query here")
    return parse_url(url.url.removesuffix(url.path) + base.rstrip("/") + path)


def _scenarios(flags: Flags, url: Url | None, faults: Faults) -> Iterator[Scenario]:
    given = [
        faults.of(flags.place("header", number), _header, text)
        for number, text in enumerate(flags.header)
    ]
    headers = [header for header in given if header is not None]
    total = 0
    for words in _words(flags, faults):
        if total > BODY_MAX:
            faults.clause(words.place, f"the bodies before this one have over {BODY_MAX >> 20} MB")
            words = replace(words, body=None, data=None)  # noqa: PLW2901  no more are read
        scenario = _scenario(words, headers, url, faults)
        total += len(scenario.body)
        _check(scenario, words.place, keep_alive=flags.keep_alive is not False, faults=faults)
        yield scenario


def _words(flags: Flags, faults: Faults) -> Sequence[RequestWords]:
    words = tuple(flags.requests) or (RequestWords(),)
    said = [f"--{word}" for word in ("method", "data") if getattr(flags, word) is not None]
    if len(words) > 1:
        says = f"{' and '.join(said)} would change all of {len(words)} requests: change the file"
        faults.when(bool(said), NOWHERE, says)
        return words
    (one,) = words
    if flags.method is not None:
        one = replace(one, method=flags.method)
    if flags.data is not None:
        places = {**one.places, "data": flags.place("data")}
        one = replace(one, data=flags.data, body=None, places=places)
    return (one,)


def _scenario(
    words: RequestWords, over: Sequence[Header], url: Url | None, faults: Faults
) -> Scenario:
    body = _body(words, faults)
    method = words.method or ("GET" if body is None else "POST")
    replaced = {name.lower() for name, _ in over}
    headers = (*(pair for pair in words.headers if pair[0].lower() not in replaced), *over)
    path = "/"
    if url is not None:
        headers += _basic_auth(url, headers)
        path = _path(words, url, faults)
    return Scenario(method.upper(), path, headers, body or b"", words.name, words.weight)


def _path(words: RequestWords, url: Url, faults: Faults) -> str:
    place = words.places.get("path", words.place)
    found = faults.of(place, lambda path: joined(url, path).path, words.path)
    return found or url.path


def _header(text: str) -> Header:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        # The text is not shown: it may be a secret in the wrong place.
        raise ValueError("a header is written 'Name: value'")
    return name.strip(), value.strip()


def _body(words: RequestWords, faults: Faults) -> bytes | None:
    place = words.places.get("data", words.place)
    if words.body is not None and words.data is not None:
        faults.add(place, "body and data are the same thing: leave one out")
    if words.body is not None:
        return faults.of(words.places.get("body", words.place), str.encode, words.body)
    return faults.of(place, _data, words.data)


def _data(text: str) -> bytes:
    if not text.startswith("@"):
        return text.encode()
    try:
        with Path(text[1:]).open("rb") as file:
            found = file.read(BODY_MAX + 1)
    except (OSError, ValueError) as error:
        says = getattr(error, "strerror", None) or error
        raise ValueError(f"cannot read {text[1:]!r}: {says}") from error
    if len(found) > BODY_MAX:
        raise ValueError(f"{text[1:]!r} is larger than {BODY_MAX >> 20} MB")
    return found


def _check(scenario: Scenario, place: Place, *, keep_alive: bool, faults: Faults) -> None:
    """What the engine has against the request, before it is asked for load."""
    request = (scenario.method, scenario.path, "localhost", scenario.headers, scenario.body)
    try:
        request_bytes(*request, keep_alive)
    except ValueError as error:
        for says in str(error).splitlines():
            faults.add(place, says)


def _basic_auth(url: Url, given: Sequence[Header]) -> tuple[Header, ...]:
    """The user and password of the URL, unless a header says otherwise."""
    if url.userinfo is None or any(name.lower() == "authorization" for name, _ in given):
        return ()
    user, _, password = url.userinfo.partition(":")
    pair = f"{unquote(user)}:{unquote(password)}"
    return (
        (
            "Authorization",
            "Basic " + base64.b64encode(pair.encode(errors="surrogateescape")).decode(),
        ),
    )

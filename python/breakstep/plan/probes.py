"""Probes as people write them: `KIND`, `KIND:WHERE`, and options behind commas.

    host    process:nginx    listen:8080,every=200ms    postgres:postgresql://me@db/shop,name=db

The last `,option=value` is an option if its kind has one of that name; anything else belongs to
WHERE, which may hold commas and equal signs of its own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, cast

from breakstep.model.probe import ProbeKind, ProbeSpec
from breakstep.model.units import NS_PER_MS, NS_PER_S, parse_duration
from breakstep.plan.redact import redact_where

EVERY_NS = 500 * NS_PER_MS
EVERY_MIN_NS = 50 * NS_PER_MS
EVERY_MAX_NS = 60 * NS_PER_S
_LAST_OPTION = re.compile(r"(.*),([a-z_]+)=([^,]*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Grammar:
    """What may follow a kind. `name` and `every` are options of every kind."""

    where: Literal["none", "optional", "needed"]
    example: str
    options: frozenset[str] = frozenset()


_HTTP = frozenset({"timeout", "insecure"})

GRAMMARS: Mapping[ProbeKind, Grammar] = MappingProxyType(
    {
        "agent": Grammar(
            "needed", "agent:10.0.0.5:7890,token=…", frozenset({"token", "cacert", "plain"})
        ),
        "auto": Grammar("none", "auto"),
        "cgroup": Grammar("needed", "cgroup:/system.slice/app.service"),
        "command": Grammar("needed", "command:./signals.sh", frozenset({"timeout"})),
        "go": Grammar("needed", "go:http://127.0.0.1:6060/debug/runtime", _HTTP),
        "haproxy": Grammar("needed", "haproxy:/run/haproxy.sock", _HTTP),
        "host": Grammar("none", "host"),
        "json": Grammar(
            "needed", "json:http://127.0.0.1:9000/stats,path=queue.length", _HTTP | {"path"}
        ),
        "listen": Grammar("needed", "listen:8080 or listen:/run/app.sock"),
        "nginx": Grammar(
            "needed", "nginx:http://127.0.0.1/stub_status", _HTTP | {"access_log", "error_log"}
        ),
        "node": Grammar("needed", "node:127.0.0.1:7891", _HTTP),
        "pgbouncer": Grammar("needed", "pgbouncer:postgresql://stats@127.0.0.1:6432/pgbouncer"),
        "php-fpm": Grammar("needed", "php-fpm:fcgi://127.0.0.1:9000/status", _HTTP),
        "postgres": Grammar("needed", "postgres:postgresql://stats@127.0.0.1/shop"),
        "process": Grammar("needed", "process:nginx"),
        "prometheus": Grammar(
            "needed",
            "prometheus:http://127.0.0.1:9100/metrics,series=node_load1",
            _HTTP | {"series"},
        ),
        "redis": Grammar("needed", "redis:127.0.0.1:6379", frozenset({"password", "timeout"})),
    }
)


def parse_probe(text: str) -> ProbeSpec:
    """The probe that a text describes. Raises ValueError, which shows nothing of WHERE.

    >>> parse_probe("listen:8080,every=200ms").every_ns
    200000000
    """
    kind, colon, rest = text.strip().partition(":")
    if not colon:
        kind, rest = _without_where(text.strip())
    grammar = GRAMMARS.get(cast("ProbeKind", kind))
    if grammar is None:
        raise ValueError(f"{kind!r} is no kind of probe: write one of {', '.join(GRAMMARS)}")
    where, options = _options(rest, grammar)
    if grammar.where == "needed" and not where:
        raise ValueError(f"{kind} needs to know where: write {grammar.example}")
    if grammar.where == "none" and where:
        raise ValueError(f"{kind} takes nothing behind the colon: write {grammar.example}")
    spec_kind = cast("ProbeKind", kind)
    return ProbeSpec(
        kind=spec_kind,
        where=where,
        label=dict(options).get("name") or label_for(spec_kind, where),
        every_ns=_every(dict(options).get("every")),
        options=tuple(pair for pair in options if pair[0] not in {"name", "every"}),
    )


def label_for(kind: ProbeKind, where: str) -> str:
    """The kind and, without what may be secret, the place.

    >>> label_for("redis", "127.0.0.1:6379")
    'redis:127.0.0.1:6379'
    """
    if kind == "command":
        # A command line may carry anything.
        program = where.split(maxsplit=1)[0]
        return f"command:{program.rpartition('/')[2]}"
    return f"{kind}:{redact_where(where)}" if where else kind


def _without_where(text: str) -> tuple[str, str]:
    kind, comma, options = text.partition(",")
    return kind, comma + options


def _options(rest: str, grammar: Grammar) -> tuple[str, list[tuple[str, str]]]:
    known = grammar.options | {"name", "every"}
    options: list[tuple[str, str]] = []
    where = rest
    while (match := _LAST_OPTION.fullmatch(where)) and match[2] in known:
        options.insert(0, (match[2], match[3]))
        where = match[1]
    return where, options


def _every(text: str | None) -> int:
    if text is None:
        return EVERY_NS
    every_ns = parse_duration(text)
    if not EVERY_MIN_NS <= every_ns <= EVERY_MAX_NS:
        raise ValueError(f"every={text}: between 50ms and 1m")
    return every_ns

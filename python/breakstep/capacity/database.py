"""Whether the database has a connection for every one that the nodes may open.

    connections = pool · processes · (nodes + extra)    extra: old nodes while a deployment rolls
    limit       = max_connections − reserved
    a           = λ · W     connections busy on average: λ requests a second that hold one for W
    c           the fewest connections of which all are busy for at most 1 % of requests (Erlang C)

With a pooler in front c is for the whole demand; a node's own pool needs the c of its share.
"""

from dataclasses import replace
from math import floor

from breakstep.analysis.theory import erlang_c
from breakstep.model.capacity import Database, DatabaseTerms, Fleet, PeakDemand
from breakstep.model.units import NS_PER_S

WAIT_MAX = 0.01
BUSY_MOST = 10_000.0
"""More busy connections than any server has: no number is given for them."""
RESERVED = 3
"""What PostgreSQL keeps for superusers unless told otherwise."""


def database(terms: DatabaseTerms, fleet: Fleet, demand: PeakDemand) -> Database:
    """The connections of this fleet."""
    per_node = None if terms.pool is None else terms.pool * (terms.processes or 1)
    rolling = fleet.nodes + terms.extra_nodes
    limit = _limit(terms)
    left = max(1, fleet.nodes - fleet.spare)
    connections = None if per_node is None else per_node * rolling
    at_most = None if limit is None else floor(limit / (rolling * (terms.processes or 1)))
    fits = None if connections is None or limit is None else connections <= limit
    found = Database(
        connections=connections,
        limit=limit,
        fits=fits,
        says=_says(terms, fleet, connections, limit),
        per_node=per_node,
        steady=None if per_node is None else per_node * fleet.nodes,
        pool_at_most=at_most,
        pool_least=_least(terms, demand.per_s / (left * (terms.processes or 1))),
        pooler_connections=_least(terms, demand.per_s),
    )
    return found if fits is not False else replace(found, remedy=_remedy(found, terms))


def connections_for(rate_per_s: float, held_s: float) -> int:
    """The fewest connections of which one is free for at least 99 of 100 requests.

    >>> connections_for(500.0, 0.01)
    12
    """
    busy = rate_per_s * held_s
    count = max(1, floor(busy) + 1)
    while erlang_c(count, busy / count) > WAIT_MAX:
        count += 1
    return count


def _least(terms: DatabaseTerms, rate_per_s: float) -> int | None:
    held_s = None if terms.held_ns is None else terms.held_ns / NS_PER_S
    if held_s is None or rate_per_s * held_s > BUSY_MOST:
        return None
    return connections_for(rate_per_s, held_s)


def _limit(terms: DatabaseTerms) -> int | None:
    if terms.max_connections is None:
        return None
    return terms.max_connections - _reserved(terms)


def _says(terms: DatabaseTerms, fleet: Fleet, connections: int | None, limit: int | None) -> str:
    missing = [
        flag
        for flag, known in (("--pool", connections), ("--max-connections", limit))
        if known is None
    ]
    if connections is None or limit is None:
        return f"not known: say {' and '.join(missing)}"
    rolling = fleet.nodes + terms.extra_nodes
    many = terms.processes is not None and terms.processes > 1
    each = f"{terms.processes} processes × {terms.pool}" if many else f"{terms.pool}"
    when = f" ({terms.extra_nodes} of them while a deployment rolls)" if terms.extra_nodes else ""
    outcome = "fits" if connections <= limit else "does not fit"
    return (
        f"{outcome}: {rolling} nodes{when} × {each} are {connections} connections, "
        f"and {limit} are to be had{_shown(terms)}"
    )


def _shown(terms: DatabaseTerms) -> str:
    names = [name for name in ("pool", "max_connections") if name in terms.seen]
    return f" ({' and '.join(names)} as the run showed)" if names else ""


def _remedy(found: Database, terms: DatabaseTerms) -> str:
    ways = []
    enough = found.pool_least is None or (found.pool_at_most or 0) >= found.pool_least
    if found.pool_at_most and enough:
        ways.append(f"a pool of at most {found.pool_at_most} a process")
    ways.append(
        f"{_allowed(found.connections or 0, terms)}, if the server has memory and CPU for it"
    )
    size = "" if found.pooler_connections is None else f" of {found.pooler_connections} connections"
    ways.append(f"a pooler{size} in front of the database, by transaction")
    return "; or ".join(ways)


def _allowed(connections: int, terms: DatabaseTerms) -> str:
    reserved = _reserved(terms)
    if reserved == 0:
        return f"max_connections of at least {connections} besides those that are reserved"
    return f"max_connections of at least {connections + reserved}, {reserved} of them reserved"


def _reserved(terms: DatabaseTerms) -> int:
    return RESERVED if terms.reserved is None else terms.reserved

"""Whether more nodes carry more: not when what was full is shared by all of them.

    named, high or medium confidence
      database_cpu                              shared
      connection_pool of a pooler or a proxy    shared
      config_error about max_connections        shared
      io_workers                                unknown: what they waited for may be shared
      network, slow_client                      unknown: which link was full decides
      generator, host_noise                     unknown: the limit was not the service's own
      anything else                             each node brings its own; unknown where one of
                                                the shared could not be excluded
    named with low confidence, or not observed  unknown

With something shared twice the nodes do not carry twice the load, so that no number of nodes is
given for more than was measured.
"""

from breakstep.model.capacity import Linear
from breakstep.model.finding import Alternative, Finding, FindingKind

_MEASURE_TWO = "measure two nodes and plan with --measured-on 2"
_POOLERS = ("pgbouncer", "haproxy")
_UNKNOWN = {
    "io_workers": "its workers waited for something else, which more nodes may have to share",
    "network": "whether nodes share the link that was full is not known",
    "slow_client": "it was waiting for its clients, who do not become faster with more nodes",
    "generator": "the generator was the limit, so that of a node is not known",
    "host_noise": "the host was disturbed, so the limit of a node is not known",
    "config_error": "a setting failed requests at every load; see to that first",
}


def linearity(finding: Finding | None) -> Linear:
    """What the diagnosis of a run says of adding nodes."""
    if finding is None or finding.kind == "not_observed":
        says = "what was full was not observed: that nodes do not share it is assumed"
        return Linear(None, says, f"add --probe auto to the search, or {_MEASURE_TWO}")
    if finding.confidence == "low":
        says = f"{_name(finding)} is only suspected: that nodes bring their own is assumed"
        return Linear(None, says, _MEASURE_TWO)
    if _shared(finding.kind, finding.resource):
        says = f"{_name(finding)} was full, and all nodes share it"
        return Linear(supported=False, says=says, remedy=_remedy(finding))
    rival = next((a for a in finding.alternatives if _shared(a.kind, a.resource)), None)
    if rival is not None:
        says = f"{_name(finding)} was full, or {_name(rival)}, which nodes would share"
        return Linear(None, says, rival.experiment or _MEASURE_TWO)
    if finding.kind in _UNKNOWN:
        return Linear(None, _UNKNOWN[finding.kind], _MEASURE_TWO)
    says = f"{_name(finding)} was full, and every node brings its own"
    return Linear(supported=True, says=says)


def _shared(kind: FindingKind, resource: str | None) -> bool:
    if kind == "connection_pool":
        return (resource or "").startswith(_POOLERS)
    if kind == "config_error":
        return "max_connections" in (resource or "")
    return kind == "database_cpu"


def _name(finding: Finding | Alternative) -> str:
    what = finding.kind.replace("_", " ")
    return what if finding.resource is None else f"{finding.resource} ({what})"


def _remedy(finding: Finding) -> str:
    own = "" if finding.remedy is None else f"{finding.remedy.rstrip('.')}; "
    return f"{own}then search again. --linear plans as if every node brought its own"

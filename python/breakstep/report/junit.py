r"""A result as JUnit XML, which every CI system shows: a test case for each objective.

A missed objective is a `failure`; one that could not be judged, and a measurement that cannot be
trusted, is an `error`. Elements and attributes are those that both schemas in use know, Ant's and
Jenkins'. What XML 1.0 has no way to write, such as most control characters, stands
as its code: `\x1b`.
"""

import re
from collections.abc import Sequence

# Written, never parsed.
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from breakstep.model.record import Result
from breakstep.model.units import format_rate
from breakstep.report.cases import Case, cases_of
from breakstep.report.told import told

_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}")
NAME = "breakstep"


def junit_xml(result: Result) -> str:
    """The document."""
    cases = cases_of(result)
    suites = Element("testsuites")
    suite = _child(
        suites,
        "testsuite",
        id="0",
        package=NAME,
        name=_suite(result),
        hostname="localhost",
        timestamp=_started(result),
        **_counts(cases),
    )
    properties = _child(suite, "properties")
    for name, value in _facts(result):
        _child(properties, "property", name=name, value=value)
    for case in cases:
        _add(suite, case, f"{NAME}.{result.command}")
    _child(suite, "system-out").text = writable(told(result))
    _child(suite, "system-err")
    indent(suites, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def writable(text: str) -> str:
    r"""The text with what XML 1.0 cannot hold written as its code.

    >>> writable("a\x1b[31m")
    'a\\x1b[31m'
    """
    return _UNWRITABLE.sub(lambda match: ascii(match[0])[1:-1], text)


def _add(suite: Element, case: Case, classname: str) -> None:
    found = _child(
        suite, "testcase", classname=classname, name=case.name, time=f"{case.took_s:.3f}"
    )
    if case.standing == "passed":
        return
    tag = "failure" if case.standing == "failed" else "error"
    _child(found, tag, message=case.says, type=case.kind).text = writable(case.says)


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    standings = [case.standing for case in cases]
    return {
        "tests": str(len(cases)),
        "failures": str(standings.count("failed")),
        "errors": str(standings.count("error")),
        "skipped": "0",
        "time": f"{max((case.took_s for case in cases), default=0.0):.3f}",
    }


def _suite(result: Result) -> str:
    url = _target(result)
    return f"{NAME} {result.command} {url}".strip()


def _started(result: Result) -> str:
    """To the second, UTC, without a zone: the schema has no room for one."""
    found = _TIME.match(str(result.environment.get("started_at", "")))
    return found[0] if found is not None else "1970-01-01T00:00:00"


def _target(result: Result) -> str:
    target = result.plan.get("target")
    return str(target.get("url", "")) if isinstance(target, dict) else ""


def _facts(result: Result) -> list[tuple[str, str]]:
    answer = result.answer
    rates = {
        "sustainable_per_s": answer.sustainable_per_s,
        "broken_per_s": answer.broken_per_s,
        "knee_per_s": answer.knee_per_s,
        "capacity_per_s": answer.capacity_per_s,
    }
    known = {name: format_rate(rate) for name, rate in rates.items() if rate is not None}
    facts = {"id": result.id, "command": result.command, "status": answer.status, **known}
    return [*facts.items(), ("trust", result.trust.verdict)]


def _child(parent: Element, tag: str, **attributes: str) -> Element:
    return SubElement(parent, tag, {name: writable(value) for name, value in attributes.items()})

"""What a gate says: on a terminal, as Markdown, as JUnit, on a page, and stored."""

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest
from gates import compared, gated, hostile
from golden import assert_golden
from results import FOUND
from sweeps import four_servers, result_of

from breakstep.model.errors import StoreError
from breakstep.model.record import Result
from breakstep.report.adr import adr
from breakstep.report.check import check_text
from breakstep.report.check_html import render_check_html
from breakstep.report.junit import junit_xml
from breakstep.report.markdown import markdown
from breakstep.report.told import answered, told
from breakstep.store.check_json import gate_of
from breakstep.store.history_record import Entry, Stamp, read_entry
from breakstep.store.recorded import Recorded
from breakstep.store.result_json import dumps, from_json

RESULTS = {
    "pass": gated("pass"),
    "fail": gated("fail"),
    "undecided": gated("undecided"),
    "invalid": gated("invalid"),
    "equal": compared(1.0),
    "slower": compared(1.2),
}
SWEPT = result_of(four_servers())
WRITERS = {"text": check_text, "markdown": markdown, "junit": junit_xml, "adr": adr}
NASTY = "a|b `c` <script>x</script> ]]> & \x1b[31m \x00 \ud800 \u202e # * _ ~ @all\n\n| x |"
SUITE = ["properties", "testcase", "system-out", "system-err"]
SUITE_ATTRIBUTES = {
    *("id", "package", "name", "hostname", "timestamp"),
    *("tests", "failures", "errors", "skipped", "time"),
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("form", WRITERS)
def test_a_gate_reads_as_the_golden_file(name: str, form: str) -> None:
    """Every verdict, in every form of text."""
    assert_golden(f"check-{name}.{form}", WRITERS[form](RESULTS[name]) + "\n")


@pytest.mark.parametrize("form", ["markdown", "junit", "adr"])
def test_a_search_reads_as_the_golden_file(form: str) -> None:
    """The forms are of every result."""
    assert_golden(f"found.{form}", WRITERS[form](FOUND))


@pytest.mark.parametrize("result", RESULTS.values(), ids=list(RESULTS))
def test_a_stored_gate_is_read_back(result: Result) -> None:
    """The section holds all of it, and writing it again gives the same text."""
    text = dumps(result)
    again = from_json(json.loads(text))
    assert gate_of(again) == gate_of(result)
    assert dumps(again) == text


@pytest.mark.parametrize("result", RESULTS.values(), ids=list(RESULTS))
def test_the_section_keeps_its_contract(result: Result) -> None:
    """The names that others read."""
    section = json.loads(dumps(result))["check"]
    assert {"offered_per_s", "verdict", "criteria"} <= section.keys()
    assert all({"slo", "value", "limit", "verdict"} <= one.keys() for one in section["criteria"])


def test_a_result_of_another_verb_is_no_gate() -> None:
    """And is said to be none."""
    with pytest.raises(StoreError, match="holds no check"):
        gate_of(FOUND)


@pytest.mark.parametrize("result", [*RESULTS.values(), FOUND, hostile(NASTY)])
def test_junit_has_the_usual_shape(result: Result) -> None:
    """What both schemas in use require, in their order, and nothing else; counts that agree."""
    suites = parsed(result)
    (suite,) = suites
    assert (suites.tag, suites.attrib) == ("testsuites", {})
    assert suite.attrib.keys() == SUITE_ATTRIBUTES
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
    order = [child.tag for child in suite]
    assert sorted(order, key=SUITE.index) == order
    assert [order.count(tag) for tag in SUITE if tag != "testcase"] == [1, 1, 1]
    cases = suite.findall("testcase")
    assert suite.get("tests") == str(len(cases))
    for tag, count in (("failure", "failures"), ("error", "errors")):
        assert suite.get(count) == str(sum(case.find(tag) is not None for case in cases))
    for case in cases:
        assert case.attrib.keys() == {"classname", "name", "time"}
        assert [child.tag for child in case] in ([], ["failure"], ["error"])
        assert all(child.attrib.keys() == {"message", "type"} for child in case)


def test_each_objective_and_trust_is_a_case() -> None:
    """A missed objective is a failure, an untrusted measurement an error."""
    assert standing(RESULTS["pass"]) == {"p95<200ms at 300/s": None, "trust": None}
    assert standing(RESULTS["fail"]) == {"p95<200ms at 300/s": "failure", "trust": None}
    assert standing(RESULTS["undecided"]) == {"p95<200ms at 300/s": "error", "trust": None}
    assert standing(RESULTS["invalid"]) == {"p95<200ms at 300/s": "error", "trust": "error"}
    assert standing(FOUND) == {"p95<200ms at 390/s": None, "trust": None}


@pytest.mark.parametrize("form", ["text", "markdown", "adr"])
def test_a_verb_without_objectives_is_told_in_its_own_words(form: str) -> None:
    """A sweep is no search that found nothing."""
    text = {**WRITERS, "text": told}[form](SWEPT)
    assert answered(SWEPT).partition(" ")[0] in text
    assert "unknown rate" not in text


def test_a_verb_without_objectives_has_one_case() -> None:
    """Whether it can be trusted."""
    assert standing(SWEPT) == {"trust": None}


def test_what_xml_cannot_hold_stands_as_its_code() -> None:
    """The document parses, and says which characters were there."""
    text = junit_xml(hostile(NASTY))
    assert "\\x1b[31m \\x00 \\ud800" in text
    assert "\x1b" not in text
    case = parsed(hostile(NASTY)).find(".//testcase")
    assert case is not None
    assert case.attrib["name"].startswith("a|b `c` <script>")


@pytest.mark.parametrize("write", [markdown, adr])
def test_markdown_of_others_stays_text(write: type) -> None:
    """No markup, no cell and no line of theirs."""
    text = write(hostile(NASTY))
    assert "<script>" not in text
    assert "`c`" not in text.replace("\\`", "")
    assert "\u202e" not in text
    assert "@all" not in text
    assert "\n| x |" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len({line.replace("\\|", "").count("|") for line in rows}) <= 1


@pytest.mark.parametrize("result", [*RESULTS.values(), hostile(NASTY)])
def test_a_gate_has_a_page(result: Result) -> None:
    """With the verdict on it, and nothing of others as markup."""
    page = render_check_html(result, Recorded())
    assert gate_of(result).verdict in page
    assert "<script>x" not in page


def test_the_history_shows_the_verdict_of_a_gate(tmp_path: Path) -> None:
    """Not that no breaking load was found, which nobody looked for."""
    file = tmp_path / "result.json"
    for name in ("fail", "equal"):
        file.write_text(dumps(RESULTS[name]))
        entry = read_entry(str(file), Stamp(0, 0))
        assert isinstance(entry, Entry)
        assert entry.status == gate_of(RESULTS[name]).verdict


def parsed(result: Result) -> Element:
    """The document, as a reader sees it."""
    return fromstring(junit_xml(result))  # noqa: S314  we wrote it


def standing(result: Result) -> dict[str, str | None]:
    """Each case with the tag of what went wrong."""
    cases = parsed(result).iter("testcase")
    return {case.attrib["name"]: wrong(case) for case in cases}


def wrong(case: Element) -> str | None:
    """`failure`, `error` or None."""
    return next((child.tag for child in case if child.tag in ("failure", "error")), None)


def test_a_record_of_a_decision_says_how_many_nodes_the_stated_demand_takes() -> None:
    """Planned from the same run; without a demand nothing is said of nodes."""
    asked = replace(FOUND, plan={**FOUND.plan, "demand": {"peak": 10.0}})
    assert "carry 10/s" in adr(asked)
    assert "node" not in adr(FOUND)

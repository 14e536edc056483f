"""A comparison and a history as they are read."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import record
from golden import assert_golden
from knees import broke_at, full, held
from results import FOUND

from breakstep.analysis.run_comparison import compare
from breakstep.model.record import Result
from breakstep.report.compare import compare_envelope, compare_text
from breakstep.report.envelope import dumps
from breakstep.report.runs import runs_json, runs_text
from breakstep.store.finding_json import to_section
from breakstep.store.history import History, history
from breakstep.store.history_index import Index
from breakstep.store.result_json import dumps as result_text
from breakstep.store.result_json import read_result
from breakstep.store.run_directory import RESULT

NODE_POOL = Path(__file__).parents[1] / "data" / "formats" / "result-1-node-pool.json"
LATER = broke_at(165.0, (160.0, 171.0), "later")
EARLIER = broke_at(150.0, (145.0, 155.0), "earlier")
MOVED = replace(EARLIER, id="moved", environment={**FOUND.environment, "cores": 4})


def text(*results: Result, anyway: bool = False) -> str:
    """The comparison of these with the first."""
    found = [compare(results[0], other, anyway=anyway) for other in results[1:]]
    return f"{compare_text(results, found)}\n"


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times are those of Greenwich."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


@pytest.mark.parametrize(
    ("name", "results"),
    [
        ("compare-later.txt", (EARLIER, LATER)),
        ("compare-unlike.txt", (EARLIER, MOVED, held(100.0, None, "held"))),
        ("compare-pool.txt", (read_result(NODE_POOL), read_result(NODE_POOL))),
    ],
)
def test_a_comparison_reads_as_it_did(name: str, results: tuple[Result, ...]) -> None:
    """What is not alike first, then the breaking load, what was full, quantiles and CPU."""
    assert_golden(name, text(*results))


def test_what_is_withheld_is_in_no_file_either() -> None:
    """Between four cores and two no change is given, unless it is insisted on."""
    for anyway, direction in ((False, "unknown"), (True, "not_told_apart")):
        found = [compare(EARLIER, MOVED, anyway=anyway)]
        envelope = json.loads(dumps(compare_envelope((EARLIER, MOVED), found, "id")))
        (run,) = envelope["compare"]["runs"]
        assert run["compared"] is anyway
        assert run["knee"]["direction"] == direction
        assert (run["knee"]["interval"] is None) is not anyway
        assert run["unlike"][0]["name"] == "cores"
    assert envelope["compare"]["base"] == "earlier"


def test_no_common_load_is_said() -> None:
    """With what to do about it."""
    other = replace(LATER, runs=(replace(FOUND.runs[0], steps=(record(0, 1000.0),)),))
    assert "No load was offered in both" in text(EARLIER, other)


def test_cpu_that_cannot_be_compared_is_said() -> None:
    """Both were watched, at too few loads."""
    watched: dict[str, object] = {"signals": {"sources": [], "steps": []}}
    runs = (replace(EARLIER, sections=watched), replace(LATER, sections=watched))
    assert "CPU a request is not known" in text(*runs)


def test_names_of_others_cannot_paint_the_terminal() -> None:
    """Targets, resources and settings come from other people's files."""
    loud = "x\x1b[31m"
    plan = {**FOUND.plan, "target": {"url": loud}, "mode": loud}
    sections = {"diagnosis": to_section(full("event_loop", loud))}
    other = replace(LATER, id=loud, plan=plan, sections=sections)
    assert "\x1b" not in text(EARLIER, other)


def test_a_history_reads_as_it_did(tmp_path: Path) -> None:
    """A line for each run, newest last, and what could not be read."""
    found = stored(
        tmp_path,
        broke_at(150.0, name="20260101T000000Z-aaaaaa"),
        held(400.0, None, name="20260102T000000Z-bbbbbb"),
        replace(FOUND, id="20260103T000000Z-\x1b[31m", command="sweep"),
    )
    shown = runs_text(found, found.entries[-3:], 7).replace(str(tmp_path), "PLACE")
    assert_golden("runs.txt", f"{shown}\n")
    document = json.loads(runs_json(found, found.entries))
    assert [run["status"] for run in document["runs"]] == ["found", "above_ceiling", "found"]
    assert document["unreadable"][0]["why"] == "it is not JSON"


def stored(place: Path, *results: Result) -> History:
    """These runs and a broken one, as a history."""
    for k, result in enumerate(results):
        environment = {**FOUND.environment, "started_at": f"2026-01-0{k + 1}T03:04:05+00:00"}
        (place / str(k)).mkdir()
        (place / str(k) / RESULT).write_text(result_text(replace(result, environment=environment)))
    (place / "broken").mkdir()
    (place / "broken" / RESULT).write_text("{")
    return history(place, Index(place / "index"))

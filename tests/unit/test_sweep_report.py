"""What a sweep shows, what it keeps, and which flags it takes."""

import io
import json
from dataclasses import replace

import pytest
from golden import assert_golden
from plans import URL, loopback
from rich.console import Console
from sweeps import compared, four_servers, level, result_of, shared_service, swept

from breakstep.model.errors import PlanError, StoreError
from breakstep.model.sweep import CONCURRENCY, Sweep
from breakstep.plan.flags import Flags
from breakstep.plan.sweep_flags import sweep_from_flags
from breakstep.report.sweep import comparison_table, conclusion, level_line, levels_table
from breakstep.report.sweep_html import render_sweep_html
from breakstep.session.sweep_record import level_notes, worst_trust
from breakstep.store.result_json import dumps, from_json, to_json
from breakstep.store.sweep_json import sweep_of

INTERRUPTED = replace(swept(level(1, 200.0)), stop_reason="interrupted", why="it was interrupted")
CASES = {
    "four-servers": four_servers(),
    "shared": shared_service(),
    "compared": compared(),
    "interrupted": INTERRUPTED,
    "nothing": replace(swept(), stop_reason="interrupted", why="it was interrupted"),
}


def shown(sweep: Sweep, width: int) -> str:
    """The table as plain text."""
    console = Console(file=io.StringIO(), width=width)
    with console.capture() as capture:
        console.print(levels_table(sweep, console))
        if sweep.compare_open is not None:
            console.print(comparison_table(sweep.compare_open))
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


@pytest.mark.parametrize("name", CASES)
def test_the_sentences_are_plain_language(name: str) -> None:
    """Knee, laws, scalability, and what the closed model left out."""
    text = conclusion(result_of(CASES[name]), CASES[name])
    assert "None" not in text
    assert ".." not in text
    assert_golden(f"sweep-{name}.txt", text + "\n")


@pytest.mark.parametrize("name", ["shared", "compared"])
def test_the_table_has_a_row_for_each_level(name: str) -> None:
    """With both models side by side where they were compared."""
    assert_golden(f"sweep-table-{name}.txt", shown(CASES[name], 140))


@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    """Columns are left out, nothing is cut off."""
    text = shown(CASES["compared"], width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text


def test_a_level_is_one_line() -> None:
    """Also one that counts for nothing."""
    assert level_line(level(1, 200.0), 0).startswith("1 user: 200/s, p50 5 ms")
    refused = level_line(level(2, 400.0, failed=400, think_s=0.001), 1_000_000)
    assert refused.startswith("2 users thinking 1 ms: 400/s")
    assert refused.endswith("errors 20.0 % (not used: 20 % of its requests failed)")


def test_the_page_says_the_same_and_runs_no_script() -> None:
    """All levels, both models."""
    found = CASES["compared"]
    page = render_sweep_html(result_of(found), found)
    assert "<script" not in page
    assert "The same users as an open model" in page
    rows = page.partition("Can it be trusted</h2>")[0].count("<tr>")
    assert rows == 1 + 2 + 1 + 7
    assert "No level was finished" in render_sweep_html(
        result_of(CASES["nothing"]), CASES["nothing"]
    )


@pytest.mark.parametrize("name", CASES)
def test_a_sweep_survives_its_file(name: str) -> None:
    """Written, read, and the same again."""
    result = result_of(CASES[name])
    read = from_json(json.loads(dumps(result)))
    assert sweep_of(read) == CASES[name]
    assert to_json(read) == to_json(result)


def test_the_section_has_what_the_contract_names() -> None:
    """See the files of a run."""
    section = to_json(result_of(CASES["shared"]))["sweep"]
    assert section["knee_concurrency"] == 32
    assert {"alpha", "beta", "gamma", "n_max", "valid", "why"} <= set(section["usl"])
    for found in section["levels"]:
        assert {"concurrency", "completed_per_s", "response_ms", "little_error"} <= set(found)


def test_what_holds_no_sweep_is_not_read_as_one() -> None:
    """Nor what is damaged."""
    result = result_of(CASES["interrupted"])
    with pytest.raises(StoreError, match="holds no sweep"):
        sweep_of(replace(result, sections={}))
    with pytest.raises(StoreError, match="'levels' is missing"):
        sweep_of(
            replace(result, sections={"sweep": {"compare_open": None, "knee": {}, "think_ms": 0}})
        )
    with pytest.raises(StoreError, match="damaged"):
        sweep_of(replace(result, sections={"sweep": {**result.sections["sweep"], "levels": [1]}}))


def test_the_default_levels_are_the_powers_of_two() -> None:
    """Eight of them over a factor of 128: what the law's fit needs."""
    plan = sweep_from_flags(Flags(url=URL, hold="5s"), resolver=loopback)
    assert plan.concurrency == CONCURRENCY == (1, 2, 4, 8, 16, 32, 64, 128)
    assert (plan.think_ns, plan.compare_open) == (0, False)


def test_every_fault_of_the_flags_is_listed_at_once() -> None:
    """Those of the sweep and those it shares with find."""
    flags = Flags(url="ftp://x/", hold="5")
    with pytest.raises(PlanError) as caught:
        sweep_from_flags(flags, "4,2", "soon", resolver=loopback)
    places = [fault.partition(":")[0] for fault in caught.value.faults]
    assert places == ["--concurrency", "--think", "URL", "--hold"]


@pytest.mark.parametrize(
    ("levels", "think", "compare", "words"),
    [
        ("1,x", "0s", False, "no list of numbers of users"),
        ("0,1", "0s", False, "from 1 up"),
        ("2,2", "0s", False, "each above the one before it"),
        ("20000", "0s", False, "--max-in-flight allows 10000"),
        ("4", "0s", True, "--compare-open goes with --think"),
    ],
)
def test_a_fault_says_what_to_write(levels: str, think: str, compare: bool, words: str) -> None:  # noqa: FBT001
    """With its place."""
    with pytest.raises(PlanError, match=words):
        sweep_from_flags(Flags(url=URL), levels, think, compare_open=compare, resolver=loopback)


def test_a_missing_connection_is_told() -> None:
    """A level with fewer connections than users is not that level."""
    few = replace(level(8, 400.0), connections=6)
    assert level_notes(few)[0].startswith("Only 6 connections were open for 8 users")
    closing = replace(few, connections_opened=400)
    assert "kept closing connections: 400 were opened" in level_notes(closing)[0]
    assert level_notes(level(8, 400.0)) == []
    assert level_notes(replace(level(8, 400.0), connections=None)) == []


def test_books_that_do_not_balance_are_told() -> None:
    """Beyond what the edges of the window explain."""
    right = level(8, 400.0)
    wrong = replace(right, laws=replace(right.laws, little_error=0.1, interactive_error=0.3))
    first, second = level_notes(wrong)
    assert first.startswith("Little's law is off by 10 % with 8 users, more than the ")
    assert second.startswith("R = N/X − Z is off by 30 %")


def test_trust_is_the_worst_of_the_levels_that_count() -> None:
    """An unusable one takes no part, unless there is no other."""
    starved = level(2, 400.0, trust="invalid")
    assert worst_trust(swept(level(1, 200.0), starved)).verdict == "trusted"
    noisy = worst_trust(swept(level(1, 200.0), level(2, 390.0, trust="noisy"), starved))
    assert noisy.verdict == "noisy"
    assert noisy.checks[0].says.startswith("with 2 users the busiest generator thread")
    assert worst_trust(swept(starved)).verdict == "invalid"
    assert worst_trust(swept()).verdict == "trusted"

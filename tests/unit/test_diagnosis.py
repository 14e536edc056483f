"""Each kind of bottleneck, on a virtual stack that has it."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import labelled
import pytest
from labelled import DB, FPM, NODE

from breakstep.diagnosis.diagnose import diagnose
from breakstep.diagnosis.observed import observed_of
from breakstep.model.signal import Sample
from breakstep.store.finding_json import from_section, to_section
from breakstep.store.result_json import dumps, from_json
from breakstep.store.signals_csv import COLUMNS, read_signals, row

if TYPE_CHECKING:
    from pathlib import Path

    from stacks import Stack

    from breakstep.model.finding import Finding

RUNS = 10
NEEDED = 9

LABELS = {
    "event_loop": ("event_loop", NODE),
    "database_cpu": ("database_cpu", DB),
    "connection_pool": ("connection_pool", f"{NODE} pool pg"),
    "cpu_workers": ("cpu_workers", "process:php-fpm"),
    "io_workers": ("io_workers", FPM),
    "config_error": ("config_error", "status 500"),
    "backlog_overflow": ("backlog_overflow", "accept queue of listen:8080"),
    "backlog_unix": ("backlog_overflow", "accept queue"),
    "congestion_collapse": ("congestion_collapse", "process:breakstep"),
    "garbage_collection": ("garbage_collection", "go:http://127.0.0.1:6060/debug/vars"),
    "generator": ("generator", "generator"),
    "host_noise": ("host_noise", "host"),
    "stalls": ("host_noise", "host"),
    "no_probes": ("not_observed", None),
}


def stack(name: str) -> Stack:
    """A labelled stack by name."""
    made: Stack = getattr(labelled, name)()
    return made


def found(made: Stack) -> Finding:
    """What is said of a stack."""
    return diagnose(made.observed())


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("moved", [0.96, 1.0, 1.06])
def test_the_bottleneck_is_named(name: str, moved: float) -> None:
    """Kind and resource in nine of ten runs, wherever the loads fall around the break."""
    made = stack(name)
    loads = [moved * load for load in made.loads]
    findings = [found(replace(made, loads=loads, seed=31 * k)) for k in range(1, RUNS + 1)]
    said = [(finding.kind, finding.resource) for finding in findings]
    assert said.count(LABELS[name]) >= NEEDED, said  # type: ignore[arg-type]


@pytest.mark.parametrize("name", LABELS)
def test_a_named_bottleneck_has_evidence_and_a_remedy(name: str) -> None:
    """Numbers that are finite, sentences that end, and nothing unknown written out."""
    finding = found(stack(name))
    assert finding.evidence
    assert finding.remedy
    assert all(abs(row.value) < 1e12 for row in finding.evidence)
    text = json.dumps(to_section(finding))
    assert "None" not in text
    assert "nan" not in text.lower().replace("unanswered", "")
    assert from_section(to_section(finding)) == finding


@pytest.mark.parametrize(
    "name", ["event_loop", "connection_pool", "config_error", "garbage_collection", "generator"]
)
def test_clear_cases_are_sure(name: str) -> None:
    """Full at the break, its queue risen by then, and nothing else full."""
    assert found(stack(name)).confidence == "high"


@pytest.mark.parametrize(
    "name", ["event_loop", "database_cpu", "io_workers", "congestion_collapse"]
)
def test_the_same_run_gives_the_same_bytes(name: str) -> None:
    """Whatever the order in which the series come."""
    result, series = stack(name).run()
    texts = {
        json.dumps(to_section(diagnose(observed_of(result, order))))
        for order in (series, series[::-1])
    }
    assert len(texts) == 1


@pytest.mark.parametrize("name", ["event_loop", "database_cpu", "io_workers", "config_error"])
def test_a_stored_run_is_explained_in_the_same_words(name: str, tmp_path: Path) -> None:
    """Read from its files, with their rounded numbers, it gives the same bytes as when it ended."""
    result, series = stack(name).run()
    samples = [
        Sample(one.signal, float(at_s), float(value))
        for one in series
        for at_s, value in zip(one.at_s, one.values, strict=True)
    ]
    file = tmp_path / "signals.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([COLUMNS, *map(row, samples)])
    stored = from_json(json.loads(dumps(result)))
    live = to_section(diagnose(observed_of(result, series)))
    assert to_section(diagnose(observed_of(stored, read_signals(file)))) == live


def test_short_windows_are_enough_for_a_clear_case() -> None:
    """A hold of one second holds two samples; the warm-up lends more."""
    findings = [found(replace(stack("event_loop"), hold_s=1.0, seed=k)) for k in range(5)]
    broken = [finding for finding in findings if finding.remedy is not None]
    assert broken
    assert {finding.kind for finding in broken} == {"event_loop"}

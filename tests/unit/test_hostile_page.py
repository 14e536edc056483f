"""A page about a run whose every text comes from somebody who means harm."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from long_run import hour
from results import FOUND

from breakstep.analysis.signals import Series
from breakstep.model.record import Criterion, Result, StepRecord, Verdict
from breakstep.model.signal import Signal
from breakstep.report.html import render_html

if TYPE_CHECKING:
    from breakstep.store.recorded import Recorded

MARKUP = "</style></title><script>alert(1)</script><img src=x onerror=alert(1)>'\"&{{ 7 * 7 }}"
CONTROL = "a\x00b\x1b[31mc\x07\x85d"
TURNED = "\u202egnp.exe\u202c\u2066x\u2069"
LONG = "\U0001f600ü漢" * 1_000_000
NASTY = (MARKUP, CONTROL, TURNED, LONG)
MEGABYTE = 1_000_000
_OURS = """html head meta title style body a header h1 h2 h3 p dl dt dd div small nav ul li main
section figure figcaption b br span svg path circle rect line polyline text tspan desc g defs use
table caption thead tbody tr th td details summary pre code"""
ALLOWED = frozenset(_OURS.split())


class _Tags(HTMLParser):
    """The elements of a page, and the attributes that could do something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.active: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.active += [
            name
            for name, value in attrs
            if name.startswith("on")
            or name in {"src", "style", "srcdoc", "formaction"}
            or (name == "href" and not (value or "").startswith("#"))
        ]


def _hostile(text: str) -> tuple[Result, Recorded]:
    """A run in which the text is in every place where there can be one."""
    steps = tuple(_step(step, text) for step in FOUND.steps)
    run = replace(FOUND.runs[0], steps=steps, why=text)
    evidence = {"signal": text, "value": 1.0, "unit": text, "step": 0, "says": text}
    rival = {"kind": "network", "resource": text, "says": text, "experiment": text}
    diagnosis = {
        "kind": "database_cpu",
        "resource": text,
        "confidence": "low",
        "says": text,
        "evidence": [evidence] * 100,
        "alternatives": [rival] * 100,
        "missing": [text] * 100,
        "remedy": text,
    }
    said = {"says": text}
    result = replace(
        FOUND,
        id=text,
        plan=_plan(text),
        environment={text: text, "cores": 2},
        runs=(run, run),
        answer=replace(FOUND.answer, caveats=(text,) * 200),
        trust=replace(
            FOUND.trust,
            verdict="noisy",
            checks=tuple(
                replace(check, name=text, says=text, verdict="noisy")
                for check in FOUND.trust.checks * 100
            ),
        ),
        sections={
            "diagnosis": diagnosis,
            "experiment": said,
            "prediction": said,
            "effort": said,
        },
    )
    at_s = np.array([steps[0].window_from, steps[0].window_from + 1.0])
    signals = [Signal(f"{k}{text}", "process", f"{text}{k}", text) for k in range(100)]
    series = [Series(signal, at_s, np.array([0.0, 1.0])) for signal in signals]
    _, recorded = hour()
    return result, replace(recorded, series=series)


def _step(step: StepRecord, text: str) -> StepRecord:
    criterion = Criterion(text, 1.0, 2.0, "fail", text)
    return replace(
        step,
        causes={text: 3, text[::-1]: 2},
        outcomes={**step.outcomes, text: 1},
        cut_short=text,
        verdict=Verdict("fail", (criterion,), (text,)),
    )


def _plan(text: str) -> dict[str, Any]:
    names = [f"{k}{text[:10_000]}" for k in range(1000)]
    return {
        "target": {"url": text, "ca_file": text},
        "scenario": {"method": text, "path": text, "headers": dict.fromkeys(names, text[:10_000])},
        "requests": [{"name": name, "body": text[:10_000]} for name in names],
        "slos": [text],
        "demand": {"peak": 500, text: text},
        "probes": [{"kind": text, "label": text}],
    }


@pytest.fixture(scope="module", params=NASTY, ids=("markup", "control", "turned", "long"))
def page(request: pytest.FixtureRequest) -> str:
    """The page of a run full of one nasty text."""
    return render_html(*_hostile(request.param))


def test_nothing_of_it_becomes_markup(page: str) -> None:
    """Only the elements of our own templates, none that loads or runs anything."""
    tags = _Tags()
    tags.feed(page)
    assert tags.tags <= ALLOWED
    assert tags.active == []


def test_nothing_of_it_steers_the_browser(page: str) -> None:
    """No control character but the line ends of our templates, no mark that turns text around."""
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page)


def test_the_page_stays_small(page: str) -> None:
    """Ten megabytes in every place, a thousand names: cut, with a word that says so."""
    assert len(page.encode()) < MEGABYTE


def test_what_was_cut_says_so() -> None:
    """How much is missing, and where all of it is."""
    page = render_html(*_hostile(LONG))
    assert "characters more)" in page
    assert "all of it is in result.json" in page


def test_an_hour_of_a_run_is_a_small_page() -> None:
    """Sixty steps, eighty signals five times a second, and no two values alike."""
    assert len(render_html(*hour()).encode()) < MEGABYTE


def test_an_hour_of_a_thousand_steps_is_a_small_page() -> None:
    """As many as a staircase may have: drawn once, and the tables end with a word on the rest."""
    result, recorded = hour()
    first = result.steps[0].window_from
    steps = [
        replace(
            result.steps[k % 60],
            index=k,
            offered_per_s=10.0 + k,
            window_from=first + 3.5 * k,
            window_to=first + 3.5 * k + 2.0,
        )
        for k in range(1000)
    ]
    page = render_html(
        replace(result, runs=(replace(result.runs[0], steps=tuple(steps)),)), recorded
    )
    assert len(page.encode()) < MEGABYTE
    assert "And 600 more, in result.json." in page

"""What broke first, in plain language."""

from dataclasses import replace

import labelled
import pytest
from golden import assert_golden

from breakstep.diagnosis.diagnose import diagnose
from breakstep.model.finding import Evidence, Finding
from breakstep.model.printable import printable
from breakstep.report.why import finding_text, why_text

NAMES = (
    "event_loop",
    "database_cpu",
    "connection_pool",
    "cpu_workers",
    "io_workers",
    "config_error",
    "backlog_overflow",
    "congestion_collapse",
    "garbage_collection",
    "generator",
    "host_noise",
    "stalls",
    "no_probes",
)
FINDINGS = {name: diagnose(getattr(labelled, name)().observed()) for name in NAMES}
HOSTILE = replace(
    FINDINGS["event_loop"],
    says="The thread of node\x1b]0;owned\x07 was full.\nSecond line",
    evidence=(Evidence("x\r", 1.0, "share", 0, "\u202e" + "y" * 5_000),),
)


@pytest.mark.parametrize("name", NAMES)
def test_the_finding_and_its_reasoning_are_plain_language(name: str) -> None:
    """The lines under the answer, then all of it."""
    finding = FINDINGS[name]
    text = f"{finding_text(finding)}\n\n----\n\n{why_text(finding)}\n"
    assert_golden(f"why-{name}.txt", text)


@pytest.mark.parametrize("finding", FINDINGS.values(), ids=FINDINGS.keys())
def test_nothing_unknown_is_written_out(finding: Finding) -> None:
    """No None, no doubled stop or blank."""
    text = finding_text(finding) + why_text(finding)
    assert "None" not in text
    assert ".." not in text.replace("…", "")
    assert "nan" not in text.replace("finance", "")


def test_nothing_is_said_where_nothing_broke() -> None:
    """The answer says so already."""
    light = replace(labelled.event_loop(), loads=(20.0, 40.0))
    assert finding_text(diagnose(light.observed())) == ""


def test_other_peoples_text_cannot_steer_a_terminal() -> None:
    """Names of processes and lines of logs come from the server."""
    for text in (finding_text(HOSTILE), why_text(HOSTILE)):
        assert all(letter.isprintable() or letter == "\n" for letter in text)
        assert "\u202e" not in text
        assert max(map(len, text.splitlines())) <= 1_000
        assert "Second line" not in text.splitlines()


def test_a_long_text_is_cut() -> None:
    """And says that it was."""
    assert printable("a" * 300) == "a" * 199 + "…"

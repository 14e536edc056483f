"""What doctor prints and writes."""

import json
from dataclasses import replace
from typing import Any

import pytest
from fakes import FakeHistogram

from breakstep.analysis.examination import Examination, Noise
from breakstep.analysis.judgeable import judgeable
from breakstep.analysis.periodicity import Periodicity, periodicity_check, watched_by_second
from breakstep.analysis.trust import trust_of
from breakstep.engine.host.calibration import Calibration
from breakstep.engine.host.clock import ClockCost
from breakstep.engine.host.counters import CoreUse, HostUse
from breakstep.engine.host.null_target import Generated
from breakstep.engine.host.segments import Segments
from breakstep.engine.host.settings import Settings
from breakstep.engine.host.watch import HostSample
from breakstep.model.record import Check
from breakstep.model.units import NS_PER_MS, NS_PER_S
from breakstep.report.doctor import examination_text, noise_text, raises
from breakstep.report.doctor_json import dumps, examination_json, noise_json

SETTINGS = Settings(
    cores=(0, 1),
    quota_cores=None,
    governor="powersave",
    turbo=True,
    smt=None,
    clock_source="tsc",
    pressure=0.021,
    open_files=(1024, 4096),
    local_ports=(32768, 60999),
    somaxconn=128,
    timer_slack_ns=50_000,
)


class FakeWake:
    """Wake-ups of a quiet core."""

    core = 0
    lateness = FakeHistogram([40_000] * 9_950 + [300_000] * 50)


def examination(**changes: Any) -> Examination:
    """A machine that was looked at to the end."""
    wakes: Any = [FakeWake()]
    use = HostUse(11.0, 0.002, {0: CoreUse(0.5, 0.0, 0.1)}, Segments(9, 0), 0, 0.1, 0.5)
    check = Check("steal", 0.002, 0.01, "trusted", "the hypervisor withheld 0.2 %")
    found = Examination(
        id="20261130T165400-0a1b2c",
        settings=SETTINGS,
        environment={"cores": 2},
        quiet=HostSample((0,), wakes, use),
        clock=ClockCost(110.0, 0),
        calibration=Calibration(60, 1e7, 0.01, -0.004),
        loaded=HostSample((0,), wakes, use),
        generated=Generated(41_000.0, 0.97, 21_000.0),
        judged=judgeable(wakes),
        judged_loaded=judgeable(wakes),
        trust=trust_of([check]),
        interrupted=False,
    )
    return replace(found, **changes)


def test_the_examination_says_what_may_be_judged_here() -> None:
    """Facts, checks, remedies, and one sentence that answers the question."""
    text = examination_text(examination())
    assert "one worker            41 000/s; its core was full" in text
    assert "wake-ups late         p95 40 µs, p99 40 µs, p99.9 300 µs" in text
    assert "raise: open files: 4 096 allow fewer than 10 000 connections; ulimit -n 65536" in text
    assert text.endswith(
        "Can be judged here: p95<1ms, p99<1ms, p99.9<10ms, and longer bounds. Not shorter ones: "
        "0.1 % of wake-ups come 300 µs late, and 5 % of the bound is the limit."
    )


def test_a_host_that_cannot_measure_is_told_off() -> None:
    """With the reasons, and without a word on what it could judge."""
    check = Check("core_shared", 0.9, 0.5, "invalid", "others used 90 % of core 0")
    text = examination_text(examination(trust=trust_of([check])))
    assert text.endswith("Do not measure here: others used 90 % of core 0.")
    assert "Can be judged" not in text


def test_a_noisy_host_may_measure_with_a_warning() -> None:
    """The noise stands behind the answer."""
    check = Check("steal", 0.03, 0.01, "noisy", "the hypervisor withheld 3 %")
    text = examination_text(examination(trust=trust_of([check])))
    assert text.endswith("Noisy: the hypervisor withheld 3 %.")


def test_an_interrupted_examination_shows_what_there_is() -> None:
    """What was not reached is left out, not made up."""
    found = examination(
        clock=None,
        calibration=None,
        loaded=None,
        generated=None,
        judged_loaded=(),
        interrupted=True,
    )
    text = examination_text(found)
    assert "Interrupted: the rest was not looked at." in text
    assert "one worker" not in text
    assert examination_json(found)["doctor"]["generator"] is None


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"governor": "performance"}, "governor"),
        ({"somaxconn": 4096}, "accept queue"),
        ({"open_files": (1024, 20_000)}, "open files"),
    ],
)
def test_what_is_enough_need_not_be_raised(changes: dict[str, Any], word: str) -> None:
    """Each remedy answers one setting."""
    assert any(says.startswith(word) for says in raises(SETTINGS))
    assert not any(says.startswith(word) for says in raises(replace(SETTINGS, **changes)))


def test_limits_of_containers_and_ports_are_named() -> None:
    """With the command that lifts them."""
    found = raises(replace(SETTINGS, quota_cores=1.5, local_ports=(50_000, 60_000)))
    assert any(says.startswith("CPU limit: 1.5 cores") for says in found)
    assert any("ip_local_port_range" in says for says in found)


def test_the_envelope_is_that_of_every_verb() -> None:
    """No plan, and a section of its own name."""
    envelope = json.loads(dumps(examination_json(examination())))
    keys = ["format", "command", "id", "plan", "environment", "trust", "doctor"]
    assert list(envelope) == keys
    assert (envelope["command"], envelope["plan"]) == ("doctor", None)
    assert envelope["trust"]["checks"][0]["name"] == "steal"
    assert [one["slo"] for one in envelope["doctor"]["wakeups"]] == [
        "p95<1ms",
        "p99<1ms",
        "p99.9<10ms",
    ]
    assert envelope["doctor"]["generator"]["rate_per_s"] == 41_000.0


def noise(period: Periodicity | None, watched_s: int = 130) -> Noise:
    """Three late wake-ups in second 7, one in second 30, watched from the start of a minute."""
    counts = [0] * 60
    counts[7], counts[30] = 3, 1
    return Noise(
        id="x",
        watched_ns=watched_s * NS_PER_S,
        by_second=tuple(counts),
        watched_by_second=watched_by_second(0, watched_s * NS_PER_S),
        worst_ns=147 * NS_PER_MS,
        forgotten=0,
        period=period,
        trust=trust_of([periodicity_check(period)]),
        environment={},
        interrupted=False,
    )


def test_noise_is_drawn_by_second_of_the_minute() -> None:
    """By how often a second was watched: 130 s see the first ten seconds three times."""
    lines = noise_text(noise(None)).splitlines()
    assert lines[8] == f":07     1.0 {'#' * 40}"
    assert lines[31] == f":30     0.5 {'#' * 20}"
    assert lines[1] == ":00     0.0"
    assert lines[-1] == (
        "4 wake-ups were more than 1 ms late in 130 s, the worst by 147 ms. They keep no period. "
        "A period of 30 s would show after 150 s."
    )


def test_seconds_that_were_not_watched_are_not_quiet() -> None:
    """They show a dash, not a nought."""
    lines = noise_text(noise(None, watched_s=20)).splitlines()
    assert lines[26] == ":25       –"


def test_a_period_is_said_in_words() -> None:
    """And written with its numbers."""
    found = noise(Periodicity(60, 7.2, 25, 0.99, 1e-9), watched_s=1500)
    assert noise_text(found).endswith("They come at second :07 of each minute.")
    section = noise_json(found)["doctor"]
    assert section["period"]["says"] == "at second :07 of each minute"
    assert found.trust.verdict == "noisy"
    assert noise_json(noise(None))["doctor"]["period"] is None


def test_silence_is_said_as_such() -> None:
    """No event, no histogram to speak of."""
    quiet = replace(noise(None), by_second=(0,) * 60)
    assert "No wake-up was more than 1 ms late in 130 s." in noise_text(quiet)

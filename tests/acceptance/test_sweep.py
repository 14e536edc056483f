"""The closed model against services whose throughput is known for every number of users."""

import json
import os
import signal
import threading
from functools import partial
from pathlib import Path

import pytest
import typer
from rich.text import Text
from typer.testing import CliRunner
from typer.testing import Result as Ended

from acceptance.again import TRIES, proven
from acceptance.files import intervals
from acceptance.target import target
from breakstep import Result
from breakstep.api_sweep import sweep
from breakstep.cli.sweep import sweep as command
from breakstep.plan.flags import Flags
from breakstep.plan.sweep_flags import sweep_from_flags
from breakstep.report.progress import Now, Silent
from breakstep.session.around import Around
from breakstep.session.sweep import sweep as measure
from breakstep.store.result_json import read_result
from breakstep.store.sweep_json import sweep_of

pytestmark = pytest.mark.sockets

ONE_SERVER = ("--servers", "1", "--service", "constant:5ms")
FOUR_SERVERS = ("--servers", "4", "--service", "constant:20ms")
NOWHERE = "http://127.0.0.1:9/"


def commanded(*arguments: str) -> Ended:
    """The command line, in this process."""
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(command)
    return CliRunner().invoke(app, arguments)


def test_one_server_carries_the_same_with_any_number_of_users() -> None:
    """200/s flat, W = L/λ within 1 % at every level, and the knee is where it starts.

    A lone user also waits for two threads to be woken, 0.06 to 0.12 ms of 5 on a virtual machine,
    which the next request of anyone else would hide: see the test below.
    """

    def holds(result: Result) -> None:
        found = sweep_of(result)
        assert [level.concurrency for level in found.levels] == [1, 2, 8, 32]
        for level in found.levels:
            assert level.laws.little_error is not None
            assert level.laws.little_error < 0.01
            assert level.in_flight.mean == pytest.approx(level.concurrency, rel=0.01)
            assert level.connections == level.concurrency
        for level in found.levels[1:]:
            assert level.completed_per_s == pytest.approx(200.0, rel=0.01)
        assert found.notes == ()

    with target(*ONE_SERVER) as url:
        proven(partial(sweep, url, concurrency=[1, 2, 8, 32], hold="2s"), holds)


def test_one_server_is_full_with_a_single_user() -> None:
    """Nothing overlaps: 20 ms are 50/s; late wake-ups cost a lone user some tenths of 1 %."""

    def holds(result: Result) -> None:
        (level,) = sweep_of(result).levels
        assert level.completed_per_s == pytest.approx(50.0, rel=0.01)

    with target("--servers", "1", "--service", "constant:20ms") as url:
        proven(partial(sweep, url, concurrency=[1], hold="4s"), holds)


def test_four_servers_are_full_with_four_users() -> None:
    """In proportion up to four, then flat: the knee, and no more than that."""

    def holds(result: Result) -> None:
        found = sweep_of(result)
        assert found.knee.concurrency == 4
        assert found.knee.highest_per_s == pytest.approx(200.0, rel=0.01)
        assert "3 usable levels" in found.usl.why

    with target(*FOUR_SERVERS) as url:
        proven(partial(sweep, url, concurrency=[2, 4, 8], hold="1s"), holds)


def test_a_level_is_shown_while_it_is_measured() -> None:
    """What it is, its seconds, and what became of it; the open model beside it likewise."""
    with target(*ONE_SERVER) as url:
        shown = watched(url, "1,2")
    starts = [index for index, (what, _) in enumerate(shown) if what == "started"]
    assert [shown[index][1] for index in starts][:2] == [
        "1 user thinking 10 ms",
        "2 users thinking 10 ms",
    ]
    assert shown[starts[-1]][1].startswith("open: ")
    first = shown[: starts[1]]
    assert first.count(("now", "hold")) >= 2
    assert first[-1][1].startswith("1 user thinking 10 ms: ")


class Recording(Silent):
    """Remembers what a terminal would have been given."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, str]] = []

    def started(self, heading: str) -> None:
        """Its name."""
        self.shown.append(("started", heading))

    def now(self, now: Now) -> None:
        """Its phase."""
        self.shown.append(("now", now.phase))

    def finished(self, line: Text) -> None:
        """Its line."""
        self.shown.append(("finished", line.plain))


def watched(url: str, levels: str) -> list[tuple[str, str]]:
    """What a sweep shows of itself; two users who think, and their load as an open model."""
    recording = Recording()
    flags = Flags(url=url, hold="2s", warmup="1s")
    plan = sweep_from_flags(flags, levels, "10ms", compare_open=True)
    around = Around("run", None, recording, lambda _line: None, lambda: False)
    measure(plan, around)
    return recording.shown


def test_thinking_users_obey_the_response_time_law() -> None:
    """R = N/X − Z within 2 %: 20 users who think 50 ms wait 50 ms each, 30 wait 100 ms."""

    def holds(result: Result) -> None:
        for level, wait_ms in zip(sweep_of(result).levels, (50.0, 100.0), strict=True):
            assert level.laws.interactive_error is not None
            assert level.laws.interactive_error < 0.02
            assert level.response_ms.mean == pytest.approx(wait_ms, rel=0.02)
            assert level.laws.little_error is not None
            assert level.laws.little_error < 0.01

    with target(*ONE_SERVER) as url:
        proven(partial(sweep, url, concurrency=[20, 30], think="50ms", hold="2s"), holds)


def test_the_open_model_sends_what_the_closed_one_left_out(tmp_path: Path) -> None:
    """60 users who think 100 ms ask for 571/s of a server that carries 200/s."""
    runs = (tmp_path / str(number) for number in range(TRIES))

    def measure() -> Result:
        flags = ("--concurrency", "60", "--think", "100ms", "--hold", "2s", "--timeout", "2s")
        out = next(runs)
        ended = commanded(url, *flags, "--compare-open", "--json", "-", "--out", str(out))
        assert "Knee of throughput" not in ended.stdout
        assert json.loads(ended.stdout)["sweep"]["compare_open"]["not_sent"] > 0
        assert (out / "report.html").exists()
        assert "never sent" in ended.stderr
        held = [row for row in intervals(out) if row["phase"] == "hold" and row["step"] == "0"]
        result = read_result(out)
        level = sweep_of(result).levels[0]
        assert sum(int(row["arrivals"]) for row in held) == level.arrivals
        return result

    def holds(result: Result) -> None:
        found = sweep_of(result)
        compared = found.compare_open
        assert compared is not None
        assert found.stop_reason == "done"
        assert compared.nominal_per_s == pytest.approx(60 / 0.105, rel=0.02)
        assert compared.closed.arrivals == pytest.approx(400, rel=0.02)
        assert compared.not_sent == pytest.approx(2 * compared.nominal_per_s - 400, abs=10)
        assert compared.open.arrivals == pytest.approx(2 * compared.nominal_per_s, rel=0.12)
        assert compared.closed.errors == 0.0
        assert (compared.closed.response_ms.p99 or 0.0) == pytest.approx(200.0, rel=0.05)
        assert (compared.open.response_ms.p99 or 0.0) > 1500.0

    with target(*ONE_SERVER) as url:
        proven(measure, holds)


def test_an_interrupted_sweep_keeps_its_levels(tmp_path: Path) -> None:
    """Exit 130; every level but the last is whole, and the one under way is marked."""
    out = tmp_path / "run"
    flags = ("--concurrency", "1,2,4,8,16,32", "--warmup", "0s", "--hold", "1s", "--quiet")
    interrupt = threading.Timer(4.0, os.kill, (os.getpid(), signal.SIGINT))
    with target(*FOUR_SERVERS) as url:
        interrupt.start()
        ended = commanded(url, *flags, "--out", str(out))
        interrupt.cancel()
    assert ended.exit_code == 130
    found = sweep_of(read_result(out))
    assert found.stop_reason == "interrupted"
    assert 1 <= len(found.levels) < 6
    assert all(level.cut_short is None for level in found.levels[:-1])
    assert found.levels[-1].cut_short in (None, "interrupted")
    assert "it was interrupted" in ended.stdout


def test_a_service_that_fails_is_not_driven_any_further(tmp_path: Path) -> None:
    """Half of the answers are errors: one level, no number, exit 3."""
    flags = ("--concurrency", "1,2,4", "--warmup", "0s", "--hold", "1s", "-q")
    with target(*FOUR_SERVERS, "--errors", "50%") as url:
        ended = commanded(url, *flags, "--out", str(tmp_path / "run"))
    assert ended.exit_code == 3
    found = sweep_of(read_result(tmp_path / "run"))
    assert (found.stop_reason, len(found.levels)) == ("errors", 1)
    assert found.knee.highest_per_s is None


def test_what_cannot_be_is_told_before_any_load() -> None:
    """Exit 2 for a plan with faults, 1 for a target that is not there."""
    assert commanded(NOWHERE, "--concurrency", "2,1").exit_code == 2
    assert commanded(NOWHERE, "--hold", "1s", "-q").exit_code == 1

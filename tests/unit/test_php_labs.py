"""What the PHP labs make of what was measured: truths, logs, figures."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes import record
from results import result

from breakstep.lab.experiment import Found, Measured
from breakstep.lab.experiments.php import _shedding as shedding
from breakstep.lab.experiments.php import cpu_per_request, exp3, exp3_sat, unix
from breakstep.lab.experiments.php._logs import fpm_lines, nginx_lines, within
from breakstep.lab.experiments.php._truths import breaks_of_cpu, ceiling_per_s, near_the_ceiling
from breakstep.lab.experiments.php.exp2_pgconn import left_out
from breakstep.model.record import StepRecord
from breakstep.search.controller import Done

FACTS = {"workers": 120, "connections": 100, "app_cores": 1, "database_cores": 1}
NGINX = (
    '127.0.0.1 - - [01/Dec/2026:00:00:10 +0000] "GET /api/db HTTP/1.1" 502 150 "-" "-" '
    'rt=0.004 urt="0.000" uct="-"\n'
    '127.0.0.1 - - [01/Dec/2026:00:00:11 +0000] "GET /api/db HTTP/1.1" 200 50 "-" "-" '
    'rt=0.250 urt="0.249" uct="0.001"\n'
)
FPM = '127.0.0.1 01/Dec/2026:00:00:11 +0000 "GET /api/db" status=200 dt=112500\n'
AT_S = 1_796_083_211.0


def test_a_side_ends_where_a_request_has_used_up_its_cores() -> None:
    """10 ms of PHP and nginx on one core, 20 ms of the database on another: 50 a second."""
    assert ceiling_per_s(climbed(php=0.009, nginx=0.001, db=0.020)) == pytest.approx(50.0)
    assert ceiling_per_s(climbed(php=0.009, nginx=0.001, db=0.002)) == pytest.approx(100.0)


@pytest.mark.parametrize(("php", "holds"), [(0.002, True), (0.001, False), (0.004, False)])
def test_a_break_near_the_end_of_the_cpu_holds(php: float, *, holds: bool) -> None:
    """It broke between 400 and 500/s: 500/s is near, 1000/s and 250/s are not."""
    truth = near_the_ceiling("run", within=0.1)
    assert truth.judge({"run": climbed(php=php, nginx=0.0001, db=0.0001)}).ok is holds


def test_too_few_light_loads_tell_no_end() -> None:
    """Then it is measured again."""
    few = climbed(php=0.002, nginx=0.0001, db=0.0001, loads=3)
    assert near_the_ceiling("run", within=0.1).judge({"run": few}).ok is None


@pytest.mark.parametrize(
    ("kind", "ok"),
    [("cpu_workers", True), ("database_cpu", True), ("io_workers", False), ("host_noise", None)],
)
def test_what_the_machine_did_is_no_answer(kind: str, *, ok: bool | None) -> None:
    """CPU of either side is right, another limit is wrong, noise is neither."""
    assert breaks_of_cpu("run").judge({"run": climbed(php=0.002, kind=kind)}).ok is ok


def test_the_workers_that_get_no_connection_are_a_share_of_all() -> None:
    """20 of 120."""
    assert left_out(Measured(facts=FACTS)) == pytest.approx(1 / 6)


@pytest.mark.parametrize(("completed_per_s", "ok"), [(43.0, True), (48.5, False), (38.0, False)])
def test_workers_are_held_against_what_they_took_themselves(
    completed_per_s: float, *, ok: bool
) -> None:
    """Five of 115 ms complete 43.5/s, give or take a tenth; without their log nothing is said."""
    (truth,) = (one for one in exp3.EXPERIMENT.truths if one.says.startswith("5 workers"))
    five = replace(held(completed_per_s), figures={"worker_ms": 115.0})
    assert truth.judge({"5": five}).ok is ok
    assert truth.judge({"5": held(completed_per_s)}).ok is None


def test_a_hundred_workers_are_held_against_ten_times_the_limit_of_ten() -> None:
    """800/s are not at most 80 % of 10 · 90/s; 300/s are."""
    (truth,) = (one for one in exp3.EXPERIMENT.truths if one.keys == ("10", "100"))
    ten = Measured(figures={"limit_per_s": 90.0})
    assert truth.judge({"10": ten, "100": held(800.0)}).ok is False
    assert truth.judge({"10": ten, "100": held(300.0)}).ok is True


def test_collapse_is_goodput_gone_while_the_workers_work() -> None:
    """45/s is the limit: 3/s good and 44/s accepted at twice that, all 504."""
    truths = exp3_sat.EXPERIMENT.truths
    assert [truth.judge({"sat": collapsed()}).ok for truth in truths] == [True, True, True]
    well = collapsed(goodput_per_s=40.0, accepted=30.0, status=200)
    assert [truth.judge({"sat": well}).ok for truth in truths] == [False, False, False]


def test_goodput_is_told_by_load_and_of_a_load_the_last_window() -> None:
    """Both are shares of N/W; the first load was held twice, and nothing came of it at first."""
    assert shedding.goodput("run")({"run": goodputs(63.0, 81.0)}) == "0.7 → 0.70, 1.5 → 0.90"


@pytest.mark.parametrize(
    ("slow_ms", "half_ms", "ok"), [(4.8, 0.1, True), (2.0, 0.1, False), (3.3, 0.5, None)]
)
def test_costs_are_in_order_only_where_their_intervals_tell(
    slow_ms: float, half_ms: float, *, ok: bool | None
) -> None:
    """Waiting dearer than the lookup, cheaper, or not to be told from it."""
    figures = {**costs("ping", 2.7), **costs("db", 3.2), **costs("slow", slow_ms)}
    figures |= dict.fromkeys(("slow_php-fpm_half_ms",), half_ms)
    (truth,) = cpu_per_request.EXPERIMENT.truths
    assert truth.judge({"costs": Measured(figures=figures)}).ok is ok


@pytest.mark.parametrize(
    ("unix_queue", "tcp_queue", "ok"), [(0.0, 512.0, True), (9.0, 512.0, False)]
)
def test_a_blind_page_reads_nothing_at_a_socket(
    unix_queue: float, tcp_queue: float, *, ok: bool
) -> None:
    """And the whole queue at a port."""
    (truth,) = (one for one in unix.EXPERIMENT.truths if one.keys == ("unix", "tcp"))
    found: Found = {"unix": queued(unix_queue), "tcp": queued(tcp_queue)}
    assert truth.judge(found).ok is ok


def test_logs_are_read_by_the_second(tmp_path: Path) -> None:
    """A refused request has no connection; times are in ms whatever the log has."""
    (tmp_path / "nginx").write_text(NGINX + "not a line of ours\n")
    (tmp_path / "fpm").write_text(FPM)
    refused, good = nginx_lines(tmp_path / "nginx")
    (worker,) = fpm_lines(tmp_path / "fpm")
    assert (refused.status, refused.took_ms, refused.connect_ms) == (502, 4.0, None)
    assert (good.status, good.took_ms, good.connect_ms) == (200, 250.0, 1.0)
    assert (worker.status, worker.took_ms, worker.at_s) == (200, 112.5, AT_S)
    step = replace(record(0, 100.0), window_from=AT_S - 0.5, window_to=AT_S + 0.5)
    assert within([refused, good], step) == [good]


def climbed(
    *, php: float, nginx: float = 0.0, db: float = 0.0, loads: int = 4, kind: str = "cpu_workers"
) -> Measured:
    """Loads of 100/s and so on, the last of which broke; s of CPU a request of each program."""
    steps = [record(index, 100.0 * (index + 1)) for index in range(loads)]
    broken = record(loads, 100.0 * (loads + 1), "fail", p95_ms=300.0, queue="growing")
    cpu = {"php": php, "nginx": nginx, "db": db}
    rows = [
        row(step, *(signal(source, "cpu", step.offered_per_s * s) for source, s in cpu.items()))
        for step in steps
    ]
    return measured([*steps, broken], rows, kind)


def collapsed(goodput_per_s: float = 3.0, accepted: float = 44.0, status: int = 504) -> Measured:
    """One load of twice the limit of 45/s."""
    step = record(0, 90.0, "fail", p95_ms=5000.0, queue="growing")
    step = replace(step, goodput_per_s=goodput_per_s, statuses={status: step.arrivals})
    found = measured([step], [row(step, signal("php-fpm", "accepted", accepted))])
    return replace(found, figures={"limit_per_s": 45.0})


def goodputs(*per_s: float) -> Measured:
    """Loads of the shedding labs with these goodputs, the first held twice; N/W is 90/s."""
    loads = list(zip(shedding.SHARES, per_s, strict=False))
    windows = [(loads[0][0], 0.0), *loads]
    steps = [
        replace(record(index, 90.0 * share), goodput_per_s=good)
        for index, (share, good) in enumerate(windows)
    ]
    return replace(measured(steps, []), figures={"limit_per_s": 90.0})


def held(completed_per_s: float) -> Measured:
    """One load that held."""
    return measured([record(0, completed_per_s)], [])


def queued(longest: float) -> Measured:
    """One load at which the status page told of this queue."""
    step = record(0, 100.0)
    return measured([step], [row(step, signal("php-fpm", "queue", longest))])


def costs(path: str, php_ms: float) -> dict[str, float]:
    """What a path costs, nearly all of it in PHP."""
    each = {"php-fpm": php_ms, "nginx": 0.1, "postgres": 0.1}
    means = {f"{path}_{role}_ms": ms for role, ms in each.items()}
    return {**means, **{f"{path}_{role}_half_ms": 0.05 for role in each}}


def measured(
    steps: Sequence[StepRecord], rows: Sequence[dict[str, Any]], kind: str = "cpu_workers"
) -> Measured:
    """A run of these steps."""
    found = result(list(steps), Done("broken", "it broke"))
    said = {"kind": kind, "resource": "process:php", "confidence": "high"}
    sections = {"signals": {"steps": list(rows)}, "diagnosis": said}
    return Measured(replace(found, sections=sections), facts=FACTS)


def row(step: StepRecord, *signals: dict[str, Any]) -> dict[str, Any]:
    """The signals of a step, as `result.json` has them."""
    return {"run": 0, "index": step.index, "signals": list(signals)}


def signal(source: str, name: str, value: float) -> dict[str, Any]:
    """One that stood still."""
    kind = "process" if name == "cpu" else "php-fpm"
    return {"source": source, "kind": kind, "name": name, "mean": value, "max": value}

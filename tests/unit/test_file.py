"""From a load-model file to a plan: the same one that equal flags make."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from files import TARGET, Files
from plans import loopback, plan_of

from breakstep.model.errors import PlanError
from breakstep.model.plan import Experiment, Search, Staircase
from breakstep.model.slo import parse_slo
from breakstep.plan.digest import plan_digest
from breakstep.plan.flags import plan_from_flags
from breakstep.plan.redact import plan_json
from breakstep.plan.source import flags_from, is_file, plan_from
from breakstep.plan.words import Flags


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A place for a file."""
    return Files(tmp_path)


WHOLE = """
target:
  url: https://127.0.0.1:8443/api
  keep-alive: false
  cacert: ca.pem
requests:
  - path: /items?page=2
    method: put
    headers: {Accept: text/html, X-Tenant: 007}
    data: "@body"
slo: [p95<200ms, errors<1%]
load:
  steps: [50, 100.5, 150/s]
  hold: 5s
  ramp: 1s
  warmup: 0s
  arrivals: uniform
  timeout: 3s
  max-in-flight: 500
  seed: 7
  workers: 2
  pin: [0]
  spin: true
  abort: false
  repeat: 2
  between: ./restart --all
probes: [host, "process:nginx,every=200ms"]
experiment: {command: ./more, raised: 2}
"""


def same_as_whole(directory: Path) -> Flags:
    """The flags that ask for the same."""
    return Flags(
        "https://127.0.0.1:8443/api/items?page=2",
        keep_alive=False,
        cacert=str(directory / "ca.pem"),
        method="put",
        header=("Accept: text/html", "X-Tenant: 007"),
        data="four",
        slo=("p95<200ms", "errors<1%"),
        steps="50,100.5,150/s",
        hold="5s",
        ramp="1s",
        warmup="0s",
        arrivals="uniform",
        timeout="3s",
        max_in_flight=500,
        seed=7,
        workers=2,
        pin="0",
        spin=True,
        abort=False,
        repeat=2,
        between="./restart --all",
        probe=("host", "process:nginx,every=200ms"),
        experiment="./more",
        raised=2.0,
    )


def test_a_file_and_equal_flags_are_the_same_plan(files: Files) -> None:
    """Every word reaches the plan by either way, and the digest is one."""
    (files.directory / "ca.pem").write_text("")
    (files.directory / "body").write_text("four")
    one, other = files.plan(WHOLE), plan_of(same_as_whole(files.directory))
    assert one == other
    assert one.digest == other.digest != ""
    assert one.experiment == Experiment("./more", 2.0)


def test_a_url_in_a_file_is_the_plan_of_the_url(files: Files) -> None:
    """The same defaults."""
    assert files.plan(TARGET).digest == plan_of(Flags("http://127.0.0.1:8080/")).digest


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        ("{from: 10, to: 1e3}", Search(10.0, 1000.0)),
        ("{from: 10, to: 30, by: 10}", Staircase((10.0, 20.0, 30.0))),
        ("{effort: strict}", Search(effort="strict")),
        ("{budget: 5m}", Search(budget_ns=300_000_000_000)),
        ("{steps: 50}", Staircase((50.0,))),
        ('{steps: "50,100"}', Staircase((50.0, 100.0))),
        ("", Search()),
    ],
)
def test_the_loads_are_those_of_the_flags(files: Files, load: str, expected: Any) -> None:
    """Searched, by ends and distance, or one by one."""
    assert files.plan(f"{TARGET}load: {load}").load == expected


SEVERAL = """
target: {url: http://me:word@127.0.0.1:8080/api/}
requests:
  - {name: home, weight: 3, path: /}
  - {name: buy, path: /buy?now=1, body: "{}", headers: {Content-Type: application/json}}
slo:
  - p99<1s
  - buy: p95<300ms
  - "home: errors<1%"
"""


def test_several_requests_are_several_scenarios(files: Files) -> None:
    """Each with its name and weight, below the path of the URL, with its user and password."""
    plan = files.plan(SEVERAL)
    home, buy = plan.scenarios
    assert (home.name, home.weight, home.method, home.path) == ("home", 3.0, "GET", "/api/")
    assert (buy.name, buy.weight, buy.method, buy.path) == ("buy", 1.0, "POST", "/api/buy?now=1")
    assert [name for name, _ in buy.headers] == ["Content-Type", "Authorization"]
    assert buy.body == b"{}"
    assert plan.target.url == "http://127.0.0.1:8080/api/"
    assert plan.slos == tuple(map(parse_slo, ("p99<1s", "buy: p95<300ms", "home: errors<1%")))


def test_a_flag_counts_before_the_file(files: Files) -> None:
    """Word by word; lists are replaced, headers by name."""
    text = f"{TARGET}load: {{hold: 5s, seed: 7, effort: strict}}\nslo: [p95<1s]\nrequests:\n"
    text += "  - {headers: {Accept: text/html, X-A: 1}, body: b}\n"
    over = Flags(hold="3s", slo=("p99<2s",), header=("accept: */*",), data="d", method="PATCH")
    plan = files.plan(text, over)
    assert (plan.hold_ns, plan.seed) == (3_000_000_000, 7)
    assert plan.slos == (parse_slo("p99<2s"),)
    (scenario,) = plan.scenarios
    assert scenario.headers == (("X-A", "1"), ("accept", "*/*"))
    assert (scenario.method, scenario.body) == ("PATCH", b"d")


@pytest.mark.parametrize(
    ("load", "flags", "expected"),
    [
        ("{steps: [5, 6]}", Flags(from_="10", to="20"), Search(10.0, 20.0)),
        ("{from: 1, to: 9, by: 2}", Flags(steps="50"), Staircase((50.0,))),
        ("{from: 1, to: 9}", Flags(to="99"), Search(1.0, 99.0)),
        ("{from: 1, to: 9, by: 2}", Flags(effort="strict"), Search(1.0, 9.0, "strict")),
        ("{effort: strict}", Flags(budget="60s"), Search(budget_ns=60_000_000_000)),
        ("{budget: 60s}", Flags(effort="strict"), Search(effort="strict")),
    ],
)
def test_a_flag_takes_away_what_contradicts_it(
    files: Files, load: str, flags: Flags, expected: Any
) -> None:
    """Who names steps on the command line does not want the search of the file, and so on."""
    assert files.plan(f"{TARGET}load: {load}", flags).load == expected


def test_a_switch_of_the_file_can_be_turned_off(files: Files) -> None:
    """`--no-spin` is a word too."""
    text = f"{TARGET}load: {{spin: true, abort: false}}"
    assert files.plan(text, Flags(spin=False)).spin is False
    assert files.plan(text).abort is False


def test_a_url_over_the_file_keeps_its_requests(files: Files) -> None:
    """The same load model, another place."""
    plan = files.plan(SEVERAL, Flags("http://10.0.0.1/v2"))
    assert plan.target.host == "10.0.0.1"
    assert [one.path for one in plan.scenarios] == ["/v2/", "/v2/buy?now=1"]


def test_a_request_of_several_is_not_changed_by_a_flag(files: Files) -> None:
    """It does not say which one is meant."""
    with pytest.raises(PlanError, match="--method and --data would change all of 2 requests"):
        files.plan(SEVERAL, Flags(method="PUT", data="x"))


def test_an_alias_is_what_its_anchor_is(files: Files) -> None:
    """What requests have in common is written once."""
    text = f"{TARGET}requests:\n"
    text += "  - {name: a, headers: &h {Accept: text/html}}\n  - {name: b, headers: *h}\n"
    one, other = files.plan(text).scenarios
    assert one.headers == other.headers == (("Accept", "text/html"),)


def test_a_word_is_a_text_whatever_yaml_makes_of_it(files: Files) -> None:
    """`no` is no boolean, `012` no octal number, `12:30` no sexagesimal one, a date no date."""
    text = f"{TARGET}requests: [{{headers: {{A: no, B: 012, C: 12:30, D: 2026-11-30, E: 1e3}}}}]"
    values = [value for _, value in files.plan(text).scenarios[0].headers]
    assert values == ["no", "012", "12:30", "2026-11-30", "1e3"]


def test_the_demand_is_kept_and_changes_nothing(files: Files) -> None:
    """A capacity plan finds it in the result; the run is the same with another."""
    plan = files.plan(f"{TARGET}plan: {{peak: 500/s, growth: 30%, failures: 1, headroom: 0.7}}")
    kept = {"peak": 500.0, "growth": 0.3, "failures": 1, "headroom": 0.7}
    assert plan_json(plan)["demand"] == kept
    assert plan.digest == files.plan(TARGET).digest


@pytest.mark.parametrize(
    ("changes", "equal"),
    [
        ({}, True),
        ({"header": ("Authorization: other",)}, True),
        ({"url": "http://127.0.0.1:8080/?token=other"}, True),
        ({"url": "http://127.0.0.1:8081/?token=one"}, False),
        ({"hold": "3s"}, False),
        ({"seed": 2}, False),
        ({"data": "x"}, False),
        ({"slo": ("p95<201ms",)}, False),
        ({"workers": 2}, False),
    ],
)
def test_a_digest_is_of_what_fixes_the_run_and_of_no_secret(
    changes: dict[str, Any], *, equal: bool
) -> None:
    """A token that is renewed leaves the plan what it was."""
    flags = Flags(
        "http://127.0.0.1:8080/?token=one", slo=("p95<200ms",), header=("Authorization: one",)
    )
    digests = {plan_of(flags).digest, plan_of(replace(flags, **changes)).digest}
    assert (len(digests) == 1) is equal


def test_a_digest_is_not_of_where_the_host_was_found() -> None:
    """Names are resolved anew at every run."""
    flags = Flags("http://shop.example/", authorized=("shop.example",))
    one = plan_from_flags(flags, lambda _host, _port: ("10.0.0.1",))
    other = plan_from_flags(flags, lambda _host, _port: ("203.0.113.7",))
    assert one.digest == other.digest
    assert plan_json(one)["hash"] == plan_digest(one) == one.digest


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("http://h/x.yaml", False),
        ("h:80/path", False),
        ("localhost", False),
        ("missing.yaml", True),
        ("missing.yml", True),
        ("there", True),
        ("directory", False),
    ],
)
def test_a_source_is_a_file_if_it_is_there_or_ends_so(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, expected: bool
) -> None:
    """A URL is never taken for one."""
    monkeypatch.chdir(tmp_path)
    Path("there").write_text(TARGET)
    Path("directory").mkdir()
    assert is_file(source) is expected


def test_a_url_over_a_url_is_a_fault() -> None:
    """One of them is not meant."""
    with pytest.raises(PlanError, match="--url goes with a FILE"):
        flags_from("http://h/", Flags("http://other/"))


def test_a_plan_comes_from_either(files: Files) -> None:
    """A verb is given one thing."""
    files.path.write_text(TARGET)
    one = plan_from(str(files.path), Flags(seed=3), loopback)
    assert one == plan_from("127.0.0.1:8080", Flags(seed=3), loopback)

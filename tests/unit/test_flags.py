"""From flags to a plan."""

import base64
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest
from plans import URL, loopback, plan_of

from breakstep.model.errors import PlanError, TargetError
from breakstep.model.plan import Plan, Scenario, Search, Staircase, Target
from breakstep.model.slo import parse_slo
from breakstep.model.units import parse_duration
from breakstep.plan.flags import Flags, plan_from_flags
from breakstep.plan.load import HOLD_OF_SEARCH, STEPS_MAX, WARMUP_OF_QUICK

LONG = "99999999999h"


def not_asked(_host: str, _port: int) -> NoReturn:
    """A resolver that must not be asked."""
    raise AssertionError("the name was looked up")


def faults_of(flags: Flags) -> Sequence[str]:
    """The faults of flags that are wrong before any name is looked up."""
    with pytest.raises(PlanError) as raised:
        plan_from_flags(flags, not_asked)
    return raised.value.faults


def test_a_url_alone_is_a_plan() -> None:
    """The defaults: an automatic search with Poisson arrivals, SLOs left to the session."""
    assert plan_of(Flags(URL)) == Plan(
        target=Target(URL, "127.0.0.1", 8080, tls=False, addresses=("127.0.0.1",)),
        scenarios=(Scenario("GET", "/"),),
        load=Search(),
        warmup_ns=parse_duration(WARMUP_OF_QUICK),
        hold_ns=parse_duration(HOLD_OF_SEARCH),
    )


def test_every_flag_reaches_the_plan(tmp_path: Path) -> None:
    """Nothing that was asked for is lost."""
    authorities = tmp_path / "ca.pem"
    authorities.write_text("")
    flags = Flags(
        "https://127.0.0.1:8443/path",
        slo=("p95<200ms", "errors<1%"),
        steps="50,100",
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
        method="put",
        header=("Accept: text/html",),
        data="body",
        keep_alive=False,
        cacert=str(authorities),
    )
    assert plan_of(flags) == Plan(
        target=Target(
            "https://127.0.0.1:8443/path",
            "127.0.0.1",
            8443,
            tls=True,
            addresses=("127.0.0.1",),
            ca_file=str(authorities),
            keep_alive=False,
        ),
        scenarios=(Scenario("PUT", "/path", (("Accept", "text/html"),), b"body"),),
        load=Staircase((50.0, 100.0)),
        slos=(parse_slo("p95<200ms"), parse_slo("errors<1%")),
        arrivals="uniform",
        ramp_ns=1_000_000_000,
        warmup_ns=0,
        hold_ns=5_000_000_000,
        timeout_ns=3_000_000_000,
        max_in_flight=500,
        seed=7,
        workers=2,
        pin=(0,),
        spin=True,
        abort=False,
    )


TEN_FAULTS = Flags(
    "http://h:99999/",
    slo=("p95<fast", "p42<1s"),
    steps="100,50",
    hold="0s",
    ramp="soon",
    timeout="2h",
    header=("no colon",),
    arrivals="bursty",
    workers=0,
)


def test_ten_faults_are_listed_at_once_each_with_its_place() -> None:
    """One round of corrections is enough, and no name is looked up for a wrong plan."""
    places = [fault.split(":")[0] for fault in faults_of(TEN_FAULTS)]
    assert places == [
        *("URL", "--slo", "--slo", "--steps", "--hold", "--ramp", "--timeout", "--header"),
        *("--arrivals", "--workers"),
    ]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"steps": "100,,200"}, "--steps: '' is not a rate"),
        ({"steps": "100,100"}, "each rate must be above the one before it"),
        ({"steps": "1e300"}, "--steps: '1e300' is more than any machine sends"),
        (
            {"steps": "1", "from_": "1", "by": "2"},
            "--steps names every load: leave out --from, --by",
        ),
        ({"from_": "0"}, "--from: '0' is not a rate"),
        ({"from_": "9", "to": "5"}, "--to 5 lies below --from 9"),
        ({"by": "5"}, "--by goes with --from and --to: add --from, --to"),
        ({"from_": "1", "by": "5"}, "--by goes with --from and --to: add --to"),
        ({"from_": "1", "to": "9000", "by": "1"}, "--by 1 makes 9000 steps, more than 1000"),
        ({"hold": LONG}, f"--hold: '{LONG}' is longer than a week"),
        ({"ramp": LONG}, "--ramp: "),
        ({"warmup": LONG}, "--warmup: "),
        ({"timeout": "61m"}, "--timeout: '61m' is longer than an hour"),
        ({"timeout": "0ms"}, "--timeout: '0ms' must be above zero"),
        ({"pin": "one"}, "--pin: 'one' is no list of cores: write 0,1"),
        ({"pin": "-1"}, "--pin: no core -1 may be used here"),
        ({"pin": "0,99999"}, "--pin: no core 99999 may be used here"),
        ({"header": (": value",)}, "--header: a header is written 'Name: value'"),
        ({"header": ("A b: c",)}, 'name "A b" is not an HTTP token'),
        ({"header": ("A: b\r\nC: d",)}, "value has"),
        ({"method": "G T"}, 'method "G T" is not an HTTP token'),
        ({"data": "@/nowhere/body"}, "--data: cannot read '/nowhere/body': No such file"),
        ({"cacert": "/nowhere/ca"}, "--cacert: cannot read '/nowhere/ca': No such file"),
        ({"insecure": True, "cacert": "/dev/null"}, "--insecure trusts anyone: leave out --cacert"),
        ({"workers": 257}, "--workers: between 1 and 256"),
        ({"workers": 3, "max_in_flight": 2}, "--max-in-flight: at least one for each worker"),
        ({"seed": -1}, "--seed: between 0 and 2^48 − 1"),
        ({"seed": 2**48}, "--seed: between 0 and 2^48 − 1"),
        ({"url": "https://h/", "unix_socket": "/s"}, "--unix-socket speaks plain http"),
    ],
)
def test_a_fault_is_named_with_its_remedy(changes: dict[str, Any], fault: str) -> None:
    """Each on its own is one fault, found without asking anyone."""
    (found,) = faults_of(replace(Flags(URL), **changes))
    assert fault in found


def test_a_header_in_the_wrong_form_is_not_quoted() -> None:
    """It may be a secret."""
    (fault,) = faults_of(Flags(URL, header=("Authorization hunter2",)))
    assert "hunter2" not in fault


@pytest.mark.parametrize(
    ("given", "load"),
    [
        ({}, Search()),
        ({"from_": "10"}, Search(from_per_s=10.0)),
        ({"to": "500/s"}, Search(to_per_s=500.0)),
        ({"from_": "10", "to": "500"}, Search(10.0, 500.0)),
        ({"steps": "50"}, Staircase((50.0,))),
        ({"steps": "50, 100,150.5"}, Staircase((50.0, 100.0, 150.5))),
        ({"from_": "10", "to": "10", "by": "5"}, Staircase((10.0,))),
        ({"from_": "300", "to": "325", "by": "10"}, Staircase((300.0, 310.0, 320.0))),
        (
            {"from_": "1", "to": str(STEPS_MAX), "by": "1"},
            Staircase(tuple(map(float, range(1, 1001)))),
        ),
    ],
)
def test_the_load_is_searched_unless_every_rate_is_named(
    given: dict[str, Any], load: Staircase | Search
) -> None:
    """A staircase by its rates or by its ends and distance; otherwise an automatic search."""
    assert plan_of(replace(Flags(URL), **given)).load == load


def test_a_staircase_in_tenths_reaches_its_end() -> None:
    """0.1 + 2 · 0.1 is a hair above 0.3 and still the third step."""
    load = plan_of(Flags(URL, from_="0.1", to="0.3", by="0.1")).load
    assert isinstance(load, Staircase)
    assert load.rates_per_s == pytest.approx((0.1, 0.2, 0.3))


@pytest.mark.parametrize(
    ("method", "data", "expected"),
    [
        (None, None, ("GET", b"")),
        (None, "a=b", ("POST", b"a=b")),
        (None, "", ("POST", b"")),
        ("put", "phở", ("PUT", "phở".encode())),
        ("head", None, ("HEAD", b"")),
    ],
)
def test_a_body_makes_a_post_unless_a_method_is_named(
    method: str | None, data: str | None, expected: tuple[str, bytes]
) -> None:
    """Methods are sent in capitals, bodies as UTF-8."""
    (scenario,) = plan_of(Flags(URL, method=method, data=data)).scenarios
    assert (scenario.method, scenario.body) == expected


def test_a_body_is_read_from_a_file(tmp_path: Path) -> None:
    """`@FILE`, byte by byte."""
    file = tmp_path / "body"
    file.write_bytes(b"\x00\xff\r\n")
    assert plan_of(Flags(URL, data=f"@{file}")).scenarios[0].body == b"\x00\xff\r\n"


def test_user_and_password_of_the_url_become_a_header() -> None:
    """Percent-decoded, as Basic credentials; the URL is kept without them."""
    plan = plan_of(Flags("http://me%40home:p%3Ass@h/"))
    credentials = base64.b64encode(b"me@home:p:ss").decode()
    assert plan.scenarios[0].headers == (("Authorization", f"Basic {credentials}"),)
    assert plan.target.url == "http://h/"


def test_a_header_of_ones_own_goes_before_the_credentials_of_the_url() -> None:
    """There is one Authorization header, the one that was written out."""
    plan = plan_of(Flags("http://me:secret@h/", header=("authorization: Bearer x",)))
    assert plan.scenarios[0].headers == (("authorization", "Bearer x"),)


def test_a_foreign_host_is_refused_without_consent() -> None:
    """The fault says which flag gives it."""
    with pytest.raises(PlanError, match=r"add --authorized shop\.example"):
        plan_from_flags(Flags("http://shop.example/"), lambda _host, _port: ("203.0.113.7",))


def test_a_foreign_host_is_accepted_with_consent() -> None:
    """All addresses are kept, in the resolver's order."""
    flags = Flags("http://shop.example/", authorized=("shop.example",))
    plan = plan_from_flags(flags, lambda _host, _port: ("203.0.113.7", "203.0.113.8"))
    assert plan.target.addresses == ("203.0.113.7", "203.0.113.8")


def test_a_unix_socket_needs_no_name() -> None:
    """The host of the URL only names itself in the request."""
    flags = Flags("http://shop.example/", unix_socket="/run/app.sock")
    target = plan_from_flags(flags, not_asked).target
    assert (target.addresses, target.unix_socket) == ((), "/run/app.sock")


def test_what_the_resolver_says_is_passed_on() -> None:
    """An unknown host is no fault of the plan."""

    def unknown(host: str, _port: int) -> NoReturn:
        raise TargetError(f"cannot resolve {host!r}")

    with pytest.raises(TargetError, match="cannot resolve 'h'"):
        plan_from_flags(Flags("http://h/"), unknown)


def test_the_same_flags_are_the_same_plan() -> None:
    """Plans are values: equal and hashable."""
    one, two = (plan_from_flags(Flags(URL, slo=("p99<1s",)), loopback) for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)

"""Probes as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plans import URL, plan_of

from breakstep.model.errors import PlanError
from breakstep.model.units import NS_PER_MS
from breakstep.plan.flags import Flags
from breakstep.plan.probes import GRAMMARS, parse_probe
from breakstep.plan.redact import probe_json, redact_where
from breakstep.probe.registry import MODULES

DSN = "postgresql://me:hunter2@db.local:5432/shop"


@pytest.mark.parametrize(
    ("text", "kind", "where", "label"),
    [
        ("host", "host", "", "host"),
        ("host,name=web-1", "host", "", "web-1"),
        ("process:nginx", "process", "nginx", "process:nginx"),
        ("listen:8080,every=200ms", "listen", "8080", "listen:8080"),
        (f"postgres:{DSN}", "postgres", DSN, "postgres:postgresql://***@db.local:5432/shop"),
        (
            "postgres:host=db password='a b' dbname=x",
            "postgres",
            "host=db password='a b' dbname=x",
            "postgres:host=db password=*** dbname=x",
        ),
        ("command:/opt/s.sh --key abc", "command", "/opt/s.sh --key abc", "command:s.sh"),
        ("json:http://h/s?token=abc", "json", "http://h/s?token=abc", "json:http://h/s?token=***"),
    ],
)
def test_a_probe_is_a_kind_a_place_and_options(
    text: str, kind: str, where: str, label: str
) -> None:
    """The label names it without its secrets."""
    spec = parse_probe(text)
    assert (spec.kind, spec.where, spec.label) == (kind, where, label)


def test_an_option_may_be_given_twice() -> None:
    """As the series of an exporter are."""
    spec = parse_probe("prometheus:http://h/metrics,series=a,every=1s,series=b")
    assert spec.values("series") == ("a", "b")
    assert spec.option("series") == "a"
    assert spec.option("timeout") is None
    assert spec.every_ns == 1000 * NS_PER_MS


def test_what_is_no_option_of_the_kind_belongs_to_the_place() -> None:
    """A command line may hold commas and equal signs of its own."""
    assert parse_probe("command:run --a=1,b=2,timeout=3s").where == "run --a=1,b=2"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nonsense:1", "no kind of probe"),
        ("listen", "listen needs to know where: write listen:8080"),
        ("host:here", "takes nothing behind the colon"),
        ("host,every=1ms", "between 50ms and 1m"),
        ("host,every=soon", "not a duration"),
        ("", "no kind of probe"),
    ],
)
def test_a_faulty_probe_is_refused_with_a_remedy(text: str, says: str) -> None:
    """Before anything is connected."""
    with pytest.raises(ValueError, match=says):
        parse_probe(text)


@given(st.text(max_size=60))
def test_any_text_is_a_probe_or_a_fault(text: str) -> None:
    """Nothing else is raised, whatever stands there."""
    try:
        parse_probe(text)
    except ValueError:
        return


@pytest.mark.parametrize("kind", GRAMMARS)
def test_the_example_of_each_kind_is_one(kind: str) -> None:
    """What the error recommends can be parsed."""
    grammar = GRAMMARS[kind]  # type: ignore[index]
    assert parse_probe(grammar.example).kind == kind


def test_every_kind_has_a_file_but_those_that_are_none() -> None:
    """`auto` becomes others, and an agent is a feed."""
    assert set(MODULES) == set(GRAMMARS) - {"auto", "agent"}


def test_two_probes_of_one_label_are_a_fault() -> None:
    """Their signals could not be told apart."""
    assert "host is there twice" in faults(["host", "host"])


def test_every_fault_of_every_probe_is_listed() -> None:
    """All at once, each with the flag."""
    assert faults(["nonsense", "listen"]).count("--probe: ") == 2


def test_a_plan_shows_no_secret_of_a_probe() -> None:
    """Neither in the place nor in an option."""
    spec = parse_probe("agent:h:1,token=hunter2")
    assert "hunter2" not in str(probe_json(spec))
    assert "hunter2" not in str(probe_json(parse_probe(f"postgres:{DSN}")))
    assert "hunter2" not in redact_where(DSN)


def faults(probes: list[str]) -> str:
    """The faults of a plan with these probes."""
    with pytest.raises(PlanError) as raised:
        plan_of(Flags(URL, probe=probes))
    return "\n".join(raised.value.faults)

"""SLOs, as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.model.slo import QUANTILES, Slo, parse_slo, quantile_name


@pytest.mark.parametrize(
    ("text", "slo"),
    [
        ("p95<200ms", Slo("latency", quantile=0.95, bound_ns=200_000_000)),
        (" p99.9 <= 1.5s ", Slo("latency", quantile=0.999, bound_ns=1_500_000_000)),
        ("p50<1us", Slo("latency", quantile=0.50, bound_ns=1_000)),
        ("errors<1%", Slo("errors", share=0.01)),
        ("errors <= 0.5 %", Slo("errors", share=0.005)),
        ("errors<0%", Slo("errors", share=0.0)),
        ("goodput>97%", Slo("goodput", share=0.97)),
        ("goodput>=100%", Slo("goodput", share=1.0)),
        ("pay: errors<1%", Slo("errors", share=0.01, request="pay")),
        (" GET /a:b :p50<1us", Slo("latency", quantile=0.50, bound_ns=1_000, request="GET /a:b")),
    ],
)
def test_an_slo_is_a_bound_on_a_quantile_or_a_share(text: str, slo: Slo) -> None:
    """Three kinds, with or without blanks and the equals sign, of all requests or of one."""
    assert parse_slo(text) == slo


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not an SLO: write p95<200ms, errors<1% or goodput>97%"),
        ("p95", "is not an SLO"),
        ("p95>200ms", "is not an SLO"),
        ("95<200ms", "is not an SLO"),
        ("P95<200ms", "is not an SLO"),
        ("mean<200ms", "is not an SLO"),
        ("errors<1", "is not an SLO"),
        ("errors>1%", "is not an SLO"),
        ("errors<-1%", "is not an SLO"),
        ("goodput<97%", "is not an SLO"),
        ("p97<200ms", "p97 is not judged; use one of p50, p75, p90, p95, p98, p99, p99.9"),
        ("p100<200ms", "p100 is not judged"),
        ("p99.99<1s", r"p99\.99 is not judged"),
        ("p95<200", "'200' is not a duration: write a number with a unit"),
        ("p95<fast", "'fast' is not a duration"),
        ("p95<0ms", "a bound of zero can never be met"),
        ("errors<101%", "a share lies between 0% and 100%"),
        ("goodput>100.1%", "a share lies between 0% and 100%"),
        (": p95<1s", "no request is named before the colon; leave it out to judge them all"),
        ("pay: p95", "' p95' is not an SLO"),
    ],
)
def test_anything_else_is_refused_with_the_remedy(text: str, words: str) -> None:
    """The message says what is wrong with this text, or what an SLO looks like."""
    with pytest.raises(ValueError, match=words):
        parse_slo(text)


@given(
    st.sampled_from(sorted(QUANTILES)),
    st.integers(1, 999),
    st.sampled_from(["us", "ms", "s"]),
)
def test_a_latency_slo_shown_and_read_again_is_the_same(name: str, bound: int, unit: str) -> None:
    """As long as its bound has three digits."""
    for of in ("", "pay: "):
        slo = parse_slo(f"{of}{name}<{bound}{unit}")
        assert parse_slo(str(slo)) == slo


@given(st.sampled_from(["errors<", "goodput>"]), st.integers(0, 1000))
def test_a_share_shown_and_read_again_is_the_same(kind: str, tenths: int) -> None:
    """A share is written as it was meant."""
    text = f"{kind}{tenths / 10:g}%"
    assert str(parse_slo(text)) == text


@pytest.mark.parametrize(("name", "quantile"), QUANTILES.items())
def test_a_quantile_is_named_as_people_write_it(name: str, quantile: float) -> None:
    """The name is the key it was read by."""
    assert quantile_name(quantile) == name

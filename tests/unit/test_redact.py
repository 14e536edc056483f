"""Secrets do not leave the plan."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plans import URL, plan_of

from breakstep.plan.flags import Flags
from breakstep.plan.redact import plan_json, redact_faulty_url, redact_header, redact_url

SECRET = "hunter2"  # noqa: S105  the one that must not be found


def written(flags: Flags) -> str:
    """The plan of these flags as it is stored and shown."""
    return json.dumps(plan_json(plan_of(flags)))


@pytest.mark.parametrize(
    "flags",
    [
        Flags(URL, header=(f"Authorization: Bearer {SECRET}",)),
        Flags(URL, header=(f"Cookie: id={SECRET}",)),
        Flags(URL, header=(f"X-Api-Key: {SECRET}",)),
        Flags(URL, header=(f"X-Unheard-Of: {SECRET}",)),
        Flags(URL, header=(f"Referer: http://h/?token={SECRET}",)),
        Flags(URL, header=("Accept: text/html", f"accept-secret: {SECRET}")),
        Flags(URL, data=SECRET),
        Flags(URL, data=f'{{"password": "{SECRET}"}}', header=("Content-Type: application/json",)),
        Flags(f"http://me:{SECRET}@h/"),
        Flags(f"http://{SECRET}@h/"),
        Flags(f"{URL}?token={SECRET}"),
        Flags(f"{URL}?page=1&API-Key={SECRET}&x"),
        Flags(f"{URL}?page=1;password={SECRET}"),
        Flags(f"{URL}?p%61ssword={SECRET}"),
        Flags(f"{URL}?user[password]={SECRET}"),
        Flags(f"{URL}?key={SECRET}&sig={SECRET}"),
        Flags(f"http://127.0.0.1//[x?token={SECRET}"),
        Flags(f"{URL}#access_token={SECRET}"),
    ],
)
def test_a_secret_is_not_written_down(flags: Flags) -> None:
    """Neither a header, a cookie, a body, a password nor a query parameter."""
    assert SECRET not in written(flags)


def test_what_is_harmless_is_written_down() -> None:
    """A plan is still a description of the run."""
    document = plan_json(
        plan_of(
            Flags(
                f"{URL}items?page=2&q=a%20b",
                slo=("p95<200ms",),
                steps="50,100",
                header=("Accept: text/html", "X-Tenant: acme"),
                data="four",
            )
        )
    )
    assert document["target"]["url"] == f"{URL}items?page=2&q=a%20b"
    assert document["slos"] == ["p95<200ms"]
    assert document["load"] == {"kind": "staircase", "rates_per_s": (50.0, 100.0)}
    assert document["scenarios"][0]["path"] == "/items?page=2&q=a%20b"
    assert document["scenarios"][0]["headers"] == {"Accept": "text/html", "X-Tenant": "***"}
    assert document["scenarios"][0]["body_bytes"] == 4
    assert (document["hold_s"], document["timeout_s"]) == (10.0, 10.0)
    assert "hold_ns" not in document


def test_two_bodies_are_told_apart_by_their_digest() -> None:
    """Runs with other bodies are not comparable, and it shows."""
    one, two = (plan_json(plan_of(Flags(URL, data=body)))["scenarios"][0] for body in ("a", "b"))
    assert one["body_sha256"] != two["body_sha256"]
    assert plan_json(plan_of(Flags(URL)))["scenarios"][0]["body_sha256"] is None


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://h/p?page=2&api_key=abc", "http://h/p?page=2&api_key=***"),
        ("/p?a=%20+b&token=x&c", "/p?a=%20+b&token=***&c"),
        ("/p?token=a=b", "/p?token=***"),
        ("/token=abc", "/token=abc"),
        ("/p", "/p"),
    ],
)
def test_only_the_values_of_secret_parameters_are_replaced(url: str, shown: str) -> None:
    """The rest of the URL is as it was sent."""
    assert redact_url(url) == shown


@given(st.text())
def test_any_text_can_be_shown(text: str) -> None:
    """Redacting never fails, and doing it again changes nothing."""
    assert redact_url(redact_url(text)) == redact_url(text)
    assert redact_faulty_url(f"http://me:{SECRET}@{text}").count(SECRET) <= text.count(SECRET)


@given(st.text(min_size=1).filter(lambda name: name.lower() not in {"accept", "range", "host"}))
def test_a_header_nobody_knows_is_taken_for_a_secret(name: str) -> None:
    """Only names known to be harmless show their values."""
    assert redact_header(name, SECRET) == "***"


@pytest.mark.parametrize("name", ["accept", "Content-Type", "USER-AGENT", "Cache-Control"])
def test_a_header_known_to_be_harmless_is_shown(name: str) -> None:
    """Whatever the case of its name."""
    assert redact_header(name, "value") == "value"

"""What a file takes from the environment is sent and never shown."""

import json
from base64 import b64encode
from pathlib import Path

import pytest
from files import TARGET, Files
from hypothesis import given
from hypothesis import strategies as st

from breakstep.plan.redact import plan_json
from breakstep.plan.variables import expand
from breakstep.plan.words import Flags

SECRET = "hunter2"  # noqa: S105  the one that must not be found
AT = "http://127.0.0.1:8080"


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A place for a file."""
    return Files(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "target: {url: 'http://me:${S}@127.0.0.1:8080/'}",
        f"target: {{url: '{AT}/${{S}}?a=${{S}}&b=x${{S}}y'}}",
        f"{TARGET}requests: [{{path: '/${{S}}/x?y=${{S}}'}}]",
        f"{TARGET}requests: [{{name: a, path: '/${{S}}'}}, {{name: b}}]",
        f"{TARGET}requests: [{{headers: {{Authorization: 'Bearer ${{S}}'}}}}]",
        f"{TARGET}requests: [{{headers: {{User-Agent: 'x ${{S}}'}}}}]",
        f"{TARGET}requests: [{{headers: {{Accept: '${{S}}'}}, body: '{{\"p\": \"${{S}}\"}}'}}]",
        f"{TARGET}probes: ['redis:127.0.0.1:6379,password=${{S}}']",
        f"{TARGET}probes: ['postgres:postgresql://me:${{S}}@127.0.0.1/shop']",
    ],
)
def test_a_value_of_the_environment_is_not_written_down(files: Files, text: str) -> None:
    """Wherever it stands, under a harmless name too; and another value is the same plan."""
    plan = files.plan(text, environment={"S": SECRET})
    assert plan.probes or plan.scenarios[0].shown is not None
    shown = json.dumps(plan_json(plan))
    assert SECRET not in shown
    assert b64encode(f"me:{SECRET}".encode()).decode() not in shown
    assert plan.digest == files.plan(text, environment={"S": "another"}).digest


def test_what_was_not_put_in_is_still_shown(files: Files) -> None:
    """Only the value is hidden, not what stands around it."""
    text = f"target: {{url: {AT}}}\nrequests: [{{path: '/user/${{S}}?page=2'}}]"
    document = plan_json(files.plan(text, environment={"S": SECRET}))
    assert document["scenarios"][0]["path"] == "/user/***?page=2"
    assert document["target"]["url"] == f"{AT}/user/***?page=2"


def test_what_is_sent_has_the_value(files: Files) -> None:
    """In the path, in a header and in the body."""
    text = "{path: '/${S}', headers: {Authorization: 'Bearer ${S}'}, body: '${S} $${S}'}"
    (scenario,) = files.plan(f"{TARGET}requests: [{text}]", environment={"S": SECRET}).scenarios
    assert scenario.path == f"/{SECRET}"
    assert scenario.headers == (("Authorization", f"Bearer {SECRET}"),)
    assert scenario.body == f"{SECRET} ${{S}}".encode()


def test_a_body_of_a_file_is_sent_as_it_is(files: Files) -> None:
    """It may be a template of its own."""
    (files.directory / "body").write_text("${S}")
    (scenario,) = files.plan(f"{TARGET}requests: [{{data: '@body'}}]").scenarios
    assert scenario.body == b"${S}"


def test_a_renewed_token_by_flag_is_the_same_plan(files: Files) -> None:
    """`--header` over a file, or a variable in it: neither is part of the digest."""
    text = f"{TARGET}requests: [{{headers: {{Authorization: 'Bearer ${{S}}'}}}}]"
    over = Flags(header=("Authorization: Bearer other",))
    one = files.plan(text, environment={"S": SECRET})
    other = files.plan(text, over, environment={"S": SECRET})
    assert other.scenarios[0].headers == (("Authorization", "Bearer other"),)
    assert one.digest == other.digest


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"{TARGET}requests: [{{path: '${{S}}'}}]", "'***': a path begins with /"),
        (f"{TARGET}probes: ['quantum ${{S}}']", "is no kind of probe"),
        (f"target: {{url: '{AT}:${{S}}/'}}", "target.url: "),
        ("target: {url: 'http://${S}/'}", "so no variable can stand for it: write it out"),
        (f"{TARGET}probes: ['json:http://127.0.0.1/${{S}}']", "a variable would be shown here"),
        (f"{TARGET}probes: ['command:./run ${{S}}']", "a variable would be shown here"),
        (f"{TARGET}probes: ['host,every=${{S}}']", "probes[0]: "),
    ],
)
def test_no_fault_quotes_a_value(files: Files, text: str, fault: str) -> None:
    """Nor can a value stand where it would be shown."""
    found = "\n".join(files.faults(text, {"S": SECRET}))
    assert fault in found
    assert SECRET not in found


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("${NO}", "the variable NO is not set: export NO=…, or write $${NO} to mean"),
        ("${EMPTY}", "the variable EMPTY is empty"),
        ("${a.b}", "'a.b' is no name of a variable: write $${a.b} to mean"),
        ("${}", "'' is no name of a variable"),
    ],
)
def test_a_variable_that_is_missing_is_a_fault_with_its_line(
    files: Files, text: str, fault: str
) -> None:
    """An empty one too: it is how a CI withholds a secret."""
    found = files.faults(f"{TARGET}requests:\n  - headers: {{A: '{text}'}}", {"EMPTY": ""})
    assert found[0].startswith("breakstep.yaml:3:18: requests[0].headers.A: ")
    assert fault in found[0]


@pytest.mark.parametrize(
    ("url", "value"),
    [
        ("http://127.0.0.1:${S}/", "8080"),
        ("${S}://127.0.0.1/", "https"),
        ("http://${S}/", "127.0.0.1"),
    ],
)
def test_no_variable_says_where_the_target_is(files: Files, url: str, value: str) -> None:
    """It would be shown, however right its value is."""
    (fault,) = files.faults(f"target: {{url: '{url}'}}", {"S": value})
    assert "so no variable can stand for it: write it out, or give --url" in fault


def test_a_probe_takes_no_setting_from_a_variable(files: Files) -> None:
    """How often it samples is in every result."""
    (fault,) = files.faults(f"{TARGET}probes: ['host,every=${{S}}']", {"S": "200ms"})
    assert "a variable would be shown here" in fault


def test_a_password_need_not_be_utf_8(files: Files) -> None:
    """It is sent as the bytes that the environment holds."""
    text = "target: {url: 'http://me:${S}@127.0.0.1/'}"
    (scenario,) = files.plan(text, environment={"S": "\udcff"}).scenarios
    assert scenario.headers == (("Authorization", "Basic " + b64encode(b"me:\xff").decode()),)


def test_a_variable_is_not_read_elsewhere(files: Files) -> None:
    """A command is for the shell, which reads its own."""
    plan = files.plan(f"{TARGET}load: {{between: 'restart ${{S}}', repeat: 2}}")
    assert plan.between == "restart ${S}"


@given(st.text(), st.text(min_size=1))
def test_a_text_without_variables_is_itself(text: str, value: str) -> None:
    """And with one, the value stands in its place, and is not read again."""
    plain = text.replace("$", "")
    assert expand(plain, {}).text == expand(plain, {}).shown == plain
    found = expand(f"{plain}${{A}}", {"A": value})
    assert (found.text, found.shown) == (f"{plain}{value}", f"{plain}***")
    assert found.values == {value}

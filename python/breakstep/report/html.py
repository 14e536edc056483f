"""`report.html`: one page that needs nothing but itself, and runs no script."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from breakstep.model.record import Result
from breakstep.report import chart
from breakstep.report.columns import COLUMNS, reason
from breakstep.report.conclusion import headline, rule, warnings
from breakstep.report.finding import finding_of


def render_html(result: Result, around: str = "") -> str:
    """The page. `result.plan` must be redacted already: all of it is shown.

    `around` is the second-by-second table around the break.
    """
    environment = Environment(
        loader=PackageLoader("breakstep.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    css = environment.get_template("report.css").render()
    charts = (chart.goodput_chart(result.steps), chart.response_chart(result.steps))
    return environment.get_template("report.html.j2").render(
        result=result,
        css=Markup(css),  # noqa: S704  our own file, and escaped it would not be what is hashed
        css_hash=b64encode(sha256(css.encode()).digest()).decode(),
        headline=headline(result),
        rule=rule(result.steps),
        warnings=warnings(result),
        finding=finding_of(result),
        around=around,
        charts=[drawing for drawing in charts if drawing is not None],
        canvas=chart,
        columns=COLUMNS,
        reasons=[says for step in result.steps if (says := reason(step)) is not None],
        plan=list(facts(result.plan)),
        environment=list(facts(result.environment)),
    )


def facts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """Every leaf of nested JSON values with its dotted name.

    >>> list(facts({"target": {"port": 80, "tls": False}}))
    [('target.port', '80'), ('target.tls', 'no')]
    """
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from facts(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list | tuple):
        yield name, ", ".join(text for inner in value for _, text in facts(inner)) or "none"
    else:
        yield name, _plain(value)


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)

"""`report.html` of a sweep: one page that needs nothing but itself, and runs no script."""

from base64 import b64encode
from hashlib import sha256

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from breakstep.model.record import Result
from breakstep.model.sweep import Sweep
from breakstep.report import sweep as words
from breakstep.report.html import facts


def render_sweep_html(result: Result, sweep: Sweep) -> str:
    """The page. `result.plan` must be redacted already: all of it is shown."""
    environment = Environment(
        loader=PackageLoader("breakstep.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    css = environment.get_template("report.css").render()
    lead, *sentences = words.conclusion(result, sweep).split("\n")
    compared = sweep.compare_open
    return environment.get_template("sweep.html.j2").render(
        result=result,
        sweep=sweep,
        css=Markup(css),  # noqa: S704  our own file, and escaped it would not be what is hashed
        css_hash=b64encode(sha256(css.encode()).digest()).decode(),
        headline=lead,
        sentences=sentences,
        columns=words.columns(sweep),
        comparison=() if compared is None else words.comparison_rows(compared),
        plan=list(facts(result.plan)),
        environment=list(facts(result.environment)),
    )

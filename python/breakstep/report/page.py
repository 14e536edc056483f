"""A page that needs nothing but itself: no script, nothing fetched, every string escaped.

A page is a head and sections in order. A section is a function from what is known to the values of
its template, or to None where it has nothing to say; see CONTRIBUTING.md for how to add one.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from breakstep.model.record import Result
from breakstep.report.bounded import bounded
from breakstep.report.page_text import PageText, unbroken
from breakstep.store.recorded import Recorded

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Material:
    """What a page is made of. `result.plan` must be redacted already: all of it is shown."""

    result: Result
    recorded: Recorded = field(default_factory=Recorded)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page. Its template is `NAME.html.j2`, and NAME is its anchor too."""

    name: str
    title: str
    values: Callable[[Material], Values | None]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number at the top of a page, with what it is and what limits it."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """The top of a page: the answer in a sentence, the numbers, what to know about them."""

    headline: str
    figures: Sequence[Figure] = ()
    sentences: Sequence[str] = ()
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    title: str
    body: Markup


def render_page(head: Head, sections: Sequence[Section], material: Material) -> str:
    """The page. What it is made of is cut to what a page shows, so that no section handles more."""
    templates, material = _templates(), _bounded(material)
    css = (
        templates.get_template("palette.css").render()
        + templates.get_template("report.css").render()
    )
    # The head is made first: where a page is full, it is not what is cut.
    top = templates.get_template("head.html.j2").render(head=head)
    return templates.get_template("page.html.j2").render(
        head=_ours(top),
        result=material.result,
        css=_ours(css),
        css_hash=b64encode(sha256(css.encode()).digest()).decode(),
        parts=_parts(templates, sections, material),
    )


def _bounded(material: Material) -> Material:
    recorded = material.recorded
    series = tuple(replace(one, signal=bounded(one.signal)) for one in recorded.series)
    return Material(bounded(material.result), replace(recorded, series=series))


def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("breakstep.report"),
        autoescape=True,
        finalize=PageText(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters["unbroken"] = unbroken
    return templates


def _parts(templates: Environment, sections: Sequence[Section], material: Material) -> list[_Part]:
    """The sections that have something to say."""
    parts = []
    for section in sections:
        values = section.values(material)
        if values is not None:
            body = templates.get_template(f"{section.name}.html.j2").render(values)
            parts.append(_Part(section.name, section.title, _ours(body)))
    return parts


def _ours(markup: str) -> Markup:
    """What our own templates made is escaped already."""
    return Markup(markup)  # noqa: S704

"""Which results are read: those of format `breakstep.result/N` with N = 1.

Within one N fields are only ever added. Who reads passes over those that he does not know, and
takes those that an older breakstep did not write yet for unknown. A change of meaning gets the
next N: an older breakstep then refuses the file instead of misreading it.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from breakstep.model.errors import StoreError
from breakstep.model.record import FORMAT

_NAME, _, _VERSION = FORMAT.rpartition("/")

Record = TypeVar("Record")


def check_format(found: object) -> None:
    """Raises StoreError for a document that this breakstep does not read."""
    if found == FORMAT:
        return
    name, _, version = str(found).rpartition("/")
    if name == _NAME and version.isdecimal() and int(version) > int(_VERSION):
        raise StoreError(
            f"a newer breakstep wrote this: its format is {found!r} and this one reads {FORMAT!r}; "
            "read it with that version, or upgrade this one"
        )
    raise StoreError(
        f"this is not a result that this breakstep reads: its format is {found!r}, not {FORMAT!r}"
    )


def known(kind: type[Record], values: Mapping[str, Any]) -> Record:
    """A record from what of `values` it has a place for: later versions may have added more.

    Raises TypeError where one that it needs is missing.
    """
    names = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in values.items() if name in names})

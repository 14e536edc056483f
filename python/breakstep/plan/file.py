"""A load-model file, read into the words of the flags."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from breakstep.model.errors import PlanError
from breakstep.plan.faults import Faults
from breakstep.plan.file_keys import FILE
from breakstep.plan.file_words import flags_of
from breakstep.plan.reading import Part, Reading, TooMuchError
from breakstep.plan.tree import Node, parse_tree
from breakstep.plan.words import Flags

SIZE_MAX = 2**20


def read_file(path: Path, environment: Mapping[str, str] = os.environ) -> Flags:
    """What a file asks for; its paths are taken from where it lies.

    What its words mean is not asked yet: they are those of flags, and faults of its shape are kept
    for the plan to tell together with the others. Raises PlanError if there is nothing to read.
    """
    reading = Reading(str(path), environment, Faults())
    document = _document(_text(path), reading)
    flags = replace(
        flags_of(document, path.parent, lambda said: said.value),
        faults=tuple(reading.faults.found),
        hidden=frozenset(reading.values),
    )
    if not reading.values:
        return flags
    return replace(flags, shown=flags_of(document, path.parent, lambda said: said.shown))


def _document(text: str, reading: Reading) -> Part:
    root = parse_tree(text, reading.file, reading.faults)
    reading.faults.raise_if_any()
    try:
        return FILE.read(cast("Node", root), "", reading)
    except TooMuchError:
        reading.faults.raise_if_any()
        raise


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(SIZE_MAX + 1)
    except OSError as error:
        remedy = "`breakstep init URL` writes one"
        raise PlanError([f"{path}: cannot be read: {error.strerror}; {remedy}"]) from error
    if len(content) > SIZE_MAX:
        raise PlanError([f"{path}: larger than 1 MB: put bodies into files: data: '@FILE'"])
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PlanError([f"{path}:{line}:1: not UTF-8: save it as UTF-8"]) from error

"""The examples in the docstrings."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import breakstep.analysis
import breakstep.capacity
import breakstep.model
import breakstep.plan
import breakstep.report
import breakstep.search
import breakstep.store

PACKAGES = (
    breakstep.model,
    breakstep.plan,
    breakstep.analysis,
    breakstep.search,
    breakstep.capacity,
    breakstep.store,
    breakstep.report,
)
MODULES = [
    "breakstep.api",
    *(
        f"{package.__name__}.{module.name}"
        for package in PACKAGES
        for module in pkgutil.iter_modules(package.__path__)
    ),
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_hold(name: str) -> None:
    """What a docstring shows is what happens."""
    assert doctest.testmod(import_module(name)).failed == 0

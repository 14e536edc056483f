"""Every experiment that is there can be asked for, and is put together soundly."""

import pytest

from breakstep.lab import catalog
from breakstep.lab.needs import NEEDS
from breakstep.model.errors import PlanError


@pytest.mark.parametrize("name", catalog.names())
def test_an_experiment_is_what_its_file_says(name: str) -> None:
    """Its name is that of the file, its truths speak of its runs, its needs can be installed.

    Only an open question has no truths.
    """
    experiment = catalog.load(name)
    keys = [run.key for run in experiment.runs]
    assert experiment.name == name
    assert len(set(keys)) == len(keys) > 0
    assert experiment.truths or "/open-" in name
    assert all(set(truth.keys) <= set(keys) for truth in experiment.truths)
    assert set(experiment.needs) <= set(NEEDS)
    assert experiment.shows.endswith(".")


def test_a_group_and_all_stand_for_their_experiments() -> None:
    """`single` is a group, `all` is everything; nothing is carried out twice."""
    single = [one.name for one in catalog.chosen(["single", "single/sweep"])]
    assert "single/sweep" in single
    assert len(single) == len(set(single))
    assert [one.name for one in catalog.chosen(["all"])] == catalog.names()


def test_every_wrong_name_is_told_with_the_one_that_was_meant() -> None:
    """All faults at once, each with a remedy."""
    with pytest.raises(PlanError) as error:
        catalog.chosen(["single/sweeep", "nothing"])
    assert error.value.faults == (
        "'single/sweeep' is no experiment: did you mean single/sweep?",
        "'nothing' is no experiment: `breakstep lab list` shows them all",
    )

"""After the search a change, and the search again: whether the breaking load moved."""

from collections.abc import Mapping
from typing import Any

from breakstep.diagnosis.experiment import shift
from breakstep.model.plan import Experiment
from breakstep.model.record import Answer
from breakstep.search.answer import Terms
from breakstep.session.passes import Pass
from breakstep.store.result_json import answer_to_json, run_to_json


def experiment_section(
    experiment: Experiment, before: Answer, after: Pass, terms: Terms
) -> Mapping[str, Any]:
    """`experiment` of result.json: the run after the change, and what the change did."""
    answer = after.answer(terms)
    found = shift(before, answer, experiment.raised)
    return {
        "raised": experiment.raised,
        "moved": found.moved,
        "ratio": found.ratio,
        "says": found.says,
        "answer": answer_to_json(answer),
        "run": run_to_json(after.record()),
    }

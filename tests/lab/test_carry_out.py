"""An experiment is carried out run by run; what could not be judged is measured again."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from breakstep.lab import catalog, run
from breakstep.lab.carry_out import ATTEMPTS, Supervisor
from breakstep.lab.experiment import Bench, Experiment, Figure, Found, Held, Measured, Run, Truth
from breakstep.lab.made import LabResult
from breakstep.lab.place import Cores
from breakstep.lab.report import report_text, verdict_text
from breakstep.lab.report_json import envelope
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.none import none
from breakstep.lab.truths import figure
from breakstep.model.errors import LabError


def test_a_run_is_made_again_only_while_a_truth_about_it_cannot_be_judged(tmp_path: Path) -> None:
    """Twice nothing to go by, then a number: three attempts of that run, one of the other."""
    result = carried_out(tmp_path, after=2)
    assert [(one.key, one.attempt) for one in result.made] == [
        ("shy", 1),
        ("plain", 1),
        ("shy", 2),
        ("shy", 3),
    ]
    assert result.held


def test_a_truth_that_never_could_be_judged_has_not_held(tmp_path: Path) -> None:
    """It is tried three times, and is then said to be undecided, not true."""
    result = carried_out(tmp_path, after=ATTEMPTS)
    assert sum(one.key == "shy" for one in result.made) == ATTEMPTS
    assert not result.held
    assert "Could not be judged: shy is seven." in verdict_text(result)


def test_every_run_has_a_stack_and_files_of_its_own(tmp_path: Path) -> None:
    """The directories of attempts differ, and none of the stacks is left."""
    result = carried_out(tmp_path, after=1)
    assert [one.directory for one in result.made] == ["shy", "plain", "shy-2"]
    assert [path.name for path in (tmp_path / "labs").iterdir()] == ["lock"]


def test_the_report_shows_ours_beside_theirs_and_each_truth(tmp_path: Path) -> None:
    """For people and for programs."""
    result = carried_out(tmp_path, after=0, plain=6.0)
    text = report_text(result)
    assert "| the number | 7 | 8 |" in text
    assert "- held: shy is seven: number 7" in text
    assert "- MISSED: plain is seven: number 6" in text
    assert "Missed: plain is seven." in text
    section = envelope(result)["lab"]
    assert section["held"] is False
    assert [truth["ok"] for truth in section["truths"]] == [True, False]
    assert section["figures"] == [{"name": "the number", "ours": "7", "elsewhere": "8"}]


def carried_out(folder: Path, after: int, plain: float = 7.0) -> LabResult:
    """An experiment of two runs; the first brings nothing until `after` attempts are over."""
    base = folder / "labs"
    base.mkdir()
    return Supervisor(
        experiment(shy(after), plain), base, folder, Cores(), lambda _line: None
    ).carry_out()


def experiment(load: Callable[[Stack, Bench], Measured], plain: float) -> Experiment:
    """Two runs of no server, and a truth about each."""

    def ours(found: Found) -> str:
        return f"{found['shy'].figures['number']:g}"

    def steady(_stack: Stack, _bench: Bench) -> Measured:
        return Measured(figures={"number": plain})

    return Experiment(
        name="test/lab",
        title="a test",
        shows="Nothing of the world.",
        runs=(Run("shy", none, load), Run("plain", none, steady)),
        truths=(seven("shy"), seven("plain")),
        elsewhere=(Figure("the number", "8", ours),),
    )


def seven(key: str) -> Truth:
    """Its number is seven."""
    return figure(f"{key} is seven", key, "number", at_least=7.0, at_most=7.0)


def shy(after: int) -> Callable[[Stack, Bench], Measured]:
    """A load that brings its number only once it was asked often enough."""
    asked: list[str] = []

    def load(_stack: Stack, bench: Bench) -> Measured:
        asked.append(bench.out.name)
        return Measured(figures={"number": 7.0} if len(asked) > after else {})

    return load


def test_a_truth_says_what_it_saw() -> None:
    """A bound on either side."""
    truth = figure("between", "a", "number", at_least=1.0, at_most=2.0)
    assert truth.judge({"a": Measured(figures={"number": 1.5})}) == Held(ok=True, ours="number 1.5")
    assert truth.judge({"a": Measured(figures={"number": 2.5})}).ok is False
    assert truth.judge({"a": Measured()}) == Held(ok=None, ours="number was not measured")


def test_an_experiment_that_fails_does_not_keep_the_next_from_being_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its error is said, the other's report is written, and the end says which failed."""

    def broken(_stack: Stack, _bench: Bench) -> Measured:
        raise LabError("the server did not start")

    first = replace(experiment(broken, 7.0), name="test/broken")
    both = [first, experiment(shy(0), 7.0)]
    monkeypatch.setattr(catalog, "chosen", lambda _names: both)
    monkeypatch.setattr(run, "base_directory", lambda: tmp_path)
    said: list[str] = []
    with pytest.raises(LabError, match="could not be carried out: test/broken"):
        run.run_all(["all"], tmp_path / "out", said.append)
    assert "test/broken: error: the server did not start" in said
    assert (tmp_path / "out" / "test" / "lab" / "report.md").exists()

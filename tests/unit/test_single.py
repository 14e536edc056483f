"""The controller of a gate: one load, once more if it could not be trusted."""

from fakes import record

from breakstep.model.plan import Step
from breakstep.model.record import VerdictName
from breakstep.search.answer import Terms
from breakstep.search.controller import Done, StepShape
from breakstep.search.single import Single, answer, verdict_of

SHAPE = StepShape(ramp_ns=0, warmup_ns=2, hold_ns=40, run_seed=7)
LOOKS = (10, 20, 40)
ONE = Single(100.0, LOOKS, SHAPE)
TERMS = Terms((), assumed=False, arrivals="poisson")


def after(*verdicts: VerdictName) -> Step | Done:
    """What comes after steps with these verdicts."""
    return ONE.next_step([record(i, 100.0, verdict) for i, verdict in enumerate(verdicts)])


def test_it_offers_the_load_with_its_looks() -> None:
    """One step at the rate, held until its last look."""
    step = after()
    assert isinstance(step, Step)
    assert (step.rate_per_s, step.hold_ns, step.looks_ns) == (100.0, 40, LOOKS)


def test_a_verdict_ends_it() -> None:
    """Pass, fail and undecided are each the end."""
    reasons = {}
    for verdict in ("pass", "fail", "undecided"):
        done = after(verdict)
        assert isinstance(done, Done)
        reasons[verdict] = done.stop_reason
    assert reasons == {"pass": "ceiling", "fail": "floor", "undecided": "budget"}


def test_an_invalid_step_is_measured_once_more() -> None:
    """With another seed; invalid again is the end, and what the second one says counts."""
    again = after("invalid")
    assert isinstance(again, Step)
    assert again.seed != ONE.shape.step(0, 100.0).seed
    twice = after("invalid", "invalid")
    assert isinstance(twice, Done)
    assert twice.stop_reason == "untrusted"
    assert after("invalid", "pass") == after("pass")


def test_the_answer_is_in_the_words_of_a_search() -> None:
    """What held, what broke, or nothing."""
    said = {}
    for verdict in ("pass", "fail", "undecided", "invalid"):
        history = [record(0, 100.0, verdict)]
        found = answer(history, Done("ceiling", ""), TERMS)
        said[verdict] = (found.status, found.sustainable_per_s, found.broken_per_s)
    assert said == {
        "pass": ("above_ceiling", 100.0, None),
        "fail": ("below_floor", None, 100.0),
        "undecided": ("inconclusive", None, None),
        "invalid": ("untrusted", None, None),
    }


def test_an_interrupted_load_has_no_verdict() -> None:
    """Whatever was seen until then."""
    assert verdict_of([record(0, 100.0, "fail")], Done("interrupted", "")) == "undecided"

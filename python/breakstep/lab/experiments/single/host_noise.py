"""What this machine does to a thread that only sleeps: wake-ups by second of the minute."""

from breakstep.lab.experiment import Bench, Experiment, Figure, Found, Measured, Run
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.none import none
from breakstep.lab.truths import figure
from breakstep.model.units import NS_PER_MS, NS_PER_S
from breakstep.session.doctor import Patient, calibrate, listen
from breakstep.session.interrupts import interrupts

LISTEN_S, CALIBRATE_S = 122, 10
SECONDS = 60


def _listen(stack: Stack, bench: Bench) -> Measured:
    """A thread on the app's core sleeps; then the same work again and again."""
    bench.say(f"listening for {LISTEN_S} s")
    cores = tuple(stack.facts["cores"])
    with interrupts() as stopping:
        heard = listen(Patient(LISTEN_S * NS_PER_S, cores), stopping)
        steady = calibrate(CALIBRATE_S * NS_PER_S, stopping)
        interrupted = stopping()
    if interrupted:
        raise KeyboardInterrupt
    watched = heard.watched_by_second
    dense = [n / max(s, 1.0) for n, s in zip(heard.by_second, watched, strict=True)]
    return Measured(
        figures={
            "late_wakeups": float(sum(heard.by_second)),
            "worst_ms": heard.worst_ns / NS_PER_MS,
            "seconds_watched": float(sum(seen > 0.5 for seen in watched)),
            "start_of_minute": sum(dense[:5]) / 5 / (sum(dense) / SECONDS or 1.0),
            "work_spread": 0.0 if steady is None else steady.spread,
            "work_rounds": 0.0 if steady is None else float(steady.rounds),
        },
        facts=stack.facts,
    )


def _wakeups(found: Found) -> str:
    figures = found["idle"].figures
    return (
        f"{figures['late_wakeups']:.0f} over 1 ms in {LISTEN_S} s, worst "
        f"{figures['worst_ms']:.3g} ms"
    )


def _start(found: Found) -> str:
    return f"{found['idle'].figures['start_of_minute']:.2g} times"


def _work(found: Found) -> str:
    return f"±{100 * found['idle'].figures['work_spread']:.2g} %"


EXPERIMENT = Experiment(
    name="single/host-noise",
    title="what the machine does to a thread that only sleeps",
    shows="Some wake-ups come late on any shared machine, in some seconds of the minute more than "
    "in others: what stands below that in a result is the machine, not the service.",
    runs=(Run("idle", none, _listen),),
    truths=(
        figure("every second of the minute was watched", "idle", "seconds_watched", at_least=60),
        figure("the fixed work was timed", "idle", "work_rounds", at_least=50),
    ),
    elsewhere=(
        Figure("late wake-ups", "94 over 30 ms in 130 s, worst 147 ms", _wakeups),
        Figure("density in the first five seconds of a minute", "2.9 times", _start),
        Figure("the same work again and again", "±7 %", _work),
    ),
)

"""`breakstep interfere` as a load of a lab, and the truths about its ratios."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from breakstep.analysis.trust import CPU_NOISY
from breakstep.analysis.words import percent
from breakstep.lab.experiment import Bench, Found, Held, Measured, Truth
from breakstep.lab.stack import Stack
from breakstep.plan.interfere_flags import OfferFlags, interfere_from_flags
from breakstep.plan.words import Flags
from breakstep.report.progress import Silent
from breakstep.session.around import Around, new_run
from breakstep.session.interfere import interfere
from breakstep.session.interrupts import interrupts
from breakstep.store.interfere_json import SECTION


@dataclass(frozen=True, slots=True)
class Beside:
    """A victim with so many connections, alone and beside a bully with so many."""

    victim: str
    victim_connections: int
    bully: str
    bully_connections: int
    repeat: int = 3

    def __call__(self, stack: Stack, bench: Bench) -> Measured:
        """Measures both."""
        bench.say(f"{self.victim} alone, then beside {self.bully}, {self.repeat} times")
        flags = Flags(
            url=stack.url + self.victim,
            hold="3s",
            probe=stack.probes,
            pin=",".join(map(str, bench.cores.generator)) or None,
        )
        offers = (
            OfferFlags("victim", connections=self.victim_connections),
            OfferFlags("bully", connections=self.bully_connections),
        )
        plan = interfere_from_flags(flags, stack.url + self.bully, offers, self.repeat)
        with interrupts() as stopping:
            silent = Around(new_run(), bench.out, Silent(), lambda _line: None, stopping)
            result = interfere(plan, silent)
            interrupted = stopping()
        if interrupted:
            raise KeyboardInterrupt
        return Measured(result, _figures(result.sections[SECTION]), stack.facts)


def ratio(
    key: str, name: str, *, at_least: float | None = None, at_most: float | None = None
) -> Truth:
    """The ratio, under load over alone, of the repeat in the middle is beyond this bound."""

    def judge(found: Found) -> Held:
        section = _section(found[key])
        values = section[name]
        if values is None:
            return Held(None, str(section["why"]))
        low, middle, high = values
        over = at_least is None or middle >= at_least
        under = at_most is None or middle <= at_most
        return Held(over and under, f"{middle:.3g} ({low:.3g} to {high:.3g})")

    bound = f"at least {at_least:g}" if at_least is not None else f"at most {at_most:g}"
    return Truth(f"{key}: {name.replace('_', ' ')} {bound}", (key,), judge)


def headroom(key: str) -> Truth:
    """The generator could have sent more than the victim took."""

    def judge(found: Found) -> Held:
        share = _section(found[key])["headroom"]["busiest_worker_share"]
        if share is None:
            return Held(None, "not measured")
        return Held(share <= CPU_NOISY, f"its busiest thread used {percent(share)} of a core")

    return Truth(f"{key}: the generator had room, by its own CPU", (key,), judge)


def ratio_text(measured: Measured, name: str) -> str:
    """A figure of these runs, where there is one."""
    value = measured.figures.get(name)
    return "withheld" if value is None else f"{value:.3g}"


def _section(measured: Measured) -> Mapping[str, Any]:
    if measured.result is None:
        raise TypeError("a run of `interfere` has a result")
    section: Mapping[str, Any] = measured.result.sections[SECTION]
    return section


def _figures(section: Mapping[str, Any]) -> Mapping[str, float]:
    throughput, under = section["throughput_ratio"], section["victim"]["under_load"]
    figures = {}
    if throughput is not None and throughput[1]:
        figures["throughput_fall"] = 1.0 / throughput[1]
    if under is not None and under["response_ms"]["p99"]:
        figures["p99_under_load_ms"] = under["response_ms"]["p99"]
    return figures

"""What doctor found, as plain text: one row a fact, the checks, what to raise, one sentence."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from breakstep.analysis.examination import Examination, Noise
from breakstep.analysis.host_noise import WAKE_TRUSTED
from breakstep.analysis.judgeable import Judgeable
from breakstep.analysis.periodicity import PERIODS_S, PERIODS_SEEN, observable
from breakstep.analysis.words import counted, percent
from breakstep.engine.host.settings import Settings
from breakstep.model.record import Check, Trust
from breakstep.model.slo import quantile_name
from breakstep.model.units import NS_PER_S, format_duration, format_rate

if TYPE_CHECKING:
    from breakstep.engine.host.counters import HostUse
    from breakstep.engine.host.null_target import Generated

OPEN_FILES_ENOUGH = 10_064
"""For the 10 000 connections that a plan may open by default."""
PORTS_ENOUGH = 20_000
SOMAXCONN_ENOUGH = 1024
GENERATOR_FULL = 0.95
BAR_WIDTH = 40
WATCHED_ENOUGH = 0.5
_NAME_WIDTH = 20


def examination_text(found: Examination) -> str:
    """Everything, for a terminal of any width; a paragraph each."""
    rows = [
        *settings_rows(found.settings),
        *use_rows(found.quiet.use),
        *judged_rows(found.judged, "wake-ups late"),
        *judged_rows(found.judged_loaded, "  at full load"),
        *(() if found.generated is None else generated_rows(found.generated)),
    ]
    remedies = "\n".join(f"raise: {says}" for says in raises(found.settings))
    parts = (
        table(rows),
        checks_table(found.trust.checks),
        remedies,
        "Interrupted: the rest was not looked at." if found.interrupted else "",
        verdict_sentence(found.trust, found.judged),
    )
    return "\n\n".join(part for part in parts if part)


def noise_text(found: Noise) -> str:
    """The histogram by second of the minute, and what it shows."""
    period = None if found.period is None else found.period.says()
    events = sum(found.by_second)
    return (
        "wake-ups more than 1 ms late, each second, by second of the minute\n"
        f"{noise_bars(found.by_second, found.watched_by_second)}\n\n"
        f"{noise_sentence(events, found.watched_ns, found.worst_ns, period)}"
        f"{_untested(found.watched_ns)}"
    )


def settings_rows(settings: Settings) -> Iterator[tuple[str, str]]:
    """The machine's settings; those it does not say are left out."""
    cores = ", ".join(map(str, settings.cores))
    quota = "" if settings.quota_cores is None else f", limited to {settings.quota_cores:g}"
    yield "cores", f"{len(settings.cores)} ({cores}){quota}"
    optional = (
        ("governor", settings.governor),
        ("turbo", _on(settings.turbo)),
        ("hyperthreading", _on(settings.smt)),
        ("clock source", settings.clock_source),
    )
    yield from ((name, value) for name, value in optional if value is not None)
    if settings.pressure is not None:
        yield "waiting for a core", f"{percent(settings.pressure)} of the last ten seconds"
    low, high = settings.local_ports
    soft, hard = settings.open_files
    yield "open files", f"{counted(soft)}, up to {counted(hard)}"
    yield "local ports", f"{counted(high - low + 1)} ({low} to {high})"
    if settings.somaxconn is not None:
        yield "accept queue at most", counted(settings.somaxconn)


def use_rows(use: "HostUse") -> Iterator[tuple[str, str]]:
    """What others did on the machine while we looked on."""
    others = max(0.0, use.busy_cores - use.process_cores)
    yield "others use", f"{others:.2f} cores of {len(use.cores)}"
    yield "stolen", percent(use.steal)


def judged_rows(found: Sequence[Judgeable], name: str) -> Iterator[tuple[str, str]]:
    """Lateness of wake-ups by quantile."""
    if found:
        parts = (f"{quantile_name(one.quantile)} {format_duration(one.late_ns)}" for one in found)
        yield name, ", ".join(parts)


def generated_rows(generated: "Generated") -> Iterator[tuple[str, str]]:
    """How much one worker generates here."""
    full = generated.generator_share >= GENERATOR_FULL
    limit = "its core was full" if full else "the server was the limit: at least this"
    yield "one worker", f"{format_rate(generated.rate_per_s)}/s; {limit}"
    yield "CPU for a request", f"{format_duration(generated.request_cpu_ns)} of the generator"


def raises(settings: Settings) -> tuple[str, ...]:
    """The limits worth raising, each with the command."""
    found = []
    low, high = settings.local_ports
    if settings.open_files[1] < OPEN_FILES_ENOUGH:
        found.append(
            f"open files: {counted(settings.open_files[1])} allow fewer than 10 000 connections; "
            "ulimit -n 65536"
        )
    if high - low + 1 < PORTS_ENOUGH:
        found.append(
            f"local ports: {counted(high - low + 1)} allow as many connections to one address; "
            "sysctl net.ipv4.ip_local_port_range='1024 65535'"
        )
    if settings.somaxconn is not None and settings.somaxconn < SOMAXCONN_ENOUGH:
        found.append(
            f"accept queue: {counted(settings.somaxconn)} refuse a burst on a service of this "
            "machine; sysctl net.core.somaxconn=4096"
        )
    if settings.governor in ("powersave", "ondemand", "conservative"):
        found.append(
            f"governor: {settings.governor} changes the cores' speed; "
            "cpupower frequency-set -g performance"
        )
    if settings.quota_cores is not None and settings.quota_cores < len(settings.cores):
        found.append(
            f"CPU limit: {settings.quota_cores:g} cores for this container; above it the "
            "generator stands still for the rest of each period"
        )
    return tuple(found)


def verdict_sentence(trust: Trust, judged: Sequence[Judgeable]) -> str:
    """What may be measured here, and what not."""
    breached = "; ".join(check.says for check in trust.checks if check.verdict == trust.verdict)
    if trust.verdict == "invalid":
        return f"Do not measure here: {breached}."
    if not judged:
        return "Nothing can be said of SLOs: too short a look."
    allowed = ", ".join(map(str, judged))
    tail = judged[-1]
    says = (
        f"Can be judged here: {allowed}, and longer bounds. Not shorter ones: "
        f"{percent(1.0 - tail.quantile)} of wake-ups come {format_duration(tail.late_ns)} late, "
        f"and {percent(WAKE_TRUSTED)} of the bound is the limit."
    )
    return f"{says} Noisy: {breached}." if trust.verdict == "noisy" else says


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Names and values in two columns."""
    return "\n".join(f"{name:<{_NAME_WIDTH}}  {value}" for name, value in rows)


def checks_table(checks: Sequence[Check]) -> str:
    """A row a check: its verdict, its name, what it says."""
    return "\n".join(f"{check.verdict:<8} {check.name:<18}  {check.says}" for check in checks)


def noise_bars(by_second: Sequence[int], watched: Sequence[float]) -> str:
    """A bar for each second of the minute, as long as it is noisy: events a second watched.

    One that was hardly watched shows a dash.
    """
    density = [
        count / seen if seen >= WATCHED_ENOUGH else None
        for count, seen in zip(by_second, watched, strict=True)
    ]
    most = max((one for one in density if one is not None), default=0.0) or 1.0
    return "\n".join(
        f":{second:02d} " + (f"{'–':>7}" if one is None else _bar(one, most))
        for second, one in enumerate(density)
    )


def noise_sentence(events: int, watched_ns: int, worst_ns: int, period: str | None) -> str:
    """How many, how late, and when."""
    watched = f"{watched_ns / NS_PER_S:.0f} s"
    if events == 0:
        return f"No wake-up was more than 1 ms late in {watched}."
    when = "They keep no period." if period is None else f"They come {period}."
    return (
        f"{counted(events)} wake-ups were more than 1 ms late in {watched}, the worst by "
        f"{format_duration(worst_ns)}. {when}"
    )


def _untested(watched_ns: int) -> str:
    """The next period that this look could not have shown, and how long it takes."""
    left = [period_s for period_s in PERIODS_S if period_s not in observable(watched_ns)]
    if not left:
        return ""
    after = format_duration(left[0] * PERIODS_SEEN * NS_PER_S)
    return f" A period of {left[0]} s would show after {after}."


def _bar(density: float, most: float) -> str:
    return f"{density:>7.1f} {'#' * round(BAR_WIDTH * density / most)}".rstrip()


def _on(value: bool | None) -> str | None:  # noqa: FBT001  a fact, not a switch
    return None if value is None else ("on" if value else "off")

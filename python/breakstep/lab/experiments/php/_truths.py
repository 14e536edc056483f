"""Truths of the PHP labs: which CPU breaks first, and at what load."""

from breakstep.analysis.words import percent
from breakstep.lab.experiment import Found, Held, Measured, Truth
from breakstep.lab.experiments.php._readings import cost_ms
from breakstep.lab.knees import knee_of, why_none
from breakstep.lab.truths import DISTURBED
from breakstep.model.units import format_rate

_MS_PER_S = 1000.0
_CPU_KINDS = ("cpu_workers", "database_cpu")


def breaks_of_cpu(key: str) -> Truth:
    """CPU is named, of PHP or of the database: which one depends on the cores that each has."""

    def judge(found: Found) -> Held:
        result = found[key].result
        said = None if result is None else result.sections.get("diagnosis")
        if said is None or knee_of(found[key]) is None:
            return Held(None, f"no diagnosis: {why_none(found[key])}")
        named = f"{said['kind']} of {said['resource']} ({said['confidence']})"
        ok = None if said["kind"] in DISTURBED else said["kind"] in _CPU_KINDS
        return Held(ok, named)

    return Truth(f"{key} breaks of CPU, PHP's or the database's", (key,), judge)


def near_the_ceiling(key: str, *, within: float) -> Truth:
    """It breaks where the CPU of the first side to fill up is used up.

    A side of c cores on which a request costs D ms of CPU carries c · 1000 / D requests a second.
    D is the slope of the CPU over the light loads.
    """

    def judge(found: Found) -> Held:
        knee, ceiling = knee_of(found[key]), ceiling_per_s(found[key])
        if knee is None or ceiling is None:
            return Held(None, "too few loads to tell" if knee else why_none(found[key]))
        low, high = knee.low_per_s * (1 - within), knee.high_per_s * (1 + within)
        return Held(low <= ceiling <= high, f"{knee}, CPU ends at {format_rate(ceiling)}/s")

    claim = f"{key} breaks within {percent(within)} of where the CPU of a request puts its end"
    return Truth(claim, (key,), judge)


def ceiling_per_s(measured: Measured) -> float | None:
    """The load at which the app's cores or the database's are used up, whichever is first."""
    facts = measured.facts
    app, database = _app_ms(measured), cost_ms(measured, "db")
    sides = [(app, facts["app_cores"]), (database, facts["database_cores"])]
    return min((cores * _MS_PER_S / cost for cost, cores in sides if cost), default=None)


def _app_ms(measured: Measured) -> float | None:
    php, nginx = cost_ms(measured, "php"), cost_ms(measured, "nginx")
    return None if php is None else php + (nginx or 0.0)

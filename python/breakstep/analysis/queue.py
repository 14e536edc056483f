"""Whether arrivals outran completions: flow balance over a step's window.

    z     = (N_end − N_start) / √(2 · completions)      in standard deviations
    drift = (N_end − N_start) / arrivals                 as a share of the arrivals

N is the number in flight. The difference is a sum of arrivals minus completions; with both about
Poisson its variance is 2 · completions, which is where √2 comes from (it is an upper bound for
evenly spaced arrivals). A trend test on N itself would cry wolf near saturation, where N wanders
for a long time without growing.
"""

from math import sqrt

from breakstep.model.record import Queue

GROWING_Z = 2.33
GROWING_DRIFT = 0.01
STABLE_Z = 1.64
STABLE_DRIFT = 0.05


def classify(in_flight_start: int, in_flight_end: int, completions: int, arrivals: int) -> Queue:
    """`growing`, `stable`, or `unknown` when the window is too short to tell."""
    if arrivals == 0:
        return "unknown"
    change = in_flight_end - in_flight_start
    flow = max(completions, 1)
    drift = change / arrivals
    if change / sqrt(2 * flow) > GROWING_Z and drift > GROWING_DRIFT:
        return "growing"
    if drift + STABLE_Z * sqrt(2 / flow) < STABLE_DRIFT:
        return "stable"
    return "unknown"

"""Quantiles and tails of the usual distributions; SciPy, slow to load, only when needed."""
# ruff: noqa: PLC0415


def normal_quantile(share: float) -> float:
    """The z that a standard normal stays below with this probability."""
    from scipy.special import ndtri  # type: ignore[import-untyped, unused-ignore]

    return float(ndtri(share))


def student_quantile(freedom: int, share: float) -> float:
    """The t that Student's distribution stays below with this probability."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


def student_two_sided(freedom: int, t: float) -> float:
    """The probability of a t at least as far from 0."""
    from scipy.special import stdtr

    return float(2.0 * stdtr(freedom, -abs(t)))


def beta_quantile(share: float, a: float, b: float) -> float:
    """The value that Beta(a, b) stays below with this probability."""
    from scipy.special import betaincinv

    return float(betaincinv(a, b, share))

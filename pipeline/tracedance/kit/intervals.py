"""Confidence intervals of shares, written out because statsmodels takes seconds to import."""

import math
from statistics import NormalDist


def wilson(successes: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """The two-sided Wilson score interval (low, high) of `successes` out of `n`.

    Wilson 1927, "Probable inference, the law of succession, and statistical inference", JASA 22, p. 209-212: the rates p for
    which |successes/n - p| <= z sqrt(p(1-p)/n). Agrees with statsmodels' `proportion_confint(method="wilson")`; the low end is
    exactly 0 at no success and the high end exactly 1 at n. A rate over more trials than n independent ones goes in as the fraction
    rate * n, and an effective number of trials as it is. Raises ValueError for n < 1, for which there is no interval.
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"No interval exists for {successes} successes out of {n}: needs 0 <= successes <= n and n >= 1.")
    if not 0 < confidence < 1:
        raise ValueError(f"The confidence must lie between 0 and 1, not {confidence}.")
    z2 = NormalDist().inv_cdf(0.5 + confidence / 2) ** 2
    centre = (successes + z2 / 2) / (n + z2)
    margin = math.sqrt(z2 * (successes * (n - successes) / n + z2 / 4)) / (n + z2)
    low = 0.0 if successes == 0 else max(0.0, centre - margin)
    high = 1.0 if successes == n else min(1.0, centre + margin)
    return low, high


def exact(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The two-sided Clopper-Pearson interval (low, high) of `successes` out of `n`; (0, 1) where n is 0.

    Clopper and Pearson 1934, "The use of confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26,
    p. 404-413: low is the alpha/2 quantile of Beta(k, n - k + 1), high the 1 - alpha/2 quantile of Beta(k + 1, n - k). It never covers
    less often than it says, also where n was drawn without replacement.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"No interval exists for {successes} successes out of {n}: needs 0 <= successes <= n.")
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    return low, high

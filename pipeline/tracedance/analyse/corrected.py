"""Pass rates as people would have given them, from a panel whose errors are known from labels."""

import math
from dataclasses import dataclass
from statistics import NormalDist

from tracedance.analyse.agreement import Judged
from tracedance.kit.intervals import wilson

FEW_LABELS = 20
"""Labels that people passed, or failed, under which the correction is said to rest on little."""
UNTOLD = 0.95
"""Width of an interval from which on it says nothing: nearly the whole range."""
CURE = "'tracedance labels sample --kind response' draws more to label."


@dataclass(frozen=True)
class Corrected:
    """A pass rate corrected for the panel's sensitivity and specificity, with an interval that knows how well they are known."""

    raw: float
    rate: float | None
    """None where labels do not tell: `note` says why, and the cure."""
    low: float
    high: float
    sensitivity: float
    specificity: float
    labels: tuple[int, int]
    """Labels that people passed, and that they failed."""
    note: str = ""


def rogan_gladen(raw: float, sensitivity: float, specificity: float) -> float:
    """The true rate behind a raw one: (raw + specificity - 1) / (sensitivity + specificity - 1), held to 0..1.

    Rogan and Gladen 1978, "Estimating prevalence from the results of a screening test", Am. J. Epidemiol. 107, p. 71-76. ValueError where
    sensitivity + specificity is at most 1: such a panel tells nothing.
    """
    youden = sensitivity + specificity - 1
    if youden <= 0:
        raise ValueError("A panel whose sensitivity and specificity sum to 1 or less says nothing of people's passes.")
    return min(1.0, max(0.0, (raw + specificity - 1) / youden))


def lang_reiczigel(
    raw: tuple[float, float], sensitivity: tuple[float, float], specificity: tuple[float, float], level: float = 0.95
) -> tuple[float, float]:
    """The interval of a Rogan-Gladen rate; each argument is (share, number of trials behind it).

    Lang and Reiczigel 2014, "Confidence limits for prevalence of disease adjusted for estimated sensitivity and specificity", Prev. Vet.
    Med. 113, p. 13-22, equations 6, 7, 16 and 17: Agresti-Coull-like shares in the delta method's variance, and a shift of the centre.
    As in R's asht::prevSeSp, (1 - P)^2 stands where the paper prints (1 + P)^2 in equation 4. (0, 1) where nothing can be said.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    (share, n), (se, n_se), (sp, n_sp) = raw, sensitivity, specificity
    n, share = n + z * z, (n * share + z * z / 2) / (n + z * z)
    se, n_se = (n_se * se + 1) / (n_se + 2), n_se + 2
    sp, n_sp = (n_sp * sp + 1) / (n_sp + 2), n_sp + 2
    youden = se + sp - 1
    if youden <= 0:
        return 0.0, 1.0
    centre = (share + sp - 1) / youden
    of_se, of_sp = se * (1 - se) / n_se, sp * (1 - sp) / n_sp
    shift = 2 * z * z * (centre * of_se - (1 - centre) * of_sp)
    error = math.sqrt(share * (1 - share) / n + centre**2 * of_se + (1 - centre) ** 2 * of_sp) / youden
    return max(0.0, min(1.0, centre + shift - z * error)), min(1.0, max(0.0, centre + shift + z * error))


def corrected(raw: float, trials: float, labels: Judged, level: float = 0.95) -> Corrected:
    """A raw pass rate over `trials` independent responses, corrected by labels of responses of the same kind.

    `trials` may be fractional: an effective number where responses are clustered (see `effective_trials`). The labels should be a random
    sample of these responses: a panel's sensitivity and specificity differ between models and families. No rate, but the interval, where
    labels leave it open whether sensitivity + specificity exceeds 1, or the interval is nearly the whole range: a point in it would be
    chance.
    """
    passed, failed = labels.both + labels.people_only, labels.neither + labels.panel_only
    kinds = (labels.recall, labels.specificity, (passed, failed))
    if not passed or not failed:
        return Corrected(raw, None, 0.0, 1.0, *kinds, f"People's labels hold no {'passes' if not passed else 'fails'}. {CURE}")
    if labels.recall + labels.specificity <= 1:
        note = f"The panel's passes say nothing of people's: its sensitivity and specificity sum to 1 or less. {CURE}"
        return Corrected(raw, None, 0.0, 1.0, *kinds, note)
    low, high = lang_reiczigel((raw, trials), (labels.recall, passed), (labels.specificity, failed), level)
    chance = least_youden(labels, level) <= 0
    if chance or high - low >= UNTOLD:
        seen = f"{passed} labels that people passed and {failed} that they failed"
        left = "whether the panel's passes say anything of people's" if chance else f"nearly every rate from {low:.0%} to {high:.0%}"
        note = f"The labels do not tell: {seen} leave open {left}. {CURE}"
        return Corrected(raw, None, low, high, *kinds, note)
    few = min(passed, failed)
    note = f"Rests on {few} labels on its smaller side; label more. {CURE}" if few < FEW_LABELS else ""
    return Corrected(raw, rogan_gladen(raw, labels.recall, labels.specificity), low, high, *kinds, note)


def least_youden(labels: Judged, level: float = 0.95) -> float:
    """The low end of the interval of sensitivity + specificity - 1; at 0 or less the panel may pass by chance.

    Agresti and Caffo 2000, "Simple and effective confidence intervals for proportions and differences of proportions result from adding
    two successes and two failures", The American Statistician 54, p. 280-288: one of each is added to either side.
    """
    shares = [
        ((hit + 1) / (hit + miss + 2), hit + miss + 2)
        for hit, miss in ((labels.both, labels.people_only), (labels.neither, labels.panel_only))
    ]
    error = math.sqrt(sum(share * (1 - share) / n for share, n in shares))
    return sum(share for share, _ in shares) - 1 - NormalDist().inv_cdf((1 + level) / 2) * error


def double_sampling(raw: float, trials: float, labels: Judged, level: float = 0.95) -> tuple[float, float, float] | None:
    """(rate, low, high) from labels that are a random sample of these very responses: much narrower than a Rogan-Gladen rate.

    Tenenbein 1970, "A double sampling scheme for estimating from binomial data with misclassifications", J. Am. Stat. Assoc. 65,
    p. 1350-1361: raw x P(people pass | panel passed) + (1 - raw) x P(people pass | panel failed). Unlike sensitivity and specificity these
    shares cannot be taken from other arms, for they move with the pass rate itself. The interval is Wilson's at the trials that the delta
    method's variance is worth, with one pass and one fail added to each share. None where the labels hold no passes, or no fails, of the
    panel, although it gave some; where it passed all, or none, the share that people passed is all there is to it.
    """
    passed, failed = labels.both + labels.panel_only, labels.people_only + labels.neither
    if (raw > 0 and not passed) or (raw < 1 and not failed):
        return None
    if raw in (0, 1):
        good, of = (labels.both, passed) if raw else (labels.people_only, failed)
        n = min(float(of), trials)
        return good / of, *wilson(good / of * n, n, level)
    rate = raw * labels.both / passed + (1 - raw) * labels.people_only / failed
    of_passed, of_failed = (labels.both + 1) / (passed + 2), (labels.people_only + 1) / (failed + 2)
    variance = raw**2 * of_passed * (1 - of_passed) / (passed + 2) + (1 - raw) ** 2 * of_failed * (1 - of_failed) / (failed + 2)
    variance += (of_passed - of_failed) ** 2 * raw * (1 - raw) / trials
    centre = raw * of_passed + (1 - raw) * of_failed
    n = max(1.0, centre * (1 - centre) / variance)
    return rate, *wilson(rate * n, n, level)


def effective_trials(rate: float, error: float, sessions: float) -> float:
    """The number of independent trials that has the same standard error as a clustered or macro-averaged rate: rate (1 - rate) / error^2.

    Korn and Graubard 1998, "Confidence intervals for proportions with small expected number of positive counts estimated from survey data",
    Survey Methodology 24, p. 193-201. At most the number of sessions; that number where the rate is 0 or 1 or the error 0.
    """
    variance = rate * (1 - rate)
    return min(float(sessions), variance / error**2) if variance > 0 and error > 0 else float(sessions)

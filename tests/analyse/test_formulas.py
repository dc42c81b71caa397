"""Formulas against scipy, statsmodels and published values."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap as scipy_bootstrap
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from tracedance.analyse.agreement import (
    Judged,
    cohen_kappa,
    effective_panel_size,
    judged,
    krippendorff_alpha,
    raw_agreement,
    score_leniency,
)
from tracedance.analyse.bootstrap import benchmark_rates, bootstrap, expansion, macro, population, standard_errors
from tracedance.analyse.contrasts import Values, contrast
from tracedance.analyse.corrected import corrected, double_sampling, effective_trials, lang_reiczigel, rogan_gladen
from tracedance.analyse.detectable import Design
from tracedance.analyse.external import rank_correlation
from tracedance.analyse.facets import rates
from tracedance.analyse.makers import maker, same_model
from tracedance.analyse.observations import Item, Matrix
from tracedance.analyse.pairs import Pair, holm, mcnemar_exact, pairs, wins_and_losses
from tracedance.analyse.ranks import groups, probability_first, rank_intervals, ranked

N = None
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
"""Krippendorff 2011, "Computing Krippendorff's alpha-reliability", part C: four observers, twelve units."""


@pytest.mark.parametrize(("metric", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_krippendorffs(metric: str, published: float) -> None:
    assert krippendorff_alpha(KRIPPENDORFF, metric) == pytest.approx(published, abs=0.0005)  # type: ignore[arg-type]


def test_alpha_of_two_raters_of_his_part_a() -> None:
    """Binary data of part A: two observers, ten units, alpha 0.095."""
    one, other = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha([one, other], "nominal") == pytest.approx(0.095, abs=0.0005)


def test_alpha_of_ratings_that_cannot_disagree_is_no_number() -> None:
    assert math.isnan(krippendorff_alpha([[4, 4, N], [4, 4, 2]], "ordinal"))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=60))
def test_kappa_is_that_of_statsmodels(told: list[tuple[str, str]]) -> None:
    one, other = [a for a, _ in told], [b for _, b in told]
    table = np.array([[told.count((a, b)) for b in "abc"] for a in "abc"])
    ours = cohen_kappa(one, other)
    if math.isnan(ours):
        assert len({*one, *other}) == 1
    else:
        assert ours == pytest.approx(cohens_kappa(table, return_results=False), abs=1e-9)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_that_of_statsmodels(wins: int, losses: int) -> None:
    theirs = mcnemar([[5, wins], [losses, 7]], exact=True).pvalue if wins + losses else 1.0
    assert mcnemar_exact(wins, losses) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("values", [[0.5], [0.04, 0.001, 0.03, 0.03], [1.0, 0.9, 0.0, 0.4], [0.011, 0.02, 0.012, 0.2, 0.011, 0.06]])
def test_holm_is_that_of_statsmodels(values: list[float]) -> None:
    assert holm(values) == pytest.approx(list(multipletests(values, method="holm")[1]), abs=1e-12)


@pytest.mark.parametrize(("raw", "se", "sp", "published"), [(23 / 150, 0.96, 0.89, 0.051), (6 / 151, 0.964, 0.927, 0.0)])
def test_rogan_gladen_gives_the_examples_of_epir(raw: float, se: float, sp: float, published: float) -> None:
    """Examples of R's epiR::epi.prev: brucellosis in cows, and Moujaber et al. 2008."""
    assert rogan_gladen(raw, se, sp) == pytest.approx(published, abs=0.0005)


def test_a_panel_that_says_nothing_has_no_corrected_rate() -> None:
    with pytest.raises(ValueError, match="says nothing"):
        rogan_gladen(0.4, 0.5, 0.5)
    made = corrected(0.4, 100, Judged(20, 30, 20, 30))
    assert (made.rate, made.low, made.high) == (None, 0.0, 1.0) and "say nothing" in made.note


def test_labels_without_a_pass_correct_nothing() -> None:
    made = corrected(0.4, 100, Judged(0, 10, 0, 90))
    assert made.rate is None and made.note.startswith("People's labels hold no passes. ")


def test_with_a_faultless_panel_the_corrected_interval_is_agresti_and_coulls() -> None:
    faultless = (1.0, 10**9)
    ours = lang_reiczigel((0.27, 200), faultless, faultless)
    assert ours == pytest.approx(proportion_confint(54, 200, method="agresti_coull"), abs=1e-6)


def test_lang_and_reiczigels_equations_worked_by_hand() -> None:
    """asht::prevSeSp's steps for 50 of 100 passes, sensitivity 45/50, specificity 80/100, at z = 1.959964."""
    z2 = 1.959963984540054**2
    n, se, sp = 100 + z2, 46 / 52, 81 / 102
    share = (50 + z2 / 2) / n
    youden = se + sp - 1
    centre = (share + sp - 1) / youden
    shift = 2 * z2 * (centre * se * (1 - se) / 52 - (1 - centre) * sp * (1 - sp) / 102)
    variance = share * (1 - share) / n + centre**2 * se * (1 - se) / 52 + (1 - centre) ** 2 * sp * (1 - sp) / 102
    low, high = lang_reiczigel((0.5, 100), (0.9, 50), (0.8, 100))
    assert (low + high) / 2 == pytest.approx(centre + shift, abs=1e-9)
    assert high - low == pytest.approx(2 * math.sqrt(z2 * variance) / youden, abs=1e-9)


def test_own_labels_give_the_rate_that_people_would_have_given() -> None:
    told = double_sampling(0.5, 400, Judged(both=40, panel_only=10, people_only=5, neither=45))
    assert told is not None and told[0] == pytest.approx(0.5 * 0.8 + 0.5 * 0.1)
    assert told[1] < told[0] < told[2]
    assert double_sampling(0.5, 400, Judged(40, 10, 0, 0)) is None


def test_effective_trials_give_the_standard_error_back() -> None:
    assert effective_trials(0.3, 0.05, 1000) == pytest.approx(84)
    assert effective_trials(0.3, 0.001, 50) == 50
    assert effective_trials(0.0, 0.0, 50) == 50


def test_judges_who_err_together_are_worth_one() -> None:
    people = [0.0, 1.0, 0.0, 1.0, 1.0, 0.0]
    off = [1.0, 1.0, 0.0, 0.0, 1.0, 1.0]
    same = effective_panel_size({"a": off, "b": off, "c": off}, people)
    assert (same.seats, same.correlation, same.effective) == (3, pytest.approx(1), pytest.approx(1))
    random = np.random.default_rng(1)
    truth = random.random(4000)
    apart = effective_panel_size({name: (truth + random.normal(0, 1, 4000)).tolist() for name in "abc"}, truth.tolist())
    assert apart.effective == pytest.approx(3, abs=0.3)
    assert math.isnan(effective_panel_size({"a": people, "b": off}, people).effective)


def test_leniency_is_in_points_of_the_rubric_and_in_passes() -> None:
    assert score_leniency([4, 5, 3], [3, 5, 1]) == pytest.approx(1)
    assert judged([True, True, False], [True, False, False]).leniency == pytest.approx(1 / 3)
    assert raw_agreement([True, True, False], [True, False, False]) == pytest.approx(2 / 3)


def measured(values: list[list[float]], sizes: list[int], sessions: list[str] | None = None) -> Matrix:
    """A matrix of benchmarks of the given sizes."""
    named = [f"b{place}" for place, size in enumerate(sizes) for _ in range(size)]
    items = [Item(name, f"i{n}", "failure/x", session=sessions[n] if sessions else f"s{n}") for n, name in enumerate(named)]
    table = np.array(values, dtype=np.float64)
    return Matrix(tuple(f"m{place}" for place in range(table.shape[1])), tuple(items), table, table.size)


def test_a_macro_average_weighs_benchmarks_and_not_instances() -> None:
    data = measured([[1.0]] * 2 + [[0.0]] * 8, [2, 8])
    assert macro(data) == pytest.approx([0.5])
    assert benchmark_rates(data).tolist() == [[1.0], [0.0]]


def test_bootstrap_errors_are_those_of_scipy() -> None:
    random = np.random.default_rng(3)
    shares = random.random((40, 1)).round(1)
    data = measured(shares.tolist(), [1] * 40)
    ours = standard_errors(bootstrap(data, "benchmarks", 1, 20_000).draws)[0] / expansion(40)
    theirs = scipy_bootstrap((shares[:, 0],), np.mean, n_resamples=20_000, rng=1, method="percentile").standard_error
    assert ours == pytest.approx(theirs, rel=0.03)


def test_instances_of_one_session_are_one_trial() -> None:
    values = [[float(place % 2)] for place in range(20)]
    alone = bootstrap(measured(values, [20]), "instances", 1)
    doubled = [value for value in values for _ in range(2)]
    clustered = bootstrap(measured(doubled, [40], [f"s{place // 2}" for place in range(40)]), "instances", 1)
    apart = bootstrap(measured(doubled, [40]), "instances", 1)
    assert standard_errors(clustered.draws) == pytest.approx(standard_errors(alone.draws), rel=1e-9)
    assert standard_errors(apart.draws)[0] < 0.8 * standard_errors(clustered.draws)[0]
    assert wins_and_losses(measured([[1.0, 0.0]] * 4, [4], ["s", "s", "t", "t"]), 0, 1) == (2, 0, 0)


def test_the_same_seed_gives_the_same_draws_and_another_others() -> None:
    data = measured([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]] * 4, [6, 6])
    one, same, other = (bootstrap(data, "both", seed) for seed in (5, 5, 6))
    assert one.draws.tobytes() == same.draws.tobytes() != other.draws.tobytes()


def test_few_benchmarks_speak_for_themselves_and_shared_sessions_are_told() -> None:
    values = [[1.0]] * 24
    assert population(measured(values, [12, 12])) == "instances"
    assert population(measured(values, [2] * 12)) == "benchmarks"
    assert population(measured(values, [2] * 12, [f"s{place % 5}" for place in range(24)])) == "both"


def test_a_model_that_never_passes_has_an_interval_with_a_width() -> None:
    (rate,) = rates(measured([[0.0]] * 28, [28]), 0)
    assert (rate.rate, rate.low) == (0.0, 0.0)
    assert rate.high == pytest.approx(proportion_confint(0, 28, method="wilson")[1], abs=0.003)
    assert rate.high == pytest.approx(proportion_confint(0, 28, method="beta")[1], abs=1e-9)


def test_a_difference_that_never_varies_has_one_too() -> None:
    (pair,) = pairs(data := measured([[1.0, 0.0]] * 28, [28]), bootstrap(data, "instances", 0))
    assert (pair.difference, pair.high) == (1.0, 1.0)
    unlike = 1 - proportion_confint(28, 28, method="beta")[0]
    assert pair.low == pytest.approx(1 - 2 * unlike, abs=1e-9)
    effect = contrast(Values(np.array([1.0] * 10 + [0.0] * 10), np.arange(20)), np.arange(20) < 10, 0)
    assert effect is not None and effect.difference == 1.0 and 0.5 < effect.low < 0.7 and effect.high == 1.0


def pair(first: str, second: str, differs: bool, difference: float = 0.2) -> Pair:
    p = 0.001 if differs else 0.5
    return Pair(first, second, difference, 0.1, 0.3, p, p, 20, 2, 5, p, p, Design(27, 22, 0.1, (27,)), 3)


def test_models_in_three_tiers_make_three_groups() -> None:
    """Three tiers of nine, as the paper finds its models."""
    names = list("abcdefghi")
    tier = {name: 0 if name == "a" else 1 if name in "bcde" else 2 for name in names}
    table = [pair(one, other, tier[one] != tier[other]) for n, one in enumerate(names) for other in names[n + 1 :]]
    assert groups(names, table) == [("a",), ("b", "c", "d", "e"), ("f", "g", "h", "i")]
    assert rank_intervals(names, table)["a"] == (1, 1)
    assert rank_intervals(names, table)["c"] == (2, 5)
    assert rank_intervals(names, table)["i"] == (6, 9)


def test_a_model_between_two_that_differ_is_in_both_groups() -> None:
    table = [pair("a", "b", False), pair("a", "c", True), pair("b", "c", False)]
    assert groups(["a", "b", "c"], table) == [("a", "b"), ("b", "c")]


def test_a_pair_differs_only_where_both_tests_agree_on_the_way() -> None:
    assert pair("a", "b", True).differs
    assert not pair("a", "b", True, difference=-0.2).differs


def test_equal_rates_share_a_rank_and_the_probability_of_being_first() -> None:
    data = measured([[1.0, 1.0, 0.0]] * 10, [10])
    assert ranked(data.models, macro(data)) == [("m0", 1), ("m1", 1), ("m2", 3)]
    assert probability_first(bootstrap(data, "instances", 0)) == [0.5, 0.5, 0.0]


@settings(max_examples=20)
@given(st.permutations([10.0, 20.0, 30.0, 40.0]))
def test_rank_correlation_counts_the_pairs_in_order(scores: list[float]) -> None:
    names = "abcd"
    found = rank_correlation(dict(zip(names, scores, strict=True)), {"a": 1, "b": 2, "c": 3, "d": 4, "other": 9})
    ordered = sum((scores[i] < scores[j]) - (scores[i] > scores[j]) for i in range(4) for j in range(i + 1, 4))
    squares = sum((place - scores.index(score)) ** 2 for place, score in enumerate(sorted(scores)))
    assert found.n == 4 and found.kendall == pytest.approx(ordered / 6) and found.spearman == pytest.approx(1 - 6 * squares / 60)
    assert rank_correlation({"a": 1, "b": 2}, {"a": 1, "b": 2}).spearman is None


@pytest.mark.parametrize(
    ("model", "made_by"),
    [
        ("openrouter/anthropic/claude-opus-4.8", "anthropic"),
        ("azure/gpt-5.6-sol", "openai"),
        ("openai/o3", "openai"),
        ("openai/qwen3.7-max", "alibaba"),
        ("gemini/gemini-3.5-flash", "google"),
        ("GLM-5.2", "zhipu"),
        ("Doubao-Seed-2.1-Pro", "bytedance"),
        ("Kimi-K3", "moonshot"),
        ("MiniMax-M3", "minimax"),
        ("DeepSeek-V4-Flash", "deepseek"),
        ("local/good", "local/good"),
    ],
)
def test_a_models_maker_is_told_from_its_name(model: str, made_by: str) -> None:
    assert maker(model) == made_by


def test_one_model_over_two_routes_is_one_model() -> None:
    assert same_model("openrouter/openai/gpt-5", "GPT-5") and not same_model("gpt-5", "gpt-5-mini")

"""The paper's own arithmetic (arXiv 2609.33295; seed-semantics.md, section 5), through the functions that a comparison uses."""

from collections.abc import Sequence

import numpy as np
import pytest

from tracedance.analyse.agreement import Judged
from tracedance.analyse.facets import FACETS, Part, Rate, by, group_means, led, macro_by_name, order_and_gap, regrouped, subset
from tracedance.analyse.first_actions import first_actions, plan_split
from tracedance.analyse.observations import Item, Matrix, Reply, matrix
from tracedance.analyse.pass_rules import RULES, single_judges
from tracedance.analyse.ranks import ranked
from tracedance.analyse.self_preference import preference, self_preferences
from tracedance.analyse.sensitivity import variants

COLUMNS = ("overall", "action", "failure", "claim", "Claude Code", "OpenClaw")
TABLE_2 = {
    "Opus 4.8": (33.5, 31.5, 37.3, 30.6, 36.1, 27.6),
    "DeepSeek-V4-Pro": (29.3, 30.8, 32.1, 21.2, 31.8, 23.6),
    "GLM-5.2": (28.6, 30.0, 32.1, 19.3, 29.8, 25.8),
    "DeepSeek-V4-Flash": (28.5, 29.0, 32.1, 21.9, 30.8, 23.4),
    "GPT-5.6-Sol": (27.2, 27.8, 23.2, 32.3, 30.2, 20.5),
    "Doubao-Seed-2.1-Pro": (23.5, 26.5, 25.5, 14.5, 24.3, 21.6),
    "MiniMax-M3": (23.3, 25.5, 25.8, 15.1, 23.8, 22.4),
    "Kimi-K3": (23.3, 26.5, 25.3, 14.0, 24.6, 20.4),
    "Qwen3.7-Max": (22.9, 24.9, 26.3, 13.4, 23.9, 20.6),
}
MODELS = tuple(TABLE_2)


def column(name: str) -> Part:
    """A column of Table 2 as a part of a comparison."""
    place = COLUMNS.index(name)
    return Part(name, (), 0, tuple(Rate(row[place] / 100, 0.0, 1.0) for row in TABLE_2.values()))


def test_the_nine_models_average_26_7_percent() -> None:
    assert 100 * column("overall").mean == pytest.approx(26.68, abs=0.005)


def test_opus_is_first_leads_by_4_2_points_and_the_range_is_22_9_to_33_5() -> None:
    overall = {model: row[0] for model, row in TABLE_2.items()}
    order, gap = order_and_gap(overall)
    assert order[:2] == ["Opus 4.8", "DeepSeek-V4-Pro"] and order[-1] == "Qwen3.7-Max"
    assert overall[order[0]] - overall[order[1]] == pytest.approx(4.2) and gap == pytest.approx(33.5 - 22.9)
    assert ranked(MODELS, np.array(list(overall.values())))[6:8] == [("Kimi-K3", 7), ("MiniMax-M3", 7)]


def test_gpt_leads_on_claims_alone() -> None:
    leaders = led(MODELS, [column(name) for name in COLUMNS[1:]])
    assert leaders["GPT-5.6-Sol"] == {"alone": ["claim"], "shared": []}
    assert leaders["Opus 4.8"]["alone"] == ["action", "failure", "Claude Code", "OpenClaw"]


def test_valid_call_is_highest_and_check_first_lowest_by_about_60_points() -> None:
    order, gap = order_and_gap({"valid_call": 67.9, "handle_failure": 33.5, "honest_claim": 28.9, "check_first": 8.1})
    assert order == ["valid_call", "handle_failure", "honest_claim", "check_first"] and gap == pytest.approx(59.8)


def scored(*scores: int, passed: bool | None = None) -> Reply:
    """A reply with the scores of judges a, b, c."""
    mean = sum(scores) >= 4 * len(scores)
    return Reply("b", "i", "m", 0, "valid", dict(zip("abc", scores, strict=False)), mean if passed is None else passed)


@pytest.mark.parametrize(("scores", "passes"), [((4, 4, 5), True), ((2, 2, 2), False), ((4, 4, 3), False), ((4, 4, 4), True)])
def test_a_mean_of_4_33_passes_and_2_00_and_3_67_do_not(scores: tuple[int, ...], passes: bool) -> None:
    """E.2: Kimi-K3 has 4, 4, 5 and Opus 2, 2, 2."""
    assert RULES["mean4"][0](scored(*scores)) is passes


def test_the_other_rules_read_the_same_scores_otherwise() -> None:
    three = scored(5, 4, 2)
    said = {name: rule(three) for name, (rule, _) in RULES.items()}
    assert said == {"mean4": False, "mean3": True, "all4": False, "majority": True}
    assert {judge: rule(three) for judge, rule in single_judges("abc").items()} == {"a": True, "b": True, "c": False}


def test_the_panels_agreement_kappa_precision_and_recall_are_one_table() -> None:
    """84 instances both confirmed, two annotators each: the only counts of 168 that give 81.0%, 0.40, 44.7% and 60.7% at once."""
    table = Judged(both=17, panel_only=21, people_only=11, neither=119)
    assert table.n == 2 * 84
    assert (round(100 * table.agreement, 1), round(table.kappa, 2)) == (81.0, 0.40)
    assert (round(100 * table.precision, 1), round(100 * table.recall, 1)) == (44.7, 60.7)
    assert table.leniency > 0


def built(kinds: Sequence[tuple[int, bool, bool]], instances: Sequence[int]) -> tuple[Item, ...]:
    """Benchmarks as (how many, AND, query-specific), with `instances` over each kind's benchmarks together."""
    items, number = [], 0
    for (count, joint, specific), total in zip(kinds, instances, strict=True):
        for place in range(total):
            items.append(Item(f"b{number + place % count}", f"i{len(items)}", "action/x", joint=joint, specific=specific))
        number += count
    return tuple(items)


def test_107_benchmarks_are_102_single_ones_and_87_of_the_catalogue() -> None:
    """102 queries, of which 5 OR queries give two benchmarks each; 5 AND; 87 catalogue + 15 query-specific. 4,065 and 3,966 instances."""
    assert 102 + 5 == 107 == 87 + 15 + 5
    items = built([(87, False, False), (15, False, True), (5, True, False)], [3400, 566, 99])
    data = Matrix(("m",), items, np.zeros((len(items), 1)))
    counts = {
        name: (len(part.benchmarks), len(part.items)) for name in ("complete", "single", "catalogue") for part in [subset(data, name)]
    }
    assert counts == {"complete": (107, 4065), "single": (102, 3966), "catalogue": (87, 3400)}


def answers(instance: int, model: str, action: tuple[str, str, bool], passed: bool) -> Reply:
    """A reply to the instance of that number."""
    name, kind, acts = action
    return Reply("b", f"i{instance}", model, 0, "valid", {}, passed, name, kind, acts)


TODO, ALSO, EDIT = ("TodoWrite", "plan", False), ("TodoWrite", "plan", True), ("Edit", "edit", True)


def test_todo_write_passes_at_4_6_against_30_8_percent_on_the_same_instances() -> None:
    """457 responses, 416 without another call; the 41 with one pass at 7.3%: 3, and 18 of the others."""
    items = [Item("b", f"i{n}", "action/x") for n in range(500)]
    replies = [answers(n, "planner", TODO if n < 416 else ALSO, n < 18 or 416 <= n < 419) for n in range(457)]
    replies += [answers(n, f"m{m}", EDIT, (n * 8 + m) * 1126 % 3656 < 1126) for n in range(457) for m in range(8)]
    # No response to these begins with it: they are not part of the comparison.
    replies += [answers(n, f"m{m}", EDIT, True) for n in range(457, 500) for m in range(8)]
    found = first_actions(items, replies, RULES["mean4"][0], lambda reply: reply.action, 0)
    (todo,) = [one for one in found if one.action == "TodoWrite"]
    assert (todo.instances, todo.effect.n_inside, todo.effect.n_outside) == (457, 457, 457 * 8)
    assert (round(100 * todo.effect.inside, 1), round(100 * todo.effect.outside, 1)) == (4.6, 30.8)
    assert round(100 * todo.effect.difference, 1) == -26.2 and todo.effect.high < 0
    assert (todo.same_way, todo.models["planner"][0]) == (1, 457)
    split = plan_split(replies, RULES["mean4"][0])
    assert (split.alone, split.followed, split.alone + split.followed) == (416, 41, 457)
    assert round(100 * split.alone / 457, 1) == 91.0 and round(100 * split.followed_passed / split.followed, 1) == 7.3


def test_self_preference_is_0_22_points_over_3945_own_and_31560_other_responses() -> None:
    """35,505 = 3,945 x 9 responses. The judge is half a point lenient to all, which is no preference."""
    items = [Item("b", f"i{n}", "action/x") for n in range(3945)]
    replies = []
    for n in range(3945):
        for model in ("gpt-5.6-sol", *(f"m{m}" for m in range(8))):
            extra = n % 2 + (model == "gpt-5.6-sol" and n % 50 < 11)
            replies.append(Reply("b", f"i{n}", model, 0, "valid", {"gpt-5.6-sol": 2 + extra, "x": 2, "y": 2}, False))
    found = preference(items, replies, ("gpt-5.6-sol", ("gpt-5.6-sol",)), 0)
    assert found is not None and (found.n_inside, found.n_outside) == (3945, 31_560)
    assert found.difference == pytest.approx(0.22, abs=0.001) and found.low > 0.2


def judged_otherwise() -> tuple[list[Item], list[Reply]]:
    """Judge `gpt-x` lets its own model alone pass; `j` and `k` prefer `claude-y`."""
    items = [Item(f"b{n % 2}", f"i{n}", "action/x", group=("valid_call", "check_first")[n % 2]) for n in range(8)]
    replies = []
    for n, item in enumerate(items):
        for model, scores in (("gpt-x", (5, 3, 3)), ("claude-y", (1, 4, 5 if n % 2 else 4))):
            told = dict(zip(("gpt-x", "j", "k"), scores, strict=True))
            replies.append(Reply(item.benchmark, item.instance, model, 0, "valid", told, sum(scores) >= 12))
    return items, replies


def test_without_its_own_judge_a_model_may_lose_its_rank() -> None:
    items, replies = judged_otherwise()
    (found,) = self_preferences(items, replies, ("claude-y", "gpt-x"), 0)
    assert (found.model, found.judges, found.same, found.rate, found.rank) == ("gpt-x", ("gpt-x",), True, 0.0, 2)
    assert found.preference is not None and found.preference.difference == pytest.approx(2.0 + 3.25)


def test_a_single_judge_can_turn_the_order() -> None:
    items, replies = judged_otherwise()
    found = {one.name: one for one in variants(items, replies, ("claude-y", "gpt-x"))}
    assert list(found) == ["mean4", "mean3", "all4", "majority", "gpt-x", "j", "k"]
    assert found["gpt-x"].order == ("gpt-x", "claude-y") and found["j"].order == ("claude-y", "gpt-x")
    assert found["gpt-x"].gap == 1.0 and found["gpt-x"].ranks() == {"claude-y": 2, "gpt-x": 1}
    assert found["majority"].groups == {"check_first": 0.5, "valid_call": 0.5} and found["majority"].group_gap == 0.0


def test_a_moved_family_changes_its_groups() -> None:
    """E.1: Delivery recovery moves into Check first."""
    items = tuple(
        Item(f"b{n % 3}", f"i{n}", ("action/check", "failure/deliver", "action/call")[n % 3], group=("check", "failure", "call")[n % 3])
        for n in range(9)
    )
    data = Matrix(("m",), items, np.array([[n % 3 / 2] for n in range(9)]))
    assert group_means(data, FACETS["group"]) == {"call": 1.0, "failure": 0.5, "check": 0.0}
    assert group_means(data, regrouped({"failure/deliver": "check"})) == {"call": 1.0, "check": 0.25}
    assert [part.value for part in by(data, FACETS["family"], 0)] == ["action/call", "action/check", "failure/deliver"]


def test_only_instances_that_every_model_answered_count_and_the_rest_is_told() -> None:
    items = [Item("b", f"i{n}", "action/x") for n in range(5)]
    replies = [Reply("b", f"i{n}", model, 0, "valid", {}, n % 2 == 0) for n in range(5) for model in ("a", "z") if (n, model) != (4, "z")]
    replies += [Reply("b", "i0", "a", 1, "refused")]
    replies[2] = Reply("b", "i1", "a", 0, "truncated")
    data, gone = matrix(items, replies, ("a", "z"), RULES["mean4"][0])
    assert macro_by_name(data) == {"a": 2 / 3, "z": 2 / 3}
    assert gone.reasons == {"missing": 1, "truncated": 1} and gone.by_model == {"a": {"truncated": 1}, "z": {"missing": 1}}
    assert gone.samples_lost == 1 and len(data.items) + len(gone.instances) == len(items)

"""Budgets: which numbers are one, and what a mistake is told."""

from __future__ import annotations

import pytest

from summarizer.budget import MAX_BUDGET, MIN_BUDGET, Budget
from summarizer.errors import InvalidBudget, SummarizerError


@pytest.mark.parametrize("tokens", [MIN_BUDGET, 17, 4_000, MAX_BUDGET])
def test_a_whole_number_of_tokens_is_a_budget(tokens: int) -> None:
    assert Budget.of(tokens) == Budget(tokens) == Budget(tokens, "auto")


def test_a_budget_stays_as_it_is() -> None:
    budget = Budget(300, "one")
    assert Budget.of(budget) is budget


@pytest.mark.parametrize("value", [0, 15, -5, 10**12, MAX_BUDGET + 1, 10**40])
def test_a_number_out_of_range_is_told_the_range(value: int) -> None:
    with pytest.raises(InvalidBudget, match="budget: expected 16 to 10,000,000 tokens, got") as caught:
        Budget.of(value)
    assert len(str(caught.value)) < 120


def test_a_number_that_python_will_not_print_is_told_the_range_too() -> None:
    with pytest.raises(InvalidBudget, match="got a far larger number"):
        Budget.of(10**5_000)


@pytest.mark.parametrize(
    "value", [2.5, 300.0, True, "many", "300", None, b"300", [300], float("nan"), object()]
)
def test_what_is_no_whole_number_is_told_its_type(value: object) -> None:
    """Also for True, which Python takes for 1, and 300.0, which may be a mistake."""
    with pytest.raises(InvalidBudget, match=f"whole number of tokens, got {type(value).__name__} "):
        Budget.of(value)


@pytest.mark.parametrize("shape", ["two", "", None, 1, "ONE"])
def test_an_unknown_shape_is_told_those_that_are_known(shape: object) -> None:
    with pytest.raises(InvalidBudget, match="shape: expected auto, sections, one, got"):
        Budget(300, shape)  # type: ignore[arg-type]


@pytest.mark.parametrize("recent", [0.01, 0.5, 1, 3.5, 100])
def test_the_recent_past_may_have_more_room(recent: float) -> None:
    assert Budget(300, recent=recent).recent == recent
    assert Budget(300).recent == 1.0


@pytest.mark.parametrize("recent", [0, -1, 0.001, 101, True, "2", None, float("nan"), float("inf")])
def test_a_weight_that_is_none_is_told_the_range(recent: object) -> None:
    with pytest.raises(InvalidBudget, match=r"budget: recent: expected a number from 0\.01 to 100, got "):
        Budget(300, recent=recent)  # type: ignore[arg-type]


def test_a_wrong_budget_is_a_value_error_of_ours() -> None:
    """Callers may catch it as either."""
    assert issubclass(InvalidBudget, SummarizerError)
    assert issubclass(InvalidBudget, ValueError)

"""Planning: how many calls, how large, and how long each answer may be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.planning import (
    call_limit,
    chunk_count,
    chunk_size,
    loosely,
    output_size,
    parts,
    target,
    useful_length,
    wanted,
)
from summarizer_providers.bounds import Limits, max_tokens, readable

maybe = st.none() | st.integers(1, 2_000_000)
limits = st.builds(
    Limits, window=maybe, declared=maybe, ceiling=maybe, scale=st.floats(0.5, 4.0), useful=maybe
)


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (Limits(scale=1.0), 16_384),
        (Limits(declared=4_000, scale=1.0), 4_000),
        (Limits(declared=4_000, ceiling=1_000, scale=1.0), 1_000),
        (Limits(ceiling=1_000, scale=2.0), 500),
        (Limits(ceiling=1_000, scale=0.5), 1_000),
        (Limits(ceiling=1, scale=4.0), 1),
    ],
)
def test_what_a_call_can_write_follows_from_the_best_bound_known(known: Limits, expected: int) -> None:
    assert output_size(known) == expected


@pytest.mark.parametrize(
    ("known", "overhead", "setting", "expected"),
    [
        (Limits(window=128_000, declared=4_000, scale=1.0), 500, None, 64_000),
        (Limits(window=1_000_000, declared=4_000, scale=1.0), 500, None, 64_000),
        (Limits(window=1_000_000, declared=4_000, scale=1.0, useful=200_000), 500, None, 200_000),
        (Limits(window=8_000, declared=1_000, scale=1.0), 500, None, 4_000),
        (Limits(window=8_000, declared=8_000, scale=1.0), 500, 100_000, 8_000 - 2_000 - 16 - 500),
        (Limits(window=128_000, declared=4_000, scale=1.0), 500, 3_000, 3_000),
        (Limits(window=500, scale=1.0), 600, None, 64),
        (Limits(scale=1.0), 500, None, 16_384),
    ],
)
def test_a_call_reads_what_it_reads_well(
    known: Limits, overhead: int, setting: int | None, expected: int
) -> None:
    """Half the window and at most 64,000 tokens unless more was measured; the user's setting; what fits."""
    assert chunk_size(known, overhead, setting) == expected


@given(limits, st.integers(0, 5_000), st.none() | st.integers(256, 10**6))
def test_what_is_planned_fits_the_window(known: Limits, overhead: int, setting: int | None) -> None:
    """Prompt and answer together stay within the window, and at least 64 tokens are read."""
    size = chunk_size(known, overhead, setting)
    assert size >= 64
    if size > 64:
        assert setting is None or size <= setting
        window = known.window or 32_768
        assert size + overhead <= readable(known, min(known.output, window // 4))
        if known.window is not None:
            assert max_tokens(known, size + overhead) >= min(known.output, window // 4)


@pytest.mark.parametrize(
    ("tokens", "budget", "size", "output", "expected"),
    [
        (900_000, 10_000, 64_000, 16_000, 15),
        (900_000, 100_000, 64_000, 4_000, 25),
        (5_000, 1_000, 64_000, 4_000, 1),
        (5_000, 1_000_000, 64_000, 4_000, 2),
        (0, 1_000, 64_000, 4_000, 1),
    ],
)
def test_no_plan_has_more_calls_than_reading_and_writing_take(
    tokens: int, budget: int, size: int, output: int, expected: int
) -> None:
    """max(⌈N / U⌉, ⌈B / C⌉), and nobody writes more than was read."""
    assert chunk_count(tokens, budget, size, output) == expected


@pytest.mark.parametrize(
    ("chunk", "total", "budget", "output", "expected"),
    [
        (10_000, 10_000, 1_000, 4_000, 1_000),
        (10_000, 20_000, 1_000, 4_000, 500),
        (10_000, 10_000, 8_000, 4_000, 4_000),
        (10_000, 1_000_000, 1_000, 4_000, 300),
        (60_000, 1_000_000, 1_000, 4_000, 1_000),
        (100_000, 1_000_000, 1_000, 4_000, 1_000),
        (200, 1_000_000, 1_000, 4_000, 50),
        (10_000, 10_000, 100, 4_000, 100),
        (100, 100, 5_000, 4_000, 100),
        (10, 100, 16, 4_000, 16),
    ],
)
def test_a_chunk_gets_its_share_or_a_length_that_is_worth_reading(
    chunk: int, total: int, budget: int, output: int, expected: int
) -> None:
    assert target(chunk, total, budget, output) == expected


@given(st.integers(1, 10**6), st.integers(0, 10**7), st.integers(16, 10**7), st.integers(1, 10**5))
def test_no_answer_is_asked_for_that_is_longer_than_what_it_can_be(
    chunk: int, more: int, budget: int, output: int
) -> None:
    found = target(chunk, chunk + more, budget, output)
    assert 16 <= found <= max(16, min(chunk, output))
    if not more:
        assert found <= max(16, budget)


@pytest.mark.parametrize(("read", "expected"), [(0, 0), (100, 25), (1_200, 300), (10**6, 300)])
def test_a_useful_length_is_a_quarter_and_at_most_300(read: int, expected: int) -> None:
    assert useful_length(read) == expected


@pytest.mark.parametrize(
    ("tokens", "budget", "size", "expected"),
    [(900_000, 10_000, 64_000, 4 * (15 + 20) + 16), (1, 16, 64, 4 * 2 + 16), (0, 16, 64, 4 + 16)],
)
def test_the_most_calls_of_a_run_are_known_before_it_starts(
    tokens: int, budget: int, size: int, expected: int
) -> None:
    assert call_limit(tokens, budget, size) == expected


@pytest.mark.parametrize(
    ("length", "known", "proved", "expected"),
    [
        (1_000, Limits(scale=1.0), 0, 1_000),
        (4_000, Limits(ceiling=4_000, scale=1.0), 0, 3_480),
        (1_000, Limits(ceiling=4_000, scale=1.0), 0, 1_000),
        (1_000, Limits(scale=1.0), 900, 900),  # nearly as much, without a guess
        (1_000, Limits(scale=1.0), 700, 1_000),
        (1_000, Limits(scale=1.0), 2_000, 1_000),
        (50_000, Limits(scale=1.0), 0, 16_384),
    ],
)
def test_less_than_a_ceiling_is_asked_for(length: int, known: Limits, proved: int, expected: int) -> None:
    """Models miss a length by some; and a length that was proved is as good as one a little longer."""
    assert wanted(length, known, proved) == expected


@given(st.integers(0, 10**7), st.integers(1, 10**6), st.integers(1, 10**6))
def test_parts_of_a_size_hold_everything(tokens: int, size: int, most: int) -> None:
    assert parts(tokens, size) * (size + 1) >= tokens
    assert 1 <= loosely(size, most) <= most

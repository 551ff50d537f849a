"""The benchmarks measure what they say: sessions of the size asked for, exponents that are slopes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.growth import exponent
from benchmarks.measure import measured, python, session, text_of
from summarizer_providers.tokens import get_counter


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_exponent_is_the_power_of_growth(power: float) -> None:
    """Cost that doubles with the input has the exponent 1, cost that quadruples 2."""
    assert exponent([1, 2, 4, 8], [3 * size**power for size in (1, 2, 4, 8)]) == pytest.approx(power)


def test_session_has_the_size_asked_for_and_is_the_same_again() -> None:
    """Two runs measure the same text."""
    with session(60_000) as one, session(60_000) as two:
        assert one.read_bytes() == two.read_bytes()
        tokens = sum(map(get_counter().count, text_of(one)))
    assert 60_000 <= tokens < 65_000


def test_copies_in_a_session_do_not_repeat_each_other() -> None:
    """Twice the scenes are not twice the same lines, which a summarizer might drop for nothing."""
    with session(110_000) as path:
        lines = [line for text in text_of(path) for line in text.splitlines() if len(line) > 40]
    assert len(set(lines)) > 0.8 * len(lines)


def test_measured_gives_seconds_memory_and_output() -> None:
    """A child's own CPU and peak memory, whatever the parent uses."""
    run = measured(python("print('x' * len(bytearray(60_000_000)) and 'done')"))
    assert run.output.strip() == "done"
    assert run.cpu > 0
    assert run.peak > 50


def test_a_child_that_fails_says_why() -> None:
    """A benchmark ends with the command's own words, not with a number that means nothing."""
    with pytest.raises(RuntimeError, match="exit 3"):
        measured([sys.executable, "-c", "raise SystemExit(3)"])


def test_no_benchmark_does_work_when_it_is_imported() -> None:
    """Every benchmark is a command of its own."""
    folder = Path(__file__).resolve().parents[1] / "benchmarks"
    names = [
        path.stem
        for path in folder.glob("*.py")
        if path.stem not in ("__init__", "agent", "hermes_host", "measure")
    ]
    assert all('if __name__ == "__main__":' in (folder / f"{name}.py").read_text("utf-8") for name in names)

"""What every test stands on: a clean environment, its own data folder, the shared data if there is any."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
FOREIGN = ("SUMMARIZER_", "OPENAI_", "ANTHROPIC_", "LITELLM_")

# litellm reads it at import, which may happen while tests are collected; without it, it asks the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

# A job that was started in the background ignores interrupts, and so would the tests that send them.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """No settings or keys of the machine's owner reach a test, and no test leaves anything in their home."""
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    folder = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("SUMMARIZER_DATA_DIR", str(folder))
    return folder


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real sessions and probes beside the checkout; a test is skipped without."""
    if not SHARED.is_dir():
        pytest.skip("no folder `shared` with real sessions beside the repository")
    return SHARED


@pytest.fixture
def open_scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """A function that opens a scene with the real hermes; hermes' variables are gone afterwards."""
    from tests import hermes_scene

    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "hermes"))
    with ExitStack() as stack:
        yield lambda **script: stack.enter_context(hermes_scene.scene(tmp_path, **script))

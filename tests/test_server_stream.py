"""Streams of ``summarizer serve``: sections as they are final, signs of life, and clients that go away."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import openai
import pytest

from summarizer.events import (
    CallEnded,
    CallProgress,
    CallStarted,
    CeilingLearned,
    Event,
    Planned,
    Replanned,
    SectionDone,
    SectionFinal,
)
from summarizer.server.answers import in_pieces
from summarizer.server.progress import Progress
from summarizer.server.service import Limits
from tests.serving import Served
from tests.shell import facts, messages

SLOW = "scripted/latency=0.2"


def chunks(reply: httpx.Response) -> Iterator[dict[str, Any]]:
    for line in reply.iter_lines():
        if line and line != "data: [DONE]":
            yield json.loads(line.removeprefix("data: "))


def streaming(served: Served, **fields: Any) -> Any:
    body = {"messages": messages(90), "max_tokens": 3_000, "stream": True, **fields}
    return served.client.stream("POST", "/v1/chat/completions", json=body)


def until(condition: Callable[[], bool]) -> None:
    """Wait for it; the test's own time limit is the end of patience."""
    while not condition():
        time.sleep(0.02)


# What a client reads ---------------------------------------------------------------------------------------


def test_the_stream_says_what_the_whole_answer_says() -> None:
    """The same text, in the same budget, with the same end."""
    with Served() as served:
        with streaming(served, stream_options={"include_usage": True}) as reply:
            found = list(chunks(reply))
        whole = served.chat(messages(90), max_tokens=3_000).json()
    assert found[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    deltas = [choice["delta"] for chunk in found for choice in chunk["choices"]]
    text = "".join(delta.get("content", "") for delta in deltas)
    assert text == whole["choices"][0]["message"]["content"]
    assert [chunk["usage"] for chunk in found[:-1]] == [None] * (len(found) - 1)
    assert found[-1]["choices"] == []
    assert found[-1]["usage"] == whole["usage"]
    assert found[-2]["choices"][0]["finish_reason"] == "stop"
    assert found[-2]["summarizer"]["coverage"] == whole["summarizer"]["coverage"]
    assert {chunk["object"] for chunk in found} == {"chat.completion.chunk"}
    assert len({chunk["id"] for chunk in found}) == 1


def test_the_official_clients_read_it() -> None:
    """Text and progress, each in its place."""
    with Served() as served:
        stream = served.openai.chat.completions.create(
            model="summarizer",
            messages=messages(90),  # type: ignore[arg-type]
            max_tokens=3_000,
            stream=True,
        )
        deltas = [choice.delta for chunk in stream for choice in chunk.choices]

        async def asked() -> str:
            async with openai.AsyncOpenAI(base_url=f"{served.root}/v1", api_key="x") as client:
                stream = await client.chat.completions.create(
                    model="summarizer",
                    messages=messages(90),  # type: ignore[arg-type]
                    max_tokens=3_000,
                    stream=True,
                )
                return "".join([choice.delta.content or "" async for c in stream for choice in c.choices])

        again = asyncio.run(asked())
    text = "".join(delta.content or "" for delta in deltas)
    assert facts(text) == list(range(90))
    assert again == text
    assert "Reading" in "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas)


def test_sections_come_before_the_end() -> None:
    """The first ones while the last ones are not written yet."""
    with Served(SLOW) as served, streaming(served) as reply:
        kinds = ["content" if "content" in c["choices"][0]["delta"] else "else" for c in chunks(reply)][1:]
    first = kinds.index("content")
    assert "else" in kinds[first : len(kinds) - 1 - kinds[::-1].index("content")]


def test_a_silent_model_does_not_silence_the_stream() -> None:
    """While nothing happens there are lines of text all the same, under both names that clients read."""
    with Served("scripted/latency=0.5", limits=Limits(interval=0.05)) as served:
        with streaming(served) as reply:
            lines = [
                delta["reasoning"]
                for c in chunks(reply)
                if "reasoning" in (delta := c["choices"][0]["delta"])
            ]
        with streaming(served) as reply:
            deltas = [chunk["choices"][0]["delta"] for chunk in chunks(reply)]
    waiting = [line for line in lines if line.startswith("Waiting for 1 call to scripted/latency=0.5")]
    assert len(waiting) > 2
    assert all(delta["reasoning"] == delta["reasoning_content"] for delta in deltas if "reasoning" in delta)


@pytest.mark.parametrize("model", ["scripted/outage=3-", "scripted/outage=3-,latency=0.1"])
def test_a_partial_stream_ends_with_length(model: str) -> None:
    """What was covered, and why it is not all."""
    with Served(model, limits=Limits(deadline=3)) as served, streaming(served) as reply:
        found = list(chunks(reply))
    assert found[-1]["choices"][0]["finish_reason"] == "length"
    assert found[-1]["summarizer"]["reason"] == "deadline"
    assert facts("".join(chunk["choices"][0]["delta"].get("content", "") for chunk in found))


def test_a_stream_without_any_text_ends_in_an_error() -> None:
    """Clients raise it, as they do for any other server."""
    with Served("scripted/outage=1-", limits=Limits(deadline=2)) as served:
        stream = served.openai.chat.completions.create(
            model="m",
            messages=messages(),  # type: ignore[arg-type]
            stream=True,
        )
        with pytest.raises(openai.APIError, match="nothing could be summarized"):
            list(stream)


def test_a_mistake_in_a_stream_is_an_error_from_the_start() -> None:
    """With its status, before anything is streamed."""
    with Served() as served, streaming(served, messages=[]) as reply:
        assert reply.status_code == 400


# Who goes away ---------------------------------------------------------------------------------------------


def test_a_client_that_leaves_a_stream_ends_the_run_and_loses_nothing() -> None:
    """The same request again goes on from what is finished."""
    with Served(SLOW) as served:
        with streaming(served) as reply:
            next(chunk for chunk in chunks(reply) if chunk["choices"][0]["delta"].get("content"))
            assert len(served.service.runs) == 1
        until(lambda: len(served.service.runs) == 0)
        again = served.chat(messages(90), max_tokens=3_000).json()
    assert again["summarizer"]["usage"]["cached_calls"] > 0
    assert again["choices"][0]["finish_reason"] == "stop"


def test_a_client_that_gives_up_waiting_ends_the_run() -> None:
    """Nobody pays for a summary that nobody reads."""
    with Served("scripted/latency=60") as served:
        with pytest.raises(httpx.ReadTimeout):
            served.client.post("/v1/chat/completions", json={"messages": messages()}, timeout=0.5)
        until(lambda: len(served.service.runs) == 0)


@pytest.mark.parametrize("stream", [True, False])
def test_a_server_that_stops_gives_what_it_has(stream: bool) -> None:
    """Runs end softly: partial, with the text of what was finished."""
    with Served("scripted/latency=0.3,outage=3-") as served:
        body = {"messages": messages(90), "max_tokens": 3_000, "stream": stream}
        got: list[httpx.Response] = []
        asking = threading.Thread(
            target=lambda: got.append(served.client.post("/v1/chat/completions", json=body))
        )
        asking.start()
        until(lambda: len(served.service.runs) == 1)
        time.sleep(1.0)
        served.server.stop()
        asking.join()
    found = list(chunks(got[0]))[-1] if stream else got[0].json()
    assert found["choices"][0]["finish_reason"] == "length"
    assert found["summarizer"]["reason"] == "cancelled"


# The lines -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Planned(1, 12_000, 1, 9), "Reading 12,000 tokens in 1 record, in 1 part.\n"),
        (Planned(600, 900_000, 13, 99), "Reading 900,000 tokens in 600 records, in 13 parts.\n"),
        (
            CeilingLearned("m", 4_000, None),
            "m writes at most 4,000 tokens in one call; the plan follows that.\n",
        ),
        (CeilingLearned("m", None, 8_000), None),
        (Replanned(4), "What is left is read in 4 parts.\n"),
        (SectionDone(0.25, 6, 41.7), "25% of the input is covered; about 6 calls left, 42 s.\n"),
        (SectionDone(1.0), "100% of the input is covered.\n"),
        (SectionDone(0.0, 6), None),
        (CallProgress(1, "m", 100), None),
        (SectionFinal("text", 0, 1), None),
    ],
)
def test_lines_about_events(event: Event, line: str | None) -> None:
    """Short, with the numbers that matter."""
    assert Progress(0.0).line(event, 1.0) == line


def test_lines_about_waiting() -> None:
    """Who is waited for, and what came so far."""
    progress = Progress(0.0)
    assert progress.standing(3.0) == "Still reading the input; 3 s.\n"
    progress.line(Planned(9, 900, 3, 9), 4.0)
    assert progress.standing(5.0) == "Still working, no call on its way; 0% covered, 5 s.\n"
    for number in (1, 2):
        progress.line(CallStarted(number, "m", 9, 9), 6.0)
    progress.line(CallProgress(2, "m", 1_200), 7.0)
    line = "Waiting for 2 calls to m, which wrote 1,200 characters so far; 0% covered, 9 s.\n"
    assert progress.standing(9.0) == line
    progress.line(CallEnded(2, "m", "Completed", 1.0, 9, 9), 10.0)
    assert progress.standing(11.0) == "Waiting for 1 call to m; 0% covered, 11 s.\n"


def test_what_is_covered_is_not_told_too_often() -> None:
    """Once a second at most, save for the end."""
    progress = Progress(0.0)
    told = [progress.line(SectionDone(share, 1, 1.0), at) for share, at in ((0.1, 0), (0.2, 0.5), (1.0, 0.6))]
    assert [bool(line) for line in told] == [True, False, True]


@pytest.mark.parametrize("text", ["", "a\nb\n", "x" * 7_000, ("line\n" * 3_000) + "end", "字" * 5_000])
def test_pieces_are_the_text(text: str) -> None:
    """Whatever it is made of."""
    pieces = list(in_pieces(text))
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= 2_000 for piece in pieces)

"""Whether a call is streamed, and what an endpoint has shown of that. Pure but for what is remembered."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from enum import Enum

from summarizer_providers import catalog, timing
from summarizer_providers.types import Call, Failure, Reply

__all__ = ["UNREADABLE", "Mode", "Modes", "asked", "other_way"]

_REFUSING = {400, 403, 404, 405, 415, 422, 501}
_OPTIONS = re.compile(r"stream_options|include_usage", re.I)
_STREAM = re.compile(r"(?<![\w-])[\"'`]?stream(?:ing|ed|s)?(?:=true)?\b", re.I)
_REQUIRED = re.compile(
    r"stream\w*\W.{0,40}\b(?:required|recommended|must be (?:true|enabled|set))"
    r"|(?:only|must)\b.{0,30}\bstream"
    r"|`?stream`?\W{0,3}(?:=|to|is) ?true",
    re.I,
)
UNREADABLE = {"EmptyResponse"}
"""Kinds of failures that are answers which came whole and cannot be read."""


class Mode(Enum):
    """How an endpoint is asked: in pieces with the usage behind them, in pieces alone, or as a whole."""

    WITH_USAGE = "with usage"
    BARE = "bare"
    WHOLE = "whole"


@dataclass(slots=True)
class Modes:
    """What endpoints were seen to refuse, kept while the process runs. Safe between threads."""

    _seen: dict[catalog.Endpoint, Mode]
    _always: set[catalog.Endpoint]

    def __init__(self) -> None:
        self._seen, self._always = {}, set()

    def prepared(self, call: Call) -> Call:
        """The call with its way of asking: the caller's where it said one, else by its length."""
        if not self._seen and not self._always:
            return asked(call, Mode.WITH_USAGE, timing.streams(call) if call.stream is None else call.stream)
        endpoint = catalog.endpoint(call.model, os.environ)
        long = timing.streams(call) or endpoint in self._always
        return asked(
            call, self._seen.get(endpoint, Mode.WITH_USAGE), long if call.stream is None else call.stream
        )

    def remember(self, call: Call) -> None:
        """The endpoint took this call, another way of asking having been refused."""
        endpoint = catalog.endpoint(call.model, os.environ)
        if call.stream:
            self._seen[endpoint] = Mode.WITH_USAGE if call.stream_usage else Mode.BARE
            self._always.add(endpoint)
        else:
            self._seen[endpoint] = Mode.WHOLE
            self._always.discard(endpoint)


def asked(call: Call, mode: Mode, stream: bool) -> Call:
    """The call asked in a mode; one that is not to be streamed is asked as a whole in any."""
    return replace(
        call,
        stream=stream and mode is not Mode.WHOLE,
        stream_usage=call.stream_usage and mode is not Mode.BARE,
    )


def other_way(call: Call, result: Reply | Failure) -> Call | None:
    """The same call asked another way, where the endpoint refused the way it was asked: without
    ``stream_options``, as a whole, or, where it demands that, as a stream. None where that is not it.
    """
    if not isinstance(result, Failure):
        return None
    words = f"{result.param or ''} {result.message}"
    refused = result.status in _REFUSING
    if not call.stream:
        return replace(call, stream=True) if refused and _REQUIRED.search(words) else None
    if refused and call.stream_usage and _OPTIONS.search(words):
        return replace(call, stream_usage=False)
    unreadable = result.kind in UNREADABLE and result.status == 502 and not result.text
    return replace(call, stream=False) if unreadable or (refused and _STREAM.search(words)) else None

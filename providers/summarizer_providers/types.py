"""What goes to a model endpoint and what comes back: plain frozen values, without behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Call", "Failure", "Hints", "Message", "Model", "Passage", "Reply"]


@dataclass(frozen=True, slots=True)
class Model:
    """A model at an address, named as litellm names it (``openai/gpt-4o-mini``).

    ``api_base`` is the address (litellm's variables for the route where None), ``api_key_env`` the name
    of the environment variable that holds the key (never the key itself), ``max_output_tokens`` and
    ``context_window`` the limits in tokens where they are known better than litellm's tables know them,
    ``extra`` further arguments for the route (for ``scripted/…`` models the parameters of the script).
    """

    name: str
    api_base: str | None = None
    api_key_env: str | None = None
    max_output_tokens: int | None = None
    context_window: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def route(self) -> str:
        """What stands before the first slash of the name; empty where there is none."""
        return self.name.partition("/")[0] if "/" in self.name else ""


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message of a prompt."""

    role: Literal["system", "user"]
    content: str


@dataclass(frozen=True, slots=True)
class Passage:
    """One stretch of what is to be summarized, told apart from the prompt around it.

    ``position`` is the place of its record in the whole input (from 0), ``role`` who speaks (``user``,
    ``assistant``, ``tool``, ``system``, …; ``summary`` where the passage is an earlier summary).
    """

    position: int
    role: str
    text: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Hints:
    """The same request as the prompt's, in types: local transports use it instead of parsing the prompt.

    ``target`` is the length to aim at, in the counter's tokens; ``total`` the number of records of the
    whole input, so that a passage's position can be weighed; ``encoding`` the name of the counter.
    """

    passages: tuple[Passage, ...]
    target: int
    total: int
    focus: str | None = None
    encoding: str = "o200k_base"


@dataclass(frozen=True, slots=True)
class Call:
    """One request to one endpoint.

    ``max_tokens`` is the output limit that is sent, in the endpoint's tokens (0: none is sent);
    ``prompt_tokens`` our own count of the messages; ``timeout`` is the most seconds that it may take (None:
    what follows from its tokens, see ``timing.limit``); ``retries`` is how many further requests short faults
    of transport may cost; ``scale`` is the endpoint's tokens per token of our counter, where that was seen;
    ``stream`` is whether the answer is to come in pieces (None: the client decides), ``stream_usage`` whether
    the usage is asked for with them, ``silence`` the seconds without a byte after which a stream is given up.
    """

    id: int
    model: Model
    messages: tuple[Message, ...]
    hints: Hints
    max_tokens: int
    prompt_tokens: int
    timeout: float | None = None
    retries: int = 2
    scale: float | None = None
    stream: bool | None = None
    stream_usage: bool = True
    silence: float = 120.0


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as the endpoint gave it.

    ``finish_reason`` is the provider's own word where it is known. Token numbers are the provider's, or
    None where it gave none (then nothing is learned from them); ``cost`` is in US dollars, None if unknown.
    ``reasoning_text`` is hidden reasoning that came beside the text, ``streamed`` whether the answer came in
    pieces (then one without a finish reason is cut).
    """

    text: str
    finish_reason: str | None = "stop"
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int = 0
    cost: float | None = None
    reasoning_text: str = ""
    streamed: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that gave no answer: what the transport or the provider said of it.

    ``status`` is the HTTP status (None if there was no reply at all), ``code`` the provider's error code,
    ``kind`` the transport's name for the error, ``retry_after`` in seconds, ``param`` the argument that the
    provider names as the wrong one, ``fields`` the whole numbers that stand beside the words, by their names
    (``n_ctx``), ``codes`` every other code, ``body`` the start of the answer as it came, for reading alone:
    it is never shown or kept, and may hold what was sent; ``text`` is what had been written of an answer
    that broke off.
    """

    message: str
    status: int | None = None
    code: str | None = None
    kind: str = ""
    retry_after: float | None = None
    param: str | None = None
    fields: tuple[tuple[str, int], ...] = ()
    codes: tuple[str, ...] = ()
    body: str = field(default="", repr=False, compare=False)
    text: str = ""

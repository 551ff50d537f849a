"""What goes over the wire in OpenAI's dialect: the request as it is checked, the answers as they are sent."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

from summarizer.budget import MAX_BUDGET, MIN_BUDGET

__all__ = [
    "ChatRequest",
    "Choice",
    "Chunk",
    "ChunkChoice",
    "Completion",
    "Delta",
    "Listed",
    "Message",
    "Models",
    "Said",
    "StreamOptions",
    "TokenUsage",
]

_Tokens = Annotated[int, Field(strict=True, ge=MIN_BUDGET, le=MAX_BUDGET)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="allow")


class Message(_Request):
    """A message: any role, and content in any shape that occurs; further fields are read as well."""

    role: StrictStr
    content: StrictStr | list[Any] | dict[str, Any] | None = None


class StreamOptions(_Request):
    """What a stream has beside its text."""

    include_usage: StrictBool | None = None


class ResponseFormat(_Request):
    """Plain text is the one form there is."""

    type: Literal["text"]


class ChatRequest(_Request):
    """A request for a chat completion of at most ``max_tokens`` tokens. What says how a model samples is
    accepted and changes nothing.
    """

    messages: Annotated[list[Message], Field(min_length=1)]
    model: StrictStr | None = None
    max_tokens: _Tokens | None = None
    max_completion_tokens: _Tokens | None = None
    n: Annotated[StrictInt, Field(ge=1, le=1)] | None = None
    stream: StrictBool | None = None
    stream_options: StreamOptions | None = None
    response_format: ResponseFormat | None = None
    tool_choice: Literal["none", "auto"] | None = None

    @property
    def most_tokens(self) -> int | None:
        """The most tokens that the answer may have, where the client says it."""
        return self.max_tokens if self.max_completion_tokens is None else self.max_completion_tokens


class TokenUsage(BaseModel):
    """Tokens of the request's messages and of the answer; what calls used is in ``summarizer.usage``."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Said(BaseModel):
    """The answer."""

    role: Literal["assistant"] = "assistant"
    content: str


class Choice(BaseModel):
    """The one answer; ``length`` where parts of the input are missing in it."""

    index: int = 0
    message: Said
    finish_reason: Literal["stop", "length"]
    logprobs: None = None


class Completion(BaseModel):
    """The answer to a request that is not streamed; ``summarizer`` says what it covers and what it cost."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: TokenUsage
    summarizer: dict[str, Any]


class Delta(BaseModel):
    """What a chunk adds: text, or as reasoning how far the work is (under the two names in use)."""

    role: Literal["assistant"] | None = None
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class ChunkChoice(BaseModel):
    """What is new of the one answer."""

    index: int = 0
    delta: Delta
    finish_reason: Literal["stop", "length"] | None = None
    logprobs: None = None


class Chunk(BaseModel):
    """A part of an answer that is streamed; the one that ends it has ``summarizer``."""

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: TokenUsage | None = None
    summarizer: dict[str, Any] | None = None


class Listed(BaseModel):
    """A model that can be named; the context is what the gateway takes, whatever the model behind it."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str
    context_length: int
    max_model_len: int


class Models(BaseModel):
    """The models that can be named."""

    object: Literal["list"] = "list"
    data: list[Listed]

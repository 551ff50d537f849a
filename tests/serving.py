"""The real application under uvicorn on loopback, in a thread, with models that follow a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

import httpx
import openai

from summarizer import Settings, Summarizer
from summarizer.server.service import Limits, Service
from summarizer.server.serving import Server, listening

TOKENS = 900


class Served:
    """A server with this ladder; ``client`` speaks plain HTTP to it, ``openai`` is the official package."""

    def __init__(
        self, *models: str, limits: Limits | None = None, settings: Sequence[tuple[str, Any]] = ()
    ) -> None:
        chosen = {"chunk_tokens": 512, **dict(settings)}
        self.summarizer = Summarizer(Settings(models=models or ("scripted/seed=1",), **chosen))
        self.service = Service(self.summarizer, limits)
        self.server = Server(self.service)
        self._listener = listening("127.0.0.1", 0)
        self.root = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self.server.serve_on, args=(self._listener,))
        self.client = httpx.Client(base_url=self.root, timeout=60)
        self.openai = openai.OpenAI(base_url=f"{self.root}/v1", api_key="sk-none", max_retries=0, timeout=60)

    def __enter__(self) -> Served:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
        self.openai.close()
        self.server.stop()
        self._thread.join()
        self._listener.close()
        self.summarizer.close()

    def chat(self, messages: Any, *, patience: float | None = None, **fields: Any) -> httpx.Response:
        """What a plain client gets, which may say for how many seconds it waits."""
        headers = {} if patience is None else {"x-stainless-read-timeout": str(patience)}
        body = {"messages": messages, "max_tokens": TOKENS, **fields}
        return self.client.post("/v1/chat/completions", content=json.dumps(body), headers=headers)

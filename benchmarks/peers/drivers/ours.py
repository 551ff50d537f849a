"""This project in the comparison: default settings, the budget, and a model at an address."""

from __future__ import annotations

import os
from dataclasses import replace

from benchmarks.peers.job import Done, Job
from summarizer import Model, Settings, summarize
from summarizer.events import CallEnded, Event

__all__ = ["compact"]


def compact(job: Job) -> Done:
    """One call. What it tells: cuts among its events, its notices, and why a result is partial."""
    os.environ["HOUSE_KEY"] = "local"
    model = Model(
        f"openai/{job.model}", api_base=job.base_url, api_key_env="HOUSE_KEY", context_window=job.window
    )
    ends: list[str] = []

    def note(event: Event) -> None:
        if isinstance(event, CallEnded):
            ends.append(f"call {event.call} ended: {event.outcome}")

    settings = Settings(data_dir=job.folder)
    result = summarize(job.messages, job.budget, models=[model], settings=settings, on_event=note)
    told = [f"{notice.code}: {notice.message}" for notice in result.notices]
    told.append(f"{result.status}: {result.usage.wasted_output_tokens} output tokens wasted")
    return replace(Done(), text=result.text, said=(*ends, *told))

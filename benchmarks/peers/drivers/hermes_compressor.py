"""hermes-agent's own context compressor in the comparison, called as its agent calls it."""

from __future__ import annotations

import json
import os
from pathlib import Path

from benchmarks.peers.job import Done, Job, said_by

__all__ = ["compact"]


def compact(job: Job) -> Done:
    """One compaction with as small a protected head and tail as its settings allow."""
    os.environ["HERMES_HOME"] = job.folder
    # What `hermes model` writes for an endpoint of one's own; JSON is YAML, too.
    model = {"default": job.model, "provider": "custom", "base_url": job.base_url, "api_key": "local"}
    Path(job.folder, "config.yaml").write_text(json.dumps({"model": model}), "utf-8")
    from agent.context_compressor import (  # type: ignore[import-not-found,unused-ignore]
        ContextCompressor,
    )

    compressor = ContextCompressor(
        job.model,
        threshold_percent=0.05,
        protect_first_n=0,
        protect_last_n=1,
        summary_target_ratio=0.10,
        base_url=job.base_url,
        api_key="local",
        config_context_length=job.window,
        provider="custom",
        max_tokens=job.budget,
    )
    kept = compressor.compress([dict(message) for message in job.messages])
    told = [
        f"{name}: {value}"
        for name in ("_last_summary_error", "_last_summary_fallback_used", "_last_compress_aborted")
        if (value := getattr(compressor, name, None))
    ]
    return Done("\n\n".join(map(said_by, kept)), tuple(told))

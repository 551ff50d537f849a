"""Between a run and the store of observations: what endpoints begin with, and what their answers add."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean

from summarizer.endpoints import Endpoint
from summarizer.habits import Habits
from summarizer.opening import open_store
from summarizer.planning import output_size
from summarizer.result import Complete, Notice, Partial
from summarizer.sizing import Sizing
from summarizer_providers import advice, catalog, timing
from summarizer_providers.learning import Bounds, Length, learn
from summarizer_providers.observations import endpoint_key, reasoning_mode
from summarizer_providers.store import Store
from summarizer_providers.types import Model

__all__ = ["begun", "key_of", "keys_of", "known", "open_store", "with_knowledge", "with_notice"]


def key_of(model: Model, *, streaming: bool) -> str:
    """The name under which a model at its address is remembered; what it can do may depend on streaming."""
    mode = reasoning_mode(model.extra)
    return endpoint_key(catalog.endpoint(model, os.environ), streaming=streaming, reasoning=mode)


def keys_of(models: Iterable[Model]) -> dict[tuple[Model, bool], str]:
    """The names of models, with streaming and without."""
    return {
        (model, streaming): key_of(model, streaming=streaming)
        for model in models
        for streaming in (False, True)
    }


def known(store: Store, key: str) -> Bounds:
    """What is known of an endpoint."""
    return Bounds() if store.is_untouched else learn(store.about(key))


def with_knowledge(endpoint: Endpoint, store: Store, sizing: Sizing, share: float) -> Endpoint:
    """An endpoint that begins with what was learned of it before; the offline model has nothing to learn.

    ``share`` tokens will be asked for per token read. Where nothing is known of answers of the kind that will
    be asked for, streamed or not, what is known of the other kind is the best guess.
    """
    if endpoint.is_offline:
        return endpoint
    read = sizing.most(endpoint)
    written = min(output_size(endpoint.limits), int(share * read))
    streaming = endpoint.model.route != "scripted" and timing.is_long(read, written)
    usual, other = (
        known(store, key_of(endpoint.model, streaming=mode)) for mode in (streaming, not streaming)
    )
    like = (*other.like(share, sizing.overhead), *usual.like(share, sizing.overhead))
    return begun(endpoint, usual if usual.count else other, like, time.time())


def begun(endpoint: Endpoint, bounds: Bounds, like: Sequence[Length], now: float) -> Endpoint:
    """An endpoint with what is known of it at ``now`` (seconds since the epoch): its bounds, and the lengths
    of answers ``like`` those that will be asked for.
    """
    if not bounds.count:
        return endpoint
    declared = endpoint.limits
    return replace(
        endpoint,
        limits=advice.limits(bounds, declared.declared, declared.window, now),
        habits=_habits(bounds, like),
    )


def _habits(bounds: Bounds, like: Sequence[Length]) -> Habits:
    """How it wrote when it was asked for as much per token read; of other requests the lengths alone tell."""
    ratios = [written / asked for asked, written, _ in like] or [bounds.obedience or 1.0]
    return Habits(
        written=sum(written for _, written, _ in like),
        read=sum(read for _, _, read in like),
        obedience=min(3.0, max(0.5, fmean(ratios))),
        proved=bounds.proved.value if bounds.proved else 0,
        seen=len(like),
    )


def with_notice(result: Complete | Partial, store: Store) -> Complete | Partial:
    """The result, and why nothing that was learned could be kept, if that is so."""
    if store.trouble is None:
        return result
    return replace(result, notices=(*result.notices, Notice("store", store.trouble)))

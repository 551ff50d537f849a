"""hermes as the engine meets it: the only place that reaches into it, and what it must have for that."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

from summarizer.hermes.messages import text_of
from summarizer.hermes.session import Measure
from summarizer_providers.tokens import get_counter

__all__ = [
    "configuration",
    "find_speaker",
    "measured",
    "memory_text",
    "merge_marks",
    "own_marks",
    "redactor",
    "say",
    "threshold_for",
    "tick",
    "unexpected",
    "without_prefix",
    "without_thoughts",
]

_COMPRESSOR = "agent.context_compressor"
_METHODS = {
    "__init__": (
        *("model", "threshold_percent", "protect_first_n", "protect_last_n", "summary_target_ratio"),
        *("quiet_mode", "config_context_length", "abort_on_summary_failure"),
    ),
    "compress": ("messages", "current_tokens", "focus_topic", "force"),
    "update_model": ("model", "context_length", "base_url", "api_key", "provider", "api_mode"),
    "on_session_reset": (),
    "has_content_to_compress": ("messages",),
    "_protect_head_size": ("messages",),
    "_align_boundary_forward": ("messages", "idx"),
    "_find_tail_cut_by_tokens": ("messages", "head_end"),
    "_ensure_last_user_message_in_tail": ("messages", "cut_idx", "head_end"),
    "_prune_old_tool_results": ("messages", "protect_tail_count", "protect_tail_tokens"),
    "_generate_summary": ("turns_to_summarize",),
    "_find_latest_context_summary": ("messages", "start", "end"),
    "_ground_historical_task_snapshot": ("summary", "messages"),
    "_with_summary_prefix": ("summary",),
    "_strip_summary_prefix": ("summary",),
    "_is_context_summary_content": ("content",),
    "_clear_compression_failure_cooldown": (),
    "_record_compression_failure_cooldown": ("cooldown_seconds", "error"),
}
"""The built-in compressor's methods that are called or overridden, with the arguments that are passed."""


def unexpected() -> str | None:
    """What of hermes is not as the engine needs it, in a few words; None if all is."""
    try:
        compressor = import_module(_COMPRESSOR).ContextCompressor
    except (ImportError, AttributeError) as error:
        return f"hermes' ContextCompressor cannot be loaded ({error})"
    for name, expected in _METHODS.items():
        method = getattr(compressor, name, None)
        if not callable(method):
            return f"ContextCompressor.{name} is missing"
        taken = inspect.signature(method).parameters
        lacking = [each for each in expected if each not in taken]
        if lacking:
            return f"ContextCompressor.{name} takes no {lacking[0]}"
    return None


def configuration() -> Mapping[str, Any]:
    """hermes' ``config.yaml``; empty where it cannot be read, which hermes itself reports."""
    try:
        found = import_module("hermes_cli.config").load_config()
    except Exception:  # noqa: BLE001 - whatever a foreign reader raises
        return {}
    return found if isinstance(found, Mapping) else {}


def redactor() -> Callable[[str], str]:
    """hermes' masking of secrets, which follows the user's own setting of it."""
    masked: Callable[[str], str] = import_module("agent.redact").redact_sensitive_text
    return masked


def without_thoughts(content: str) -> str:
    """An assistant's words without what it only thought."""
    stripped: str = import_module("agent.agent_runtime_helpers").strip_think_blocks(None, content)
    return stripped


def memory_text(context: str) -> str:
    """What a memory provider wants kept, made safe and short by hermes (at most 6,000 characters)."""
    safe: str = import_module("agent.context_engine").sanitize_memory_context(context)
    return safe


def measured(messages: list[dict[str, Any]], current: int | None) -> Measure:
    """How long a session is, by hermes' estimate and by the gateway's counter; ``current`` tokens has the
    whole prompt.
    """
    rough = import_module("agent.model_metadata").estimate_messages_tokens_rough
    count = get_counter().count
    counted = [count(f"{text_of(message)}{message.get('tool_calls') or ''}") for message in messages]
    return Measure([int(rough([message])) for message in messages], counted, max(0, current or 0))


def merge_marks() -> tuple[str, str]:
    """The lines before and after what a message held before a summary was merged into it."""
    module = import_module(_COMPRESSOR)
    return (
        str(getattr(module, "_MERGED_PRIOR_CONTEXT_HEADER", "")),
        str(getattr(module, "_MERGED_SUMMARY_DELIMITER", "\0")),
    )


def without_prefix(text: str) -> str:
    """A summary's row without the words that hermes puts before every summary."""
    module = import_module(_COMPRESSOR)
    return text.replace(str(getattr(module, "SUMMARY_PREFIX", "\0")), "").strip()


def own_marks() -> tuple[str, ...]:
    """Texts by which hermes finds the parts of its own summaries, and cuts them."""
    module = import_module(_COMPRESSOR)
    names = ("_MERGED_SUMMARY_DELIMITER", "_SUMMARY_END_MARKER", "HISTORICAL_TASK_HEADING", "SUMMARY_PREFIX")
    found = (str(getattr(module, name, "")) for name in (*names, "LEGACY_SUMMARY_PREFIX"))
    return tuple(mark for mark in found if mark)


def threshold_for(threshold: float, model: str, provider: str, config: Mapping[str, Any]) -> float:
    """The share of the context at which hermes would compact with this model: some have one of their own."""
    compression = config.get("compression")
    raise_codex = not isinstance(compression, Mapping) or compression.get("codex_gpt55_autoraise", True)
    try:
        client, init = import_module("agent.auxiliary_client"), import_module("agent.agent_init")
        own = client._compression_threshold_for_model(
            model, provider, allow_codex_gpt55_autoraise=str(raise_codex).lower() in ("true", "1", "yes")
        )
        codex = client._is_codex_gpt54_or_gpt55(model, provider) or client._is_codex_spark(model, provider)
        found, _ = init._resolve_compression_threshold(threshold, own, model=model, is_codex_autoraise=codex)
        return float(found)
    except Exception:  # noqa: BLE001 - without this table the user's own threshold holds
        return threshold


def tick() -> None:
    """Tell a host that watches for progress that there is some; does nothing elsewhere."""
    module = sys.modules.get("agent.auxiliary_client")
    notify = getattr(module, "_notify_aux_progress", None)
    if callable(notify):
        notify()


_DEEPEST = 12


def find_speaker(engine: object) -> Any | None:
    """The agent on whose behalf ``engine`` works: the host gives an engine no way to say anything to the
    user, but the agent that called it has one, and stands a few frames up the stack.
    """
    frame = inspect.currentframe()
    for _ in range(_DEEPEST):
        if frame is None:
            return None
        agent = frame.f_locals.get("agent")
        if agent is not None and getattr(agent, "context_compressor", None) is engine:
            return agent
        frame = frame.f_back
    return None


def say(speaker: Any, words: str) -> None:
    """Tell the user something through the agent that hermes runs, if there is one; the log has it anyway."""
    emit = getattr(speaker, "_emit_status", None)
    if callable(emit):
        with suppress(Exception):  # whatever shows it to the user
            emit(f"🗜 {words}")

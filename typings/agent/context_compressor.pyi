"""What of hermes' built-in compressor this project's engine stands on, and nothing else of it."""

from typing import Any

Messages = list[dict[str, Any]]

class ContextCompressor:
    threshold_percent: float
    threshold_tokens: int
    context_length: int
    compression_count: int
    protect_first_n: int
    protect_last_n: int
    summary_target_ratio: float
    tail_token_budget: int
    abort_on_summary_failure: bool
    max_tokens: int | None
    model: str
    base_url: str
    api_key: Any
    provider: str
    api_mode: str
    last_prompt_tokens: int
    quiet_mode: bool
    _configured_threshold_percent: float
    _session_id: str
    _session_db: Any
    _previous_summary: str | None
    _ineffective_compression_count: int
    _last_compression_savings_pct: float
    _last_compress_aborted: bool
    _last_compression_made_progress: bool
    _last_summary_error: str | None
    _last_summary_dropped_count: int
    _last_summary_fallback_used: bool
    _last_summary_auth_failure: bool
    _last_summary_network_failure: bool
    _last_aux_model_failure_error: str | None
    _last_aux_model_failure_model: str | None

    def __init__(
        self,
        model: str,
        threshold_percent: float = ...,
        protect_first_n: int = ...,
        protect_last_n: int = ...,
        summary_target_ratio: float = ...,
        quiet_mode: bool = ...,
        *,
        config_context_length: int | None = ...,
        abort_on_summary_failure: bool = ...,
        max_tokens: int | None = ...,
    ) -> None: ...
    @property
    def name(self) -> str: ...
    def update_model(
        self,
        model: str,
        context_length: int,
        base_url: str = ...,
        api_key: Any = ...,
        provider: str = ...,
        api_mode: str = ...,
        max_tokens: int | None = ...,
    ) -> None: ...
    def compress(
        self,
        messages: Messages,
        current_tokens: int | None = ...,
        focus_topic: str | None = ...,
        force: bool = ...,
        memory_context: str = ...,
    ) -> Messages: ...
    def has_content_to_compress(self, messages: Messages) -> bool: ...
    def get_status(self) -> dict[str, Any]: ...
    def get_tool_schemas(self) -> list[dict[str, Any]]: ...
    def handle_tool_call(self, name: str, args: dict[str, Any], **kwargs: Any) -> str: ...
    def on_session_reset(self) -> None: ...
    def _protect_head_size(self, messages: Messages) -> int: ...
    def _align_boundary_forward(self, messages: Messages, idx: int) -> int: ...
    def _find_tail_cut_by_tokens(
        self, messages: Messages, head_end: int, token_budget: int | None = ...
    ) -> int: ...
    def _ensure_last_user_message_in_tail(self, messages: Messages, cut_idx: int, head_end: int) -> int: ...
    def _prune_old_tool_results(
        self, messages: Messages, protect_tail_count: int, protect_tail_tokens: int | None = ...
    ) -> tuple[Messages, int]: ...
    def _generate_summary(
        self, turns_to_summarize: Messages, focus_topic: str | None = ..., memory_context: str = ...
    ) -> str | None: ...
    @classmethod
    def _find_latest_context_summary(
        cls, messages: Messages, start: int, end: int
    ) -> tuple[int | None, str]: ...
    @classmethod
    def _ground_historical_task_snapshot(cls, summary: str, messages: Messages) -> str: ...
    @classmethod
    def _with_summary_prefix(cls, summary: str) -> str: ...
    @staticmethod
    def _strip_summary_prefix(summary: str) -> str: ...
    @staticmethod
    def _is_context_summary_content(content: Any) -> bool: ...
    def _clear_compression_failure_cooldown(self) -> None: ...
    def _record_compression_failure_cooldown(self, cooldown_seconds: float, error: str | None) -> None: ...
    def _ensure_last_assistant_message_in_tail(
        self, messages: Messages, cut_idx: int, head_end: int
    ) -> int: ...

"""What errors, codes and finish reasons say, told by the words and codes that are used for it."""

from __future__ import annotations

from summarizer_providers.understanding.lexicon import Lexicon

__all__ = [
    "ACCOUNT_CODES",
    "CONTENT",
    "CONTENT_CODES",
    "CONTEXT_CODES",
    "CREDIT",
    "CREDIT_CODES",
    "FINISH_BLOCKED",
    "FINISH_BROKEN",
    "FINISH_CUT",
    "FINISH_GUARDED",
    "FINISH_PAUSED",
    "FINISH_WINDOW",
    "FORM",
    "LEXICONS",
    "OUTPUT_CODES",
    "OUTPUT_REFUSED",
    "OVERFLOW",
    "PARAMETERS",
    "QUOTA",
    "QUOTA_CODES",
    "RAISE",
    "STREAM",
    "SUBJECTS",
    "TOO_MUCH",
    "UNKNOWN",
    "UNSUPPORTED",
]

# ---- finish reasons, in snake case ----

FINISH_WINDOW = Lexicon("finish: window", ".*(?:context|window).*", "prompt_(?:too_)?long|input_length.*")
"""Finish reasons of a full window."""
FINISH_CUT = Lexicon("finish: cut", ".*(?:length|max|token_?limit|truncat|incomplete|output_limit).*")
"""Finish reasons of answers that reached an output limit."""
FINISH_GUARDED = Lexicon("finish: guard", ".*guardrail.*")
"""Finish reasons of a guard of the account's own."""
FINISH_BLOCKED = Lexicon(
    "finish: blocked",
    ".*(?:filter|safety|blocklist|block(?:ed)?$|guard|toxic|refus|sensitive|polic|moderat|prohibit"
    "|recitation).*",
    "spii|language|.*harm.*|.*violation.*",
)
"""Finish reasons of filters and refusals."""
FINISH_BROKEN = Lexicon(
    "finish: broken off",
    ".*(?:error|abort|cancel|fail|time_?out|network|interrupt|insufficient|resource|overload|malformed).*",
    "load|other|unload|disconnect.*|shutdown|preempt.*",
)
"""Finish reasons of answers that were broken off."""
FINISH_PAUSED = Lexicon("finish: paused", "pause.*")
"""Finish reasons of a turn that waits for something."""

# ---- codes, in snake case ----

CONTEXT_CODES = Lexicon(
    "codes: context",
    ".*(?:context|ctx|prompt|input).*(?:length|size|window|tokens?|long|large).*(?:exce|over|too|limit"
    "|long|large).*",
    "(?:exceed|over)\\w*_(?:context|prompt|input).*",
    "(?:prompt|input|context)_?(?:is_)?(?:too_?(?:long|large)|overflow|exceeded).*",
    "request_too_large|payload_too_large|.*string_too_long",
    "context_(?:window_)?(?:overflow|exceeded).*|model_max_prompt_tokens_exceeded",
    "1261",
)
"""Codes of prompts that are too long."""
OUTPUT_CODES = Lexicon("codes: output", "invalid_max_tokens|max_tokens_(?:exceeded|too_large|invalid)")
"""Codes of an output limit that was refused."""
CONTENT_CODES = Lexicon(
    "codes: content",
    "content_?(?:filter|polic|moderat|blocked|safety|violation).*",
    ".*(?:moderation|sensitive|safety)_?(?:blocked|failed|error|check|rejected).*",
    "data_inspection_failed|responsible_?ai_?policy_?violation|1301",
    "prohibited_content|flagged.*",
)
"""Codes of filters."""
QUOTA_CODES = Lexicon(
    "codes: quota",
    "insufficient_quota|quota_(?:exhausted|exceeded_forever)|.*usage_limit_reached",
    ".*per_day.*|.*perday.*|.*daily.*",
    "1304|1308",
)
"""Codes of quotas that last for days."""
CREDIT_CODES = Lexicon(
    "codes: credit",
    "billing_(?:not_active|hard_limit.*)|insufficient_(?:balance|credits?|funds)|payment_required|arrearage",
    "1113",
)
"""Codes of money that has run out."""
ACCOUNT_CODES = Lexicon(
    "codes: account",
    "access_terminated|account_(?:deactivated|suspended|disabled)|authentication_error|unauthorized",
    "(?:invalid|missing|incorrect|expired)_?(?:api_?key|token|credentials?|address)|permission_denied",
    "forbidden",
    "model_(?:not_found|not_exist.*|decommissioned|deprecated|retired)|not_installed|unrecognized_client.*",
)
"""Codes of keys, rights and models."""

# ---- words ----

CONTENT = Lexicon(
    "words: content",
    r"content[ _-](?:management|filter|policy|exists risk|safety|moderation)|content filtering",
    r"safety (?:system|filter|settings|polic)|\bflagged\b|\bmoderation\b",
    r"(?:inappropriate|harmful|unsafe|sensitive) content",
    r"considered high risk|usage polic|violat\w+ (?:our|the|of) [\w' ]{0,30}(?:polic|guideline|terms)",
    "敏感内容|敏感信息|内容安全|不安全|违规|审核未通过|不適切な(?:内容|コンテンツ)",
)
"""Words of filters."""
CREDIT = Lexicon(
    "words: credit",
    r"insufficient (?:balance|credits?|funds)|(?:credit balance|balance) is too low|payment required",
    r"(?:out of|no|more|add|purchase|enough) (?:more |api )?(?:credits?|funds)\b|top up|your balance is",
    "余额不足|欠费|账户余额|残高不足|残高が不足",
)
"""Words of money that has run out."""
QUOTA = Lexicon(
    "words: quota",
    r"insufficient quota|(?:daily|monthly|weekly) (?:\w+ ){0,2}(?:quota|limit|allowance)",
    r"\bper (?:day|month|week)\b",
    r"quota (?:\w+ ){0,4}(?:exhausted|used up)|perday",
    r"free (?:tier|usage|plan) (?:\w+ )?(?:exhausted|used up)",
    "每日|额度已用(?:完|尽)|配额已用",
)
"""Words of quotas that last for days."""
UNKNOWN = Lexicon(
    "words: account",
    r"api[ _-]?key (?:is )?(?:not valid|invalid|expired|missing)",
    r"(?:invalid|incorrect|missing|no) api[ _-]?key",
    r"api_key client option must be set|llm provider not provided|unauthorized|authentication failed",
    r"\bmodel\b.{0,80}\b(?:not found|not exist|does(?: not|n't) exist|not supported|(?:not|un)available)",
    r"(?:no such|unknown|invalid) model\b",
    r"\bmodel\b.{0,60}\b(?:retired|deprecated|decommissioned|discontinued)",
    r"模型不存在|模型\S{0,30}(?:不存在|已下线)|no endpoints? found|密钥|api ?key无效",
)
"""Words of keys and models that are not known."""
OVERFLOW = Lexicon(
    "words: overflow",
    r"context[ _-]?(?:length|window|size|limit|overflow)|max(?:imum)? (?:input|prompt|sequence) length",
    r"reduce (?:the|your) (?:length|size|number)|shorten (?:the|your)|fewer inputs",
    r"shorter (?:input|prompt|text)",
    r"model token limit|too many (?:input |prompt )?tokens|tokens? in (?:the |your )?(?:prompt|request)",
    r"max_?model_?len|maximum position embeddings|range of input length|longer than (?:we|the model|it) can",
    r"(?:request|payload|body|entity|content|message) (?:size |body |entity "
    r"|payload )?(?:is )?(?:too (?:large|long|big)"
    r"|larger than|exceeds?)",
    r"exceeds the (?:maximum|allowed) (?:\w+ )?(?:size|length)",
    r"exceeds? (?:the )?(?:max(?:imum)? )?(?:length|size)",
    "上下文|输入(?:内容)?(?:过长|长度|太长)|超出.{0,12}长度|コンテキスト|長すぎ|(?:入力|プロンプト).{0,8}超え",
    r"text must not exceed|more than the model can (?:read|take|handle)|(?:does|do)(?: not|n't) fit",
)
"""Words of prompts that are too long."""
TOO_MUCH = Lexicon(
    "words: too much",
    r"too (?:long|large|big|many|much)|exceed\w*|longer than|larger than|greater than|more than|beyond",
    r"surpass\w*",
    r"over the|above the|overflow\w*|not fit|>|can only|reached|supports? up to|supports? at most",
    "过长|太长|超过|超出|超限|長すぎ|超え|最多|上限|超過|不能大于",
)
"""Words for being too much."""
SUBJECTS = Lexicon(
    "subjects of an overflow",
    r"\b(?:prompts?|inputs?|conversation|chat history|messages?|request|sequence|text|tokens)\b",
    "输入|提示词?|对话|请求|上下文|プロンプト|入力|会話|コンテキスト",
)
"""What can be too long."""
OUTPUT_REFUSED = Lexicon(
    "words: output refused",
    r"invalid|illegal|not valid|too (?:large|big|high|many|great)|exceed\w*|above",
    r"out of (?:range|bounds)|limit\w*",
    r"maximum|at most|not (?:allowed|permitted|supported)|reduce|lower|less|beyond|higher than",
    r"greater than|<",
    "非法|无效|不合法|超出|超过|过大|错误|不正|無効|大きすぎ|超え",
)
"""Words by which an output limit is refused."""
RAISE = Lexicon(
    "words: output too small",
    r"at least|minimum|too (?:small|low|short)|greater than (?:or equal to )?`?thinking",
    r"(?:with (?:a )?)?higher max",
    r"\b(?:increase|raise) (?:it|the limit|max\w*|your max\w*)|could not (?:finish|be completed|complete)",
    r"max\w* (?:completion )?tokens (?:was |were |is )?reached",
    r"(?:no|not) (?:less|smaller|fewer|lower) than(?! or equal)",
    r"(?:budget\w*|thinking)\b.{0,30}(?:smaller|less|lower) than .{0,4}max|must be (?:>|greater than)",
    "至少|不能小于|太小|过小|以上(?:で|の|を)",
)
"""Words of an output limit that is too small."""
UNSUPPORTED = Lexicon(
    "words: form",
    r"unsupported (?:parameter|value|argument|field)|(?:is|are) not supported",
    r"does(?: not|n't) (?:support|take|accept)",
    r"un(?:known|recognized|expected) (?:field|parameter|argument|keyword|key)|not permitted",
    r"only .{1,20} is allowed",
    r"extra (?:inputs|fields)|use .{1,40} instead|不支持(?:参数|该参数)|サポートされていません",
)
"""Words of arguments that are not taken."""
STREAM = Lexicon(
    "words: stream",
    r"must (?:have|be|use|set) .{0,12}stream|stream(?:ing)? (?:mode )?is (?:required|recommended)",
    r"for streaming",
    r"only (?:available|supported|allowed) (?:for|in|with) stream|requires? .{0,8}stream|set `?stream|流式",
)
"""Words by which a stream is demanded."""
FORM = Lexicon("words: argument", r"\b(?:parameter|argument|field|param)\b", "参数", "パラメータ")
"""Words for an argument."""
PARAMETERS = Lexicon(
    "arguments",
    r"\b(?:temperature|top_?p|top_?k|min_p|n|stop|user|seed|tools?|tool_choice|functions?|logprobs"
    r"|logit_bias)\b",
    r"\b(?:(?:presence|frequency|repetition)_penalty|response_format|reasoning_effort|thinking|metadata"
    r"|store)\b",
    r"\b(?:service_tier|stream(?:_options)?|parallel_tool_calls|stop_sequences|system|role)\b",
)
"""Names of arguments other than the output limit."""
LEXICONS = (
    *(FINISH_WINDOW, FINISH_CUT, FINISH_GUARDED, FINISH_BLOCKED, FINISH_BROKEN, FINISH_PAUSED),
    *(CONTEXT_CODES, OUTPUT_CODES, CONTENT_CODES, QUOTA_CODES, CREDIT_CODES, ACCOUNT_CODES),
    *(
        CONTENT,
        CREDIT,
        QUOTA,
        UNKNOWN,
        OVERFLOW,
        TOO_MUCH,
        SUBJECTS,
        OUTPUT_REFUSED,
        RAISE,
        UNSUPPORTED,
        STREAM,
    ),
    *(FORM, PARAMETERS),
)
"""All lists of this module, for measurements."""

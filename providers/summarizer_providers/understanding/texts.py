"""What an answer's text gives away: reasoning before it, repetition, a refusal, an error in its place."""

from __future__ import annotations

import json
import re

from summarizer_providers.understanding.lexicon import Lexicon

__all__ = [
    "LEXICONS",
    "breaks_off",
    "embedded_error",
    "ends_sentence",
    "ends_whole",
    "is_refusal",
    "repeats",
    "without_reasoning",
]

_NAMES = r"think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
_OPEN = re.compile(
    rf"\s*(?:<({_NAMES})>|\[(THINK)\]|◁(think)▷|<\|channel\|>(analysis)<\|message\|>)", re.IGNORECASE
)
_CLOSE = re.compile(
    rf"(?<!`)(?:</(?:{_NAMES})>|\[/THINK\]|◁/think▷|<\|channel\|>final<\|message\|>)(?!`)", re.IGNORECASE
)
_LOST_OPEN = re.compile(r"(?<!`)(?:</think(?:ing)?>|\[/THINK\]|◁/think▷)(?!`)\s*", re.IGNORECASE)


def without_reasoning(text: str) -> tuple[str, bool]:
    """The answer without a block of reasoning before it, and whether such a block never ended. Where only its
    end came, everything before that is reasoning.
    """
    opened = _OPEN.match(text)
    if opened is None:
        lost = _LOST_OPEN.search(text)
        return (text[lost.end() :], False) if lost else (text, False)
    closed = _CLOSE.search(text, opened.end())
    return ("", True) if closed is None else (text[closed.end() :].lstrip(), False)


# ---- repetition ----

_LINES = 8
_TIMES = 10
_TAIL, _LONGEST = 2_000, 100
"""Characters: at the end of how much text, and how long a stretch that repeats without a line's end."""


def repeats(text: str) -> bool:
    """Whether a text ends in the same lines, or the same words, ten times over and more."""
    lines = [line.strip() for line in text[-8_000:].splitlines() if line.strip()][-3 * _LINES :]
    if len(lines) >= 2 * _LINES and len(set(lines)) <= len(lines) // 4:
        return True
    tail = text.rstrip()[-_TAIL:]
    return any(_has_period(tail, period) for period in range(1, min(_LONGEST, len(tail) // _TIMES) + 1))


def _has_period(tail: str, period: int) -> bool:
    end = tail[-period * _TIMES :]
    return len(end) >= 100 and end[period:] == end[:-period] and any(char.isalnum() for char in end)


# ---- how it ends ----

_ENDS = ".!?…。！？．｡؟।»”\"'’」』)）]】}*`|>~_"
_ITEM = re.compile(r"\s*(?:[-*+•#>|]|\d+[.)]|[A-Za-z][\w ]{0,30}:)\s?")
_OPEN_WORDS = Lexicon(
    "words that end no sentence",
    r"\b(?:a|an|the|of|by|to|in|on|at|with|for|from|and|or|but|that|which|whose|is|are|was|were|has"
    r"|have|had)$",
    r"\b(?:as|than|into|its|their|this|these|those|because|while|when|if|between|about|under|not|be|been)$",
    r"[,、，;；:：(（\[「『\-–—&+=/]$",
)


def ends_whole(text: str) -> bool:
    """Whether the text may well end here: at the end of a sentence, in a list, a table or a title."""
    text = text.rstrip()
    if not text or text[-1] in _ENDS:
        return True
    last = text.splitlines()[-1]
    return (_ITEM.match(last) is not None or len(last.split()) <= 3) and not breaks_off(text)


def ends_sentence(text: str) -> bool:
    """Whether the text ends with the mark of a sentence's end."""
    text = text.rstrip()
    return bool(text) and text[-1] in _ENDS


def breaks_off(text: str) -> bool:
    """Whether the text certainly ends in the middle of a sentence: with a comma, or with a word like "by"."""
    return _OPEN_WORDS.search(text.rstrip()[-40:]) is not None


# ---- errors and refusals in the place of an answer ----

_SHORT = 600
_ERROR = Lexicon(
    "starts of an error",
    r"[\W_]{0,4}(?:\w+ )?(?:api |http |server |upstream |gateway |internal "
    r"|provider )?error(?: code)?\W{0,3}(?:[:(\[\]#]|\d{3}\b)",
    r"[\W_]{0,4}(?:[a-z]+\.)*\w+(?:error|exception)\b\W{0,3}[:(\[{-]",
    r"[\W_]{0,4}(?:http/\d\S* )?[45]\d\d[\] :-]+(?:bad|internal|service|gateway|too many|request|payload"
    r"|unauthorized|forbidden|not)",
    r"(?:upstream|backend|provider|server) (?:connect|request|error|returned|timed|is (?:over|un))",
    r"(?:internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out"
    r"|too many requests)\b",
    r"(?:request|generation|inference|model call) (?:failed|timed out|was rejected|error)\b",
    r"(?:rate limit|quota|context length|maximum context) (?:\w+ )?(?:reached|exceeded|is)\b",
    r"(?:an )?error occurred\b",
    r"(?:the )?(?:model|service|server) is (?:currently )?(?:overloaded|unavailable|busy|not available)\b",
    r"(?:no|invalid|incorrect) (?:available )?(?:api key|channel|deployments?|provider)\b",
    r"(?:请求失败|服务器?(?:错误|繁忙|内部错误)|当前.{0,12}(?:负载|拥挤)|接口.{0,8}错误|错误[:：]|エラー[:：]|サーバーエラー)",
)
_FAULTS = Lexicon(
    "words of faults",
    r"\b[45]\d\d\b|retry|try again|upstream|time[d ]?-?out|overload\w*|unavailable|too many",
    r"rate.?limit|quota|gateway",
    r"\bapi key\b|token|connection|exceed\w*|internal|invalid|failed|denied|unauthorized|deployments?",
    r"exception",
    "稍后|重试|繁忙|超时|负载|失败|错误|エラー|再試行",
)
_TOLD = Lexicon(
    "words of a report",
    r"\b(?:was|were|has been|had been|have been) (?:\w+ )?(?:fixed|found|solved|traced|caused|seen"
    r"|raised|returned|reported)",
    r"\b(?:the )?(?:user|assistant|team|engineer|developer|session|speaker|we|they|he"
    r"|she) (?:\w+ )?\w+(?:ed|s)\b",
    r"\b(?:summary|discussion|conversation|transcript|meeting|then|afterwards|finally|because of"
    r"|fixed by|root cause)\b",
    "用户|总结|会议|随后|修复|ユーザー|会議|その後",
)


def embedded_error(text: str) -> tuple[str, int | None] | None:
    """A gateway's error in the place of an answer: its words and the status that it names. None for an
    answer, one that tells of errors included: that is longer, or says who met them and what became of it.
    """
    text = text.strip()
    if not text or len(text) > _SHORT:
        return None
    words = _in_json(text) or _in_page(text)
    if words is None:
        start = _ERROR.search(text)
        if start is None or start.start() or _TOLD.search(text) or len(text.splitlines()) > 6:
            return None
        if not _FAULTS.search(text):
            return None
        words = text
    status = re.search(r"(?<!\d)[45]\d\d(?!\d)", text)
    return words, int(status.group()) if status else None


def _in_json(text: str) -> str | None:
    try:
        found = json.loads(text.strip("`\n ").removeprefix("json"))
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    error = found.get("error") or (found if {"message", "code"} <= found.keys() else found.get("detail"))
    if isinstance(error, dict):
        error = error.get("message") or text
    return error if isinstance(error, str) and len(found) <= 6 else None


def _in_page(text: str) -> str | None:
    if not re.match(r"<(?:!doctype html|html|\?xml)", text, re.IGNORECASE):
        return None
    return " ".join(re.sub(r"<[^>]*>", " ", text).split()) or "a web page"


_REFUSAL = Lexicon(
    "refusals",
    r"(?:i['’]m|i am) (?:really |very |so |truly )?sorry\b|sorry\b|(?:i|my) apologi[sz]e?|unfortunately, i\b",
    r"as an ai\b",
    r"i (?:really )?(?:can(?:no|['’])t|can not|won['’]t|will not|must decline|have to decline|decline)\b",
    r"i(?:['’]m| am) (?:not able|unable|not comfortable|not going)\b|the model cannot answer",
    r"(?:very |deeply )?sorry, (?:but )?(?:i|the model)|this (?:request|content) (?:violates|goes against)",
    r"(?:很|非常)?(?:抱歉|遗憾)|对不起|不好意思|(?:作为|身为)(?:一个|一名)?(?:ai|人工智能)|我(?:无法|不能|不可以)",
    r"申し訳|恐れ入り|すみません|ご要望には|lo siento|je suis désolée?|es tut mir leid|mi dispiace|desculpe",
)
_WONT = Lexicon(
    "refusals, what for",
    r"(?:can(?:no|['’])?t|can not|unable|not able|won['’]t|will not|decline|not comfortable|not going"
    r"|violates|against)"
    r".{0,40}(?:help|assist|summari[sz]|process|provide|comply|fulfil|discuss|continue|creat|generat"
    r"|engage|with (?:that|this)"
    r"|polic|guideline|answer|produce|write|do that|request|participate|respond)",
    r"(?:无法|不能|没有办法|不可以|不便).{0,24}(?:提供|协助|帮助|回答|处理|总结|满足|生成|讨论|完成|继续|回应)",
    r"できません|できかねます|いたしかねます|お答えできない",
    r"no puedo|ne peux pas|kann (?:ich )?(?:dir |ihnen )?.{0,30}nicht",
    r"non posso|não posso",
)
_ALL_OF_IT = 400


def is_refusal(text: str) -> bool:
    """Whether a polite refusal is the whole answer. A summary that tells of one is longer or starts with
    something else.
    """
    text = text.strip()
    start = _REFUSAL.search(text) if len(text) <= _ALL_OF_IT else None
    if start is None or start.start() or re.match(r"[\W_]*i can(?:no|['’])t help but", text, re.IGNORECASE):
        return False
    return _WONT.search(text[:220]) is not None


LEXICONS = (_OPEN_WORDS, _ERROR, _FAULTS, _TOLD, _REFUSAL, _WONT)
"""All lists of this module, for measurements."""

"""What a client asks for in its own words: a summary, of which length, in which form, about what. Pure."""

from __future__ import annotations

import re

__all__ = [
    "asks",
    "asks_about_all",
    "asks_for_form",
    "focus_of",
    "headings_of",
    "stated_tokens",
    "without_length",
]

_ASKS = re.compile(
    r"""
    (?:^|[.!?:;>*-]\s+|\b(?:please|to|must|should|will|can|you|and|now|then|progressively|concisely|briefly)\s)
    (?:summari[sz]e|condense|compress|compact|distil+|recap|sum\ up|abridge)\b
    |\b(?:writ|creat|produc|provid|generat|mak|prepar|return|compil|updat|build|draft)(?:e|es|ed|ing)?\b
     [^.\n]{0,80}\b(?:summar(?:y|ies)|recap|digest|checkpoint|tl;?dr|minutes)\b
    |\bgiv(?:e|ing)\b[^.\n]{0,40}\b(?:summary|recap|digest|tl;?dr)\b
    |\bsummari[sz](?:er|ation|ing)\b
    |\bextract\b[^.\n]{0,80}\b(?:context|information|key|points|facts)\b
    |(?:^|\n)[ \t]*(?:\w+[ \t]){0,3}(?:summary|tl;?dr)[ \t]*:
    |总结|總結|摘要|概括|归纳|歸納|要約|まとめて|요약
    |\b(?:zusammenfass|fasse?\b[^.\n]{0,200}\bzusammen|r[ée]sum[ée]|resum(?:e|en|ir|a)\b|riassum|samenvat)
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""An instruction to summarize, in several languages; a text that merely has a summary in it is none."""

_WHOLE = re.compile(
    r"\b(?:conversations?|chats?|messages|sessions?|threads?|transcript|dialogue|discussion|histor(?:y|ies)|"
    r"exchange|above|so far|turns|everything|context|all of (?:it|this|the))\b|"
    r"对话|對話|会话|會話|以上|上述|上面|聊天|やり取り|会話|대화|gespräch|conversaci|conversación",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"\bsummar|\brecap\b|tl;?dr|\bcompaction\b|\bcondense\b|总结|總結|摘要|概括|要約|まとめ|요약|"
    r"zusammen|r[ée]sum|resum|riassu|samenvat",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"\b(?:us(?:e|ing)|follow(?:ing)?|in|with|have)\b[^.\n]{0,30}"
    r"\b(?:this|these|the following|exact(?:ly)?)\b[^.\n]{0,30}"
    r"\b(?:structure|format|template|headings|sections|outline)\b",
    re.IGNORECASE,
)
_LENGTH = re.compile(
    r"(?:~|≈|±)?\s*(?P<number>\d{1,3}(?:[,_ ]\d{3})+|\d+(?:\.\d+)?)\s*(?P<k>k\b)?[\s-]*"
    r"(?P<unit>tokens?|words?)\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"(?:target|about|around|approximately|roughly|at most|no more than|not more than|max(?:imum)?(?: of)?|"
    r"under|up to|within|in|less than|fewer than|exceed|limit(?: of)?|length(?: of)?|budget(?: of)?|~|≈|to|:)"
    r"\s*$",
    re.IGNORECASE,
)
_WORDS_PER_TOKEN = 0.72
_LEAST, _MOST = 16, 1_000_000
_REPLACED = "the number of words stated at the end"
_FOCUS = re.compile(
    r"^[ \t]*FOCUS(?:[ \t]+TOPIC)?[ \t]*:[ \t]*[\"“'](?P<topic>[^\n]{1,500}?)[\"”'][ \t]*$", re.M
)
_HEADING = re.compile(r"^[ \t]*#{1,4}[ \t]+(?P<title>[^\n#]{1,100}?)[ \t]*$", re.MULTILINE)


def asks(text: str) -> bool:
    """Whether a text is, or holds, an instruction to summarize."""
    return _ASKS.search(text) is not None


def asks_about_all(text: str) -> bool:
    """Whether a message plainly asks for a summary of what was said before it."""
    return asks(text) and _SUMMARY.search(text) is not None and _WHOLE.search(text) is not None


def asks_for_form(text: str) -> bool:
    """Whether a text says which form the summary is to have."""
    return _FORM.search(text) is not None


def stated_tokens(instructions: str) -> int | None:
    """The length that instructions state, in tokens (words are converted), the last one of several."""
    found = [tokens for match in _limits(instructions) if _LEAST <= (tokens := _tokens(match)) <= _MOST]
    return found[-1] if found else None


def without_length(instructions: str) -> str:
    """The instructions without the length of the whole: each call is told the length of its own part."""
    for match in reversed(_limits(instructions)):
        instructions = f"{instructions[: match.start()]} {_REPLACED}{instructions[match.end() :]}"
    return instructions


def _limits(text: str) -> list[re.Match[str]]:
    return [
        match
        for match in _LENGTH.finditer(text)
        if match[0].startswith(("~", "≈"))
        or _LIMITED.search(text[max(0, match.start() - 24) : match.start()])
    ]


def _tokens(match: re.Match[str]) -> int:
    number = float(re.sub("[,_ ]", "", match["number"])) * (1_000 if match["k"] else 1)
    return int(number if match["unit"].lower().startswith("token") else number / _WORDS_PER_TOKEN)


def focus_of(instructions: str) -> str | None:
    """The topic that a line ``FOCUS TOPIC: "…"`` names."""
    match = _FOCUS.search(instructions)
    return match["topic"].strip() if match else None


def headings_of(instructions: str) -> tuple[str, ...]:
    """The titles of the Markdown headings that the summary is to have, in order; none if there is but one."""
    found = tuple(dict.fromkeys(match["title"] for match in _HEADING.finditer(instructions)))
    return found if len(found) > 1 else ()

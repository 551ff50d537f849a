"""The words for limits, for what was sent, and for the sides that they are about, in several languages."""

from __future__ import annotations

from summarizer_providers.understanding.lexicon import Lexicon

__all__ = [
    "ARGUMENT",
    "BEYOND",
    "BY",
    "COMPARED",
    "CONDITION",
    "INPUT",
    "LEAST_WORDS",
    "LEFT_OF_LIMIT",
    "LEXICONS",
    "LIMIT",
    "MODAL",
    "NOT_BELOW",
    "OURS",
    "OURS_BY_NOUN",
    "OUTPUT",
    "OVER",
    "REMAINS",
    "RIGHT_LIMIT",
    "TOGETHER",
    "WINDOW",
]

_PARAMS = (
    r"max_?(?:completion|output|new|response|gen(?:eration)?)?_?tokens(?:_to_sample)?",
    r"(?:num|n)_predict",
    r"max_?(?:output|completion|gen(?:eration)?)_?(?:length|len)",
)
_CONTEXT_PARAMS = (
    r"max_?model_?len(?:gth)?",
    r"(?:n|num)_ctx",
    r"\bctx\b",
    r"max_?(?:context|seq(?:uence)?|position)_?\w*",
)

OUTPUT = Lexicon(
    "the output",
    *_PARAMS,
    r"\boutputs?\b",
    *(r"\bcompletions?\b", r"\bgenerat(?:e|ed|ion)\b", r"\bnew tokens\b", r"\btokens per response\b"),
    *(r"\b(?:response|reply|answer) (?:length|size|tokens?)\b", r"\bto (?:write|produce)\b", r"\bproduce\b"),
    *("输出", "生成", "回复长度", "出力", "応答"),
    r"\bmax(?:imum)? tokens (?:value|you)",
)
"""The side of the answer: arguments by their names, and the words for what is written."""

INPUT = Lexicon(
    "the input",
    r"(?<!malformed )(?<!invalid )(?<!reformat your )\binputs?\b(?! (?:validation|should|value|request"
    r"|error|param))",
    *(r"\bprompts?\b", r"\bmessages?\b", r"\bconversation\b", r"\bhistory\b", r"\bcontents?\b"),
    *(r"\bsequence\b", r"\btext (?:you|that)\b", r"\bquery\b", r"\bdocument\b"),
    *("输入", "提示词?", "请求内容", "对话", "上下文", "プロンプト", "入力", "会話"),
)
"""The side of the prompt."""
WINDOW = Lexicon(
    "the window",
    *(r"\bcontext\b", r"\bwindow\b", *_CONTEXT_PARAMS, r"\btotal\b", r"\btokens in (?:the |your )?request\b"),
    *("上下文", "总数", "总长", "コンテキスト", "合計"),
)
"""Both sides together."""

LIMIT = Lexicon(
    "limits",
    *(
        r"\blimit(?:s|ed)?\b(?! (?:was |is )?(?:exceeded|reached|hit))",
        r"\bmax(?:imum|imal)?\b",
        r"\bcap(?:s|ped|acity)?\b",
        r"\bceiling\b",
        r"\bbound\b",
    ),
    *(
        r"\ballow(?:s|ed|ance|able)?\b",
        r"\bpermit(?:s|ted)?\b",
        r"\bsupport(?:s|ed)?\b",
        r"\baccept(?:s|ed)?\b",
    ),
    *(r"\bat (?:the )?(?:very )?most\b", r"\bup to\b", r"\bno (?:more|longer|larger|greater|higher) than\b"),
    r"\bnot? (?:exceed|go over|go beyond|be (?:more|greater|larger|higher|longer) than|be (?:above|over))\b",
    *(r"\b(?:less|lower|smaller|fewer|shorter) than(?: or equal(?: to)?)?\b", r"\bless or equal to\b"),
    *(r"\b(?:below|under|within)\b", r"<=?", "≤", "=<", r"\bonly \w+\b", r"\bholds?\b", r"\bstops at\b"),
    *(r"\bavailable\b", r"\bconfigured\b", r"\brange\b", r"\bthreshold\b", r"\broom for\b", r"\bhandles?\b"),
    *(
        r"\bcontext(?: (?:length|window|size))?\b(?! overflow| of (?:your|the) (?:request|prompt))",
        *_CONTEXT_PARAMS,
    ),
    *(
        r"\bwindow\b",
        "上限",
        "最大",
        "最多",
        "至多",
        "不(?:能|得|可)?(?:超过|大于|高于)",
        "限制",
        "小于(?:等于)?",
    ),
    *("低于", "以内", "支持", "上下文(?:长度|窗口)?", "コンテキスト", "制限", "取值范围", "範囲"),
)
"""Stand before a number that is the most (or, in a range, before both of its ends)."""

RIGHT_LIMIT = Lexicon(
    "limits, behind",
    *(r"\bmax(?:imum|imal)?\b", r"\blimit\b", r"\bcap\b", r"\bceiling\b", r"\ballow(?:ed|ance)\b"),
    *(r"\bat (?:the )?(?:very )?most\b", r"\bavailable\b", r"\bpermitted\b", r"\bor (?:less|fewer|lower)\b"),
    *(
        r"\bcontext\b",
        r"\bthis (?:model|deployment|endpoint)\b",
        r"\bsupported\b",
        "以下",
        "以内",
        "まで",
        "を超え",
    ),
)
"""Behind a number that is the most."""
BEYOND = Lexicon(
    "beyond",
    *(
        r"\bexceed(?:s|ed|ing)?\b(?!:)",
        r"\bbeyond\b",
        r"\babove\b",
        r"\bover\b",
        r"\bsurpass(?:es|ed)?\b",
        ">=?",
        "≥",
    ),
    *(r"\b(?:more|larger|longer|greater|higher|bigger) than\b", r"\bpast\b", r"\boverflows\b", r"\bout of\b"),
    *("超过了?", "超出了?", "超過", "大于", "高于", r"\d ?/ ?", r"^ ?/ ?$"),
)
"""Before a number: what lies beyond it is too much."""

LEFT_OF_LIMIT = Lexicon(
    "beyond, behind",
    *(r"\bexceed(?:s|ed|ing)?\b", r"\bbeyond\b", r"\bsurpass(?:es|ed)?\b", r">=?", r"^\)? ?/"),
    *(r"\bis (?:too|above|over|more|larger|longer|greater|higher)\b", r"\b(?:larger|longer|greater) than\b"),
    *(r"\btoo (?:long|large|big|many|much)\b", r"\boverflows?\b", r"\bnot (?:less|supported|allowed)\b"),
    *(r"\bdoes(?: not|n't) fit\b", r"\bneeded\b", r"\brequested\b", "超过", "超出"),
)
"""Behind a number: it is the one that is too much."""

OURS = Lexicon(
    "what was sent",
    *(r"\brequest(?:ed|s|ing)?\b", r"\bgot\b", r"\bgiven\b", r"\breceived\b", r"\bprovided\b", r"\bsent\b"),
    *(
        r"\bspecified\b",
        r"\bresult(?:s|ed)?\b",
        r"\bcontain(?:s|ed)?\b",
        r"\bha(?:s|ve)\b",
        r"\bactual(?:ly)?\b",
    ),
    *(
        r"\bcurrent(?:ly)?\b",
        r"\bused\b",
        r"\bask(?:ed|ing)? for\b",
        r"\bneed(?:s|ed)?\b",
        r"\bwas\b",
        r"\bwere\b",
    ),
    *(r"\bprompt (?:of|with|is)\b", r"\binput (?:of|with|is)\b", r", not,? $", r"\binstead\b"),
    *(r"\btoken count (?:is|of)\b", r"\bcount of\b", r"\btoo (?:long|many|large)\b"),
    *("请求", "当前", "实际", "传入", "包含", "收到", "指定値?", "入力され", "要求", "現在", "実際"),
)
"""Before (or behind) a number that tells of what was sent."""
OURS_BY_NOUN = Lexicon(
    "what was sent, by nouns",
    r"\b(?:prompt|input|message|sequence|conversation|text|ids)s? (?:size|length|tokens?|count)\b",
    r"\blength is\b",
    "长度|総数|总数",
)
"""Stand before a number of ours where no other word says what it is."""

LEAST_WORDS = Lexicon(
    "minimums",
    *(
        r"\bat least\b",
        r"\bmin(?:imum|imal)?\b",
        r"\b(?:no|not) (?:less|fewer|smaller|lower|shorter) than\b(?! or equal)",
    ),
    r"\b(?:cannot|can't|must not|may not|should not) be (?:less|lower|smaller|below|under)\b(?: than)?",
    *("至少", "最小", "最低", "不(?:能|得)?(?:小于|低于|少于)", "以上"),
)
"""Before a number that is the least that may be."""
NOT_BELOW = Lexicon("minimums by sign", r"(?:must be|should be|has to be|expected|be) ?(?:>=?|≥)")
"""A sign before a number that is the least that may be."""
BY = Lexicon(
    "by how much", r"\bby (?:about |approximately |roughly |some |over )?$", "多出$", r"\bexcess (?:of )?$"
)
"""Before a number: it says by how much something is too large."""
OVER = Lexicon(
    "too much by",
    r"^ ?tokens? (?:more|over|beyond|above|longer|too (?:many|long|much)|in excess)\b",
    r"^ ?(?:more|extra|excess) tokens?\b",
)
"""Behind a number: it says by how much something is too large."""
TOGETHER = Lexicon("both sides", r"\+", r"\bplus\b", r"\bsum\b", r"\bcombined\b", "加上?", "合わせ")
"""Prompt and output are added up."""
REMAINS = Lexicon("what is left", r"\bremain(?:s|ing)?\b", r"\bleft\b", "剩余", "残り")
"""Around a number: it is only what is left."""
ARGUMENT = Lexicon("the argument in words", r"\bmax(?:imum)? (?:\w+ )?tokens\W{0,3}$")
"""The output limit's argument, written in words before its value."""
COMPARED = Lexicon(
    "comparisons of two numbers",
    r"^\W{0,2}(?:tokens?\W{0,2})?(?:>=?|/)\W{0,2}$|^\W{0,2}(?:tokens? )?(?:vs\.?|versus|of)\W{0,2}$",
)
"""Between two numbers: the first is set against the second."""
CONDITION = Lexicon(
    "demands behind a threshold",
    r"^\W{0,3}(?:tokens? )?(?:must|needs?|requires?|should|ha(?:s|ve) to)\b",
    r"^\W{0,3}(?:tokens? )?(?:is|are) only\b|^\W{0,3}(?:时|必须|需要)",
)
"""Behind a number: it is a threshold for some other demand."""
MODAL = Lexicon(
    "demands",
    *(
        r"\bmust\b",
        r"\bshould\b",
        r"\bneeds? to\b",
        r"\bha(?:s|ve) to\b",
        r"\bexpected\b",
        r"\brequires?d?\b",
    ),
    *(r"\bensure\b", "必须", "应", "需"),
)
"""Words by which something is demanded."""
LEXICONS: tuple[Lexicon, ...] = (
    OUTPUT,
    INPUT,
    WINDOW,
    LIMIT,
    RIGHT_LIMIT,
    BEYOND,
    LEFT_OF_LIMIT,
    OURS,
    OURS_BY_NOUN,
    LEAST_WORDS,
    NOT_BELOW,
)
"""All lists of this module, for measurements."""
LEXICONS += (BY, OVER, REMAINS, TOGETHER, ARGUMENT, COMPARED, CONDITION, MODAL)

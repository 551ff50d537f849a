"""Statements that give a thing a value, in the wordings of people, configurations and programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from summarizer.identifiers.normal import plain

__all__ = ["Assignment", "assignments"]


@dataclass(frozen=True, slots=True)
class Assignment:
    """A statement that ``key`` has ``value``; ``start`` is the character where the value stands.

    ``key`` is in normal form: lower case, words apart, without articles. ``before`` is the value that the
    statement says was there before, if it does. ``change``: it speaks of a change, not only of a value.
    """

    key: str
    value: str
    start: int
    before: str | None = None
    change: bool = False


def _value(name: str) -> str:
    """A value as it stands in a statement, in marks or in one piece, with its unit; groups end in a to d."""
    tight = r"/?[\w$€£¥+~^][\w./:@+%#~$€£¥-]{0,120}(?:,\d\d\d)*"
    unit = r"(?:[ \u00a0](?:ms|[KMGT]i?B|kB|seconds|minutes|hours|days|tokens)\b)?"
    return (
        rf"(?:`(?P<{name}a>[^`\n]{{1,80}})`|\"(?P<{name}b>[^\"\n]{{1,80}})\"|'(?P<{name}c>[^'\n]{{1,80}})'"
        rf"|(?P<{name}d>{tight}{unit}))"
    )


_KEY = r"(?P<key>[A-Za-z_`*\"'][\w.`*\"' -]{0,48}?[\w`*\"'])"
_BULLET = r"^[ \t]*(?:[-*+•] |\d{1,2}[.)] )?"
_FACT = re.compile(r"(?P<key>FACT-\d{6}): ?(?P<va>[^\n]{1,400})")
_ENV = re.compile(rf"(?<![\w$.?&/-])(?P<key>[A-Z][A-Z0-9_]{{1,60}}|--[a-z][\w-]{{1,40}}) ?= ?{_value('v')}")
_FIELD = re.compile(
    rf"{_BULLET}{_KEY}[ \t]*(?:[:：]|(?<!=)=(?!=))[ \t]*{_value('v')}[ \t.,;]*$", re.MULTILINE
)
_ARROW = re.compile(rf"{_BULLET}{_KEY}[:：]? {_value('o')} ?(?:->|→) ?{_value('v')}", re.MULTILINE)
_MOVED = r"(?:changed|set|moved|bumped|updated|raised|lowered|renamed|switched|increased|reduced)"
_IS = re.compile(
    rf"\b(?P<verb>(?:is|are) now|(?:is|was|are) set to|(?:has|have) been {_MOVED} to"
    rf"|(?:was|were|is|got) {_MOVED} to"
    rf"|is|becomes?|became)[ \t]+(?:now )?{_value('v')}"
)
_CHANGE = re.compile(
    r"\b(?:[Cc]hang|[Uu]pdat|[Bb]ump|[Mm]ov|[Rr]ais|[Ll]ower|[Ii]ncreas|[Rr]educ|[Uu]pgrad|[Dd]owngrad|[Rr]enam|[Ss]witch|[Ss]et)"
    r"(?:e|ed|es|ing|d|ped|ping|t|ting)? (?P<key>[\w.`\"'/ -]{1,60}?)"
    rf"(?: from {_value('o')})? ?(?:to|->|→) {_value('v')}"
)
_FROM_TO = re.compile(rf"\b(?:from|von|de) {_value('o')} (?:to|zu|auf|à|a|->|→) {_value('v')}")
_CHINESE = re.compile(
    rf"(?:改为|改成|改用|换成|变为|变成|升级到|更新为|调整为|设置为|设为|现在是|是) ?{_value('v')}"
)
_JAPANESE = re.compile(r"に(?:変更|更新|設定|なり|変わ)|へ変更|です|だ。|とする")
_EAST_ASIAN = r"[\w.\u3005-\u30ff\u3400-\u9fff-]"
_SINCE = r"(?:现在|目前|已经|已|应该|默认)?"
_CHINESE_BEFORE = re.compile(
    rf"(?P<key>{_EAST_ASIAN}{{1,24}}?) ?{_SINCE}(?:(?:从|由) ?{_value('o')}) ?$"
    rf"|(?P<key2>{_EAST_ASIAN}{{1,24}}?) ?{_SINCE}$"
)
_JAPANESE_BEFORE = re.compile(
    rf"(?P<key>{_EAST_ASIAN}{{1,24}}?)[はをが](?:現在|今は|、)?(?: ?{_value('o')} ?から)? ?{_value('v')} ?$"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORDS = re.compile(r"[\s_\-`*\"'.]+")
_DETERMINERS = r"(?:the|a|an|our|its|his|her|their|this|that|my|your)"
_OPENING = re.compile(
    rf"^(?:.*?\b{_DETERMINERS} |(?:new|current|and|so|but|now|then|also|export|set|env|const|let|var) "
    r"|后来|现在|目前|然后|请|我们|将|把)"
)
_INNER = re.compile(rf" {_DETERMINERS}(?= )")
_CLOSING = re.compile(rf" {_MOVED}$| (?:went|goes|go|dropped|grew|rose|fell)$")
_NO_KEY = _words(
    "it that this there which what he she they these those who one here down up back reduced from to "
    "i we you result answer question problem issue reason idea goal"
)
_VALUED = re.compile(
    r"[\d/._:@$€£¥%-]|^(?:true|false|yes|no|on|off|none|null|enabled|disabled)$", re.IGNORECASE
)
_EXPRESSION = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*(?:\(\))?(?<!\.\w\w)(?<!\.\w\w\w)|None")
"""What code assigns: a name of something else."""
_SUBJECT = re.compile(
    r"(?:^|[.,;:!?。、，；：()\n]|\b(?:and|but|so|that|because|where|when|if|whether) )[ \t]*"
    r"([^.,;:!?。、，；：()\n]{2,60}?)[ \t]*$"
)
_BEFORE = 60
"""Characters before a verb in which its subject is looked for."""
_MOST_WORDS = 6
_LONGEST = 20_000
"""Characters: of a longer text only facts and changes are read; its fields are a file's or a listing's."""
_CHANGES = (_FACT, _CHANGE, _FROM_TO, _ARROW)
_PLAIN = (_IS, _ENV, _FIELD)


def assignments(text: str, *, changes_only: bool = False) -> Iterator[Assignment]:
    """The statements of a text, in order: ``port is 8080``, ``PORT=8080``, ``port: 8080``, ``changed the port
    from 8080 to 9090``, ``端口改为 9090``, ``FACT-123456: …``; with ``changes_only`` facts and changes alone.

    Where two wordings fit, the one that tells more counts. Time is linear in the text.
    """
    read = plain(text)
    patterns = _CHANGES if changes_only or len(read) > _LONGEST else (*_CHANGES, *_PLAIN)
    found: dict[int, Assignment] = {}
    for pattern in patterns:
        for match in pattern.finditer(read):
            _add(found, _assignment(read, match, pattern))
    if not read.isascii():
        for each in _east_asian(read, changes_only=changes_only):
            _add(found, each)
    return iter(sorted(found.values(), key=lambda each: each.start))


def _add(found: dict[int, Assignment], each: Assignment | None) -> None:
    if each is not None:
        found.setdefault(each.start, each)


def _assignment(text: str, match: re.Match[str], pattern: re.Pattern[str]) -> Assignment | None:
    start, value = _group(match, "v")
    if pattern is _FACT:
        return Assignment(match["key"], value.strip(), start, None, True)
    if pattern in (_IS, _FROM_TO):
        subject = _SUBJECT.search(text[max(0, match.start() - _BEFORE) : match.start()])
        key = subject[1] if subject else ""
    else:
        key = match["key"]
    change = pattern in _CHANGES or (pattern is _IS and " " in match["verb"])
    if pattern in _PLAIN and _EXPRESSION.fullmatch(value):
        return None
    return _checked(key, value, start, _group(match, "o")[1], change)


def _east_asian(text: str, *, changes_only: bool) -> Iterator[Assignment | None]:
    for match in _CHINESE.finditer(text):
        before = _CHINESE_BEFORE.search(text, max(0, match.start() - _BEFORE), match.start())
        change = match[0][0] != "是"
        if before and (change or not changes_only):
            start, value = _group(match, "v")
            old = _group(before, "o")[1]
            yield _checked(before["key"] or before["key2"] or "", value, start, old, change)
    for match in _JAPANESE.finditer(text):
        before = _JAPANESE_BEFORE.search(text, max(0, match.start() - _BEFORE), match.start())
        change = match[0][0] in "にへ"
        if before and (change or not changes_only):
            start, value = _group(before, "v")
            yield _checked(before["key"], value, start, _group(before, "o")[1], change)


def _checked(key: str, value: str, start: int, before: str, change: bool) -> Assignment | None:
    """The statement, if it is one: prose has many sentences of the same form."""
    key = _normal_key(key)
    if not value or not _VALUED.search(value) or not key or key in _NO_KEY:
        return None
    if (
        len(value.split()) > _MOST_WORDS // 2
        or key.endswith((" was", " is", " been"))
        or key in {"was", "is", "has"}
    ):
        return None
    if key[0].isdigit() or key.startswith(("from ", "to ")) or len(key.split()) > _MOST_WORDS:
        return None
    return Assignment(key, value, start, before or None, change)


def _group(match: re.Match[str], name: str) -> tuple[int, str]:
    """Where a value begins, and the value without what only ends its sentence."""
    groups = match.groupdict()
    for letter in "abcd":
        if value := groups.get(name + letter):
            return match.start(name + letter), value.rstrip(".,:;-/" if letter == "d" else "")
    return match.end(), ""


def _normal_key(key: str) -> str:
    key = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key)
    key = _WORDS.sub(" ", key.replace("--", "")).strip().lower()
    while (shorter := _OPENING.sub("", key, count=1)) != key and shorter:
        key = shorter
    return _CLOSING.sub("", _INNER.sub("", key))

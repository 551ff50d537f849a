"""Secrets that are known by the name that stands before them: ``password = …``, ``"api_key": "…"``."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from summarizer.scanning import matches
from summarizer.secret_values import (
    Value,
    is_credentials,
    is_mixed,
    is_place,
    is_stand_in,
    is_token,
    is_word_in_code,
    value_at,
)

__all__ = ["Labelled", "labelled"]


@dataclass(frozen=True, slots=True)
class Labelled:
    """The characters ``start`` to ``end`` of a text, which something before them calls a secret."""

    kind: str
    start: int
    end: int


_PASSWORDS = (
    "pass(?:word|wd|phrase|code|wort)?|pwd?|kennwort|contrase[nñ]a|senha|mot de passe|пароль|"
    "密码|密碼|口令|パスワード|暗証番号|비밀번호"
)
_SECRETS = "secret|секрет|密钥|密鑰|金鑰|秘钥|シークレット|비밀키"
_TOKENS = "token|credential|authorization|connection[ _-]?string|令牌|トークン|토큰|токен"
_KEYS = (
    "access|account|encrypt|encryption|signing|shared|master|license|storage|subscription|webhook|deploy|"
    "session|personal|consumer|app|admin"
)
_JOINT = (
    r":[ ]?[a-z_][\w.\[\]|]{0,30}[ ]?=(?!=)|:=|=>|->|={1,3}|!={1,2}|:{1,2}|：|＝|>|"
    r"[ \t](?:is|was|ist|est|es|—)(?=[ \t:])[ \t]?:?|是|为|為|は|です|"
    r"[ \t]{1,4}(?:value|content)=|"
    r"(?:,[ \t]{0,4})?\n?[ \t]{0,40}\\{0,3}[\"']?value\\{0,3}[\"']?[ \t]{0,2}[:=]|"
    r"[ \t](?=')"
)
_PATTERN = re.compile(
    rf"(?P<word>{_PASSWORDS}|{_SECRETS}|{_TOKENS}|key)(?P<rest>[a-z0-9_.\-]{{0,40}})\\{{0,3}}[\"'`\]]{{0,2}}"
    rf"[ \t\u3000]{{0,8}}(?P<joint>{_JOINT})[ \t\u3000]{{0,8}}"
)
"""A label and what joins it to its value, in a text in lower case."""
_FLAG = re.compile(
    r"-(?<![\w-]-)-?(?:[a-z0-9]{1,20}-){0,3}(?P<word>pass(?:word|wd|phrase)?|secret|token|key)(?P<rest>)"
    r"(?P<joint>[ \t]{1,4})(?!-)"
)
_SIGNS = (
    *("pass", "pw", "key", "token", "secret", "credential", "authorization", "connection"),
    *("senha", "kennwort", "contrase"),
)
_FLAGS = ("-pass", "-secret", "-token", "key ")


@lru_cache(maxsize=1)
def _key_names() -> re.Pattern[str]:
    """What stands before ``key`` where that is a secret: the library has a list, to which ours adds."""
    from detect_secrets.plugins.keyword import DENYLIST

    known = "|".join(word.removesuffix("_?key") for word in DENYLIST if word.endswith("_?key"))
    return re.compile(rf"(?P<name>{known}|{_KEYS})[ _-]?\Z", re.IGNORECASE)


_USER = re.compile(
    r"curl(?<!\wcurl)\b[^\n]{0,400}?[ \t](?:-u|--user|--proxy-user)[ =]?[\"']?"
    r"[^\s:\"']{1,64}:(?P<secret>[^\s\"'$][^\s\"']{2,255})"
)
_OTHERS = (
    ((" -u", "-user"), _USER),
    (("sshpass",), re.compile(r"sshpass[ \t]+-p[ \t]*[\"']?(?P<secret>[^\s\"'$][^\s\"']{2,255})")),
    (("login",), re.compile(r"login[ \t]+\S{1,64}\s{1,9}password[ \t]+(?P<secret>[^\s:=]\S{2,255})")),
    (('"auth"',), re.compile(r"\"auth\"\s{0,4}:\s{0,4}\"(?P<secret>[A-Za-z0-9+/=]{8,1024})\"")),
    (("DENTIFIED", "dentified"), re.compile(r"(?i)\bidentified[ ]by[ ]'(?P<secret>[^'\n]{1,256})'")),
)
_SIGNED = re.compile(r"(?i)[?&](?:[\w-]{0,30}-)?sig(?:nature)?=(?P<secret>[^&\s\"'#<>\\]{16,1024})")


_COOKIES = re.compile(r"(?i)\bcookie\\?[\"']?[ ]?:[ ]?\\?[\"']?(?P<cookies>[^\n\"'\\]{1,8192})")
_COOKIE = re.compile(r"[\w.\-]{1,64}=(?P<secret>[^;\s]{12,})")


def labelled(text: str) -> Iterator[Labelled]:
    """The secrets in a text that something before them calls so. Takes time in proportion to the text."""
    lowered = text.replace("İ", "I").lower()  # no other character changes the length
    if any(sign in lowered for sign in _SIGNS) or not text.isascii():
        yield from _values(text, lowered, _PATTERN)
        if any(flag in lowered for flag in _FLAGS):
            yield from _values(text, lowered, _FLAG)
    yield from _authorizations(text, lowered)
    for signs, pattern in _OTHERS:
        if any(sign in text for sign in signs):
            yield from (Labelled("password", *match.span("secret")) for match in matches(pattern, text))
    if "cookie" in lowered:
        yield from _cookies(text)
    if "sig" in lowered:
        yield from (Labelled("signature", *match.span("secret")) for match in matches(_SIGNED, text))


def _values(text: str, lowered: str, pattern: re.Pattern[str]) -> Iterator[Labelled]:
    position = 0
    for match in matches(pattern, lowered):
        if match.start() < position:
            continue
        label = _Label.of(text, match)
        value = value_at(text, match.end(), label.breaks) if label else None
        if label and value and label.names_secret(text, value):
            yield Labelled(label.kind, value.start, value.end)
            position = value.end


_WEAK_ENDINGS = re.compile(
    r"(?:^s?|[_.-])(?:ids?|names?|counts?|counter|limits?|len|length|files?|filename|paths?|dir|url|uri|env|var|"
    r"types?|fields?|inputs?|labels?|hint|polic(?:y|ies)|rules?|expir\w*|ttl|age|at|date|time|used|usage|"
    r"budget|sizes?|min|max|regex|pattern|manager|store|service|provider|version|index|offset|rate|ratio|"
    r"per\w*|total|position|class|format|status|enabled|required|error|message|reset|strategy|algorithm|\d)"
    r"(?:_\d+)?$|^s(?![a-z])|(?:hash|digest)$"
)
_IN_MASK = re.compile(r"\[redacted [a-z0-9-]*\Z")
_VARIABLE = re.compile(r"(?:^|[\s;&\"'`]|\\n)(?:[A-Z][A-Z0-9]*_)?\Z")
_ENDS_LINE = re.compile(r"[ \t,]{0,8}(?:\n|\\n|\Z)")
_WITH_SCHEME = re.compile(r"(?:Bearer|Basic|Token) \S{8,}", re.IGNORECASE)
_OF_NAMES = string.ascii_letters + string.digits + "_.-"
_NOT_ITEMS = " \t-*\"'{,>|+"


@dataclass(frozen=True, slots=True)
class _Label:
    """What a value is called: in a variable of the shell or by a name that begins its line, or in prose."""

    kind: str
    rest: str
    joint: str
    breaks: str
    leads_line: bool
    is_strict: bool

    @classmethod
    def of(cls, text: str, match: re.Match[str]) -> _Label | None:
        """The label of a match; None where its word is only a part of another, or means something else."""
        start, end = match.span("word")
        before = text[max(0, start - 64) : start]
        joint = match["joint"].strip()
        kind = _kind(match["word"], before)
        if (
            kind is None
            or _IN_MASK.search(before)
            or not _stands_alone(text[start:end], before, text[end : match.end("rest")], joint)
        ):
            return None
        head = before.rstrip(_OF_NAMES)
        if joint == ">" and not head.endswith("<"):
            return None
        name = text[start : match.end("rest")]
        is_variable = (
            joint == "="
            and name.isupper()
            and text[match.end() - 1] == "="
            and bool(_VARIABLE.search(before))
        )
        breaks = (
            "line" if is_variable else "parts" if joint == "=" and head.endswith((";", "&", "?")) else "words"
        )
        leads = not head.rpartition("\n")[2].strip(_NOT_ITEMS)
        return cls(kind, match["rest"], joint, breaks, leads, is_strict=match["joint"] in (" ", "\t"))

    def names_secret(self, text: str, value: Value) -> bool:
        """Whether what the label names is a secret."""
        found = value.text
        if len(found) < 4 or is_stand_in(found) or (self._is_loose(value) and is_word_in_code(text, value)):
            return False
        if _WEAK_ENDINGS.search(self.rest):
            return " " not in found and is_token(found, least=20)
        if self.kind == "password":
            return self._is_password(text, value)
        if " " in found and self.breaks != "line":
            return bool(_WITH_SCHEME.fullmatch(found)) or (";" in found and "=" in found)
        return is_token(found) or (
            self.breaks == "line" and len(found) >= 6 and not (found.isdigit() or is_place(found))
        )

    def _is_loose(self, value: Value) -> bool:
        return not value.quoted and self.breaks == "words"

    def _is_password(self, text: str, value: Value) -> bool:
        found = value.text
        if is_place(found) and (self.breaks != "line" or self.rest == ""):
            return False
        if " " in found:
            return is_mixed(found) and len(found) <= 64
        if is_mixed(found) or not self._is_loose(value):
            return is_mixed(found) or not self.is_strict
        alone = bool(_ENDS_LINE.match(text, value.end))
        return alone and self.leads_line and self.joint in ("=", ":", "：", "＝") and "." not in found


def _stands_alone(word: str, before: str, rest: str, joint: str) -> bool:
    """Whether a word is one of a name's words: `tokenizer` has no token, `compass` no pass."""
    if rest[:1].isascii() and rest[:1].isalpha() and not _goes_on(word, rest):
        return False
    if word.lower() not in ("pass", "pw"):
        return True
    if rest[:1].isalpha():
        return False
    if before[-1:].isalpha():
        return word[0].isupper() and before[-1].islower()
    return before[-1:] in ("_", "-") or joint in ("=", "=>") or word.islower()


def _goes_on(word: str, rest: str) -> bool:
    """Whether what follows a word without a break is a new one: camelCase, or a plural."""
    plural = rest[0] in "sS" and not rest[1:2].islower()
    return plural or (rest[0].isupper() and not word.isupper())


def _kind(word: str, before: str) -> str | None:
    if word == "key":
        named = _key_names().search(before)
        return None if named is None else "api-key" if named["name"].lower() == "api" else "key"
    if re.fullmatch(_PASSWORDS, word):
        return "password"
    return "secret" if re.fullmatch(_SECRETS, word) else "token"


def _cookies(text: str) -> Iterator[Labelled]:
    for header in matches(_COOKIES, text):
        for cookie in _COOKIE.finditer(text, *header.span("cookies")):
            if is_token(cookie["secret"], 12):
                yield Labelled("cookie", *cookie.span("secret"))


_SCHEME = re.compile(r"(?P<scheme>bearer|basic|api-?key|token)[ \t]{1,4}(?P<secret>[a-z0-9._~+/=:-]{8,8192})")


def _authorizations(text: str, lowered: str) -> Iterator[Labelled]:
    if not any(sign in lowered for sign in ("bearer ", "basic ", "authorization")):
        return
    for match in matches(_SCHEME, lowered):
        start, end = match.span("secret")
        scheme, secret = match["scheme"], text[start:end].rstrip(".:")
        if is_credentials(secret) if scheme == "basic" else is_token(secret, 8 if scheme == "bearer" else 20):
            yield Labelled("token", start, start + len(secret))

"""What secrets look like: the shapes of a well-kept library, and those of ours that it does not have.

Every pattern takes time in proportion to the text, whatever is in it: what repeats has an end, or begins
where no other attempt has passed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from detect_secrets.plugins.base import RegexBasedDetector

__all__ = ["Shape", "shapes"]


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of secret. ``pattern`` is looked for where the text has one of ``signs`` (any, if none); its
    group ``secret`` is what is masked, or all of it, and what goes on behind it without a break if ``open``.
    """

    kind: str
    pattern: re.Pattern[str]
    signs: tuple[str, ...] = ()
    open: bool = True


def _begun(prefix: str) -> str:
    """The prefix where a token may begin with it: also behind an escaped line end or in an encoded address.

    What must stand before it is asked behind it, so that the search is one for plain letters.
    """
    found = re.escape(prefix)
    return rf"{found}(?:(?<![A-Za-z0-9_-]{found})|(?<=\\[nrt]{found})|(?<=%[0-9A-Fa-f][0-9A-Fa-f]{found}))"


def _own(kind: str, pattern: str, *signs: str, open: bool = True) -> Shape:  # noqa: A002
    return Shape(kind, re.compile(pattern, re.ASCII), signs, open)


def _tokens(kind: str, rest: str, *prefixes: str) -> Iterator[Shape]:
    """Tokens that begin in a way that nothing else does, and what must follow."""
    for prefix in prefixes:
        yield _own(kind, _begun(prefix) + rest, prefix)


def _of(least: int, of: str = "A-Za-z0-9") -> str:
    """So many letters and digits, or of other characters, with a digit among them."""
    return rf"(?=[{of}]*\d)[{of}]{{{least},}}"


_WIDE = r"A-Za-z0-9_\-"
_NOT_WORDS = r"(?=[\w-]*[A-Za-z0-9]{14})"
_JWT = r"[\w-]{8,}\.ey[JI][\w-]{4,}(?:\.[\w-]+){0,3}"
_WEB = r"https://(?:[\w-]{1,64}\.)?"
_HOOKS = r"(?:discord(?:app)?\.com/api/webhooks|office\.com/webhook\w{0,9})"
_OWN = (
    *_tokens("api-key", _NOT_WORDS + _of(16, _WIDE), "sk-", "pk-", "rk-"),
    *_tokens(
        "api-key", _of(16), "sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_", "whsec_", "gsk_", "csk_"
    ),
    *_tokens("api-key", _of(24), "r8_", "fw_", "phc_", "phx_", "xai-", "pplx-", "tvly-", "fc-", "jina_"),
    *_tokens("api-key", _of(24, _WIDE), "nvapi-", "tvly-dev-", "lsv2_pt_", "lsv2_sk_", "e2b_"),
    *_tokens("api-key", r"[A-Za-z0-9]{30,}", "hf_"),
    *_tokens("google-api-key", r"[\w-]{30,}", "AIza"),
    *_tokens("google-token", r"[\w-]{20,}", "ya29.", "GOCSPX-", "1//0"),
    *_tokens("github-token", _of(16, _WIDE), "github_pat_"),
    *_tokens("npm-token", r"[A-Za-z0-9]{32,}", "npm_"),
    *_tokens("slack-token", r"[a-z][-.](?=[\w.-]*\d)[\w.-]{12,}[\w-]", "xox"),
    *_tokens("slack-token", r"(?=[\w-]*\d)[\w-]{12,}", "xapp-"),
    *_tokens("digitalocean-token", _of(16), "dop_v1_", "doo_v1_", "dor_v1_"),
    *_tokens("databricks-token", r"[0-9a-f]{32}", "dapi"),
    *_tokens("shopify-token", _of(16), "shpat_", "shpss_", "shpca_", "shppa_"),
    *_tokens("grafana-token", _of(16, _WIDE), "glsa_", "glc_"),
    *_tokens("sentry-token", _of(16, _WIDE), "sntrys_", "sntryu_"),
    *_tokens("vault-token", _of(16, _WIDE), "hvs.", "hvb.", "hvr."),
    *_tokens("linear-token", _of(16), "lin_api_", "lin_oauth_"),
    *_tokens("notion-token", _of(40), "ntn_", "secret_"),
    *_tokens("docker-token", _of(16, _WIDE), "dckr_pat_", "dckr_oat_"),
    *_tokens("atlassian-token", _of(32, _WIDE), "ATATT3", "ATCTT3"),
    *_tokens("planetscale-token", _of(16, _WIDE), "pscale_tkn_", "pscale_pw_", "pscale_oauth_"),
    *_tokens("rubygems-token", _of(32), "rubygems_"),
    *_tokens("artifactory-token", _of(24), "AKC"),
    *_tokens(
        "api-key", _of(20, _WIDE), "figd_", "PMAK-", "pul-", "dp.pt.", "NRAK-", "xkeysib-", "CCIPAT_", "tfp_"
    ),
    *_tokens("api-key", _of(20, _WIDE), "bkua_", "sq0atp-", "pnu_", "rdme_", "ATBB", "EAAC"),
    *_tokens("api-key", r"[0-9a-f]{32}", "key-"),
    *_tokens("dynatrace-token", r"[A-Z0-9]{20,}\.[A-Z0-9]{40,}", "dt0c01."),
    *_tokens("age-key", r"[A-Z0-9]{32,}", "AGE-SECRET-KEY-1"),
    *_tokens("supabase-token", _of(16, _WIDE), "sbp_", "sb_secret_"),
    *_tokens("json-web-token", _JWT, "eyJ", "eyI"),
    _own("webhook", rf"{_WEB}{_HOOKS}/[\w@/-]{{16,}}", "webhook"),
    _own(
        "password",
        r"://[^\s/:@\"'<>]{0,128}:(?P<secret>[^\s/\"'<>`]{1,256})@(?=[\w\[.{$])",
        "://",
        open=False,
    ),
    _own("token", r"://(?P<secret>[A-Za-z0-9_-]{20,256})@(?=\w)", "://", open=False),
)

_SIGNS: dict[str, tuple[str, ...]] = {
    "AWSKeyDetector": ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"),
    "DiscordBotTokenDetector": (".",),
    "GitHubTokenDetector": ("gh",),
    "GitLabTokenDetector": ("gl", "GR1348941"),
    "MailchimpDetector": ("-us",),
    "PypiTokenDetector": ("pypi-Ag",),
    "SendGridDetector": ("SG.",),
    "SlackDetector": ("xox", "hooks.slack"),
    "SquareOAuthDetector": ("sq0csp-",),
    "StripeDetector": ("k_live_",),
    "TelegramBotTokenDetector": (":A",),
    "TwilioKeyDetector": ("AC", "SK"),
}
"""The library's detectors whose patterns take linear time, with what a text must have for a match. Of the
others, ours cover what they look for: labelled values, keys of OpenAI, JWTs, private keys, passwords in
addresses, npm, Artifactory. AWS's second pattern is a labelled value as well.
"""


@lru_cache(maxsize=1)
def shapes() -> tuple[Shape, ...]:
    """All shapes, ours first: theirs may be found within one of ours. Loads the library (0.15 s)."""
    return (*_OWN, *_of_library())


def _of_library() -> Iterator[Shape]:
    from importlib import import_module
    from pkgutil import iter_modules

    from detect_secrets import plugins

    for module in iter_modules(plugins.__path__):
        for name, value in vars(import_module(f"{plugins.__name__}.{module.name}")).items():
            if name in _SIGNS:
                yield from _of_detector(value, _SIGNS[name])


def _of_detector(detector: type[RegexBasedDetector], signs: tuple[str, ...]) -> Iterator[Shape]:
    kind = re.sub(r"\W+", "-", str(detector.secret_type).lower()).strip("-")
    patterns = list(detector().denylist)
    for pattern in patterns[:1] if detector.__name__ == "AWSKeyDetector" else patterns:
        # A letter of another script may stand right behind a token.
        yield Shape(kind, re.compile(pattern.pattern, pattern.flags & ~re.UNICODE | re.ASCII), signs)

"""Secrets are masked wherever they stand, and nothing else is; the text stays as readable as it was."""

from __future__ import annotations

import string
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.records import Record
from summarizer.redaction import redact_records, redacted
from tests import strategies

ALNUM = string.ascii_letters + string.digits


def made(length: int, letters: str = ALNUM, seed: int = 1) -> str:
    """A string as a generator of keys makes it, the same each time: one that is written here looks leaked."""
    random = Random(seed)
    return "".join(random.choice(letters) for _ in range(length - 2)) + "7Q"


HEX = string.digits + "abcdef"
JWT = f"eyJ{made(30)}.eyJ{made(60)}.{made(43)}"
LINES = f"{made(64)}\n{made(64, seed=2)}\n{made(20)}=="
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{LINES}\n-----END RSA PRIVATE KEY-----"

TOKENS = {
    "sk-" + made(48): "api-key",
    "sk-proj-" + made(40) + "-" + made(40): "api-key",
    "sk-ant-api03-" + made(90, ALNUM + "-_"): "api-key",
    "sk-or-v1-" + made(64, HEX)[:-2] + "77": "api-key",
    "gsk_" + made(52): "api-key",
    "xai-" + made(80): "api-key",
    "hf_" + made(34, string.ascii_letters): "api-key",
    "sk_live_" + made(99): "api-key",
    "AIza" + made(35): "google-api-key",
    "ya29." + made(120): "google-token",
    "GOCSPX-" + made(28): "google-token",
    "ghp_" + made(36): "github-token",
    "ghs_" + made(36): "github-token",
    "github_pat_" + made(22) + "_" + made(59): "github-token",
    "glpat-" + made(20): "gitlab-token",
    "AKIA" + made(16, string.ascii_uppercase + string.digits): "aws-access-key",
    "ASIA" + made(16, string.ascii_uppercase + string.digits): "aws-access-key",
    "xoxb-1234567890-1234567890123-" + made(24): "slack-token",
    "xapp-1-" + made(11) + "-1234567890123-" + made(64): "slack-token",
    "npm_" + made(36): "npm-token",
    "pypi-AgEIcHlwaS5vcmc" + made(80): "pypi-token",
    "SG." + made(22) + "." + made(43): "sendgrid-api-key",
    "dop_v1_" + made(64): "digitalocean-token",
    "dapi" + made(32, HEX)[:-2] + "77": "databricks-token",
    "shpat_" + made(32): "shopify-token",
    "hvs." + made(90): "vault-token",
    "SK" + made(32, HEX)[:-2] + "77": "twilio-api-key",
    "1234567890:AA" + made(33): "telegram-bot-token",
    "MT" + made(22) + "." + made(6) + "." + made(27): "discord-bot-token",
    "https://hooks.slack.com/services/T00000000/B00000000/" + made(24): "slack-token",
    "https://discord.com/api/webhooks/123456789012345678/" + made(68): "webhook",
    JWT: "json-web-token",
}
CONTEXTS = {
    "prose": "I used {} for this, and it worked.",
    "end of sentence": "The one that works is {}.",
    "Chinese": "请使用{}，谢谢",
    "Japanese": "これは{}です。",
    "JSON": '{{"value": "{}", "n": 1}}',
    "JSON in JSON": '{{"text": "line\\n{}\\nline"}}',
    "code": "client = Client('{}')",
    "address": "https://example.org/a?x={}&y=1",
    "Markdown": "| a | `{}` |",
    "XML": "<a b='1'>{}</a>",
    "terminal": "$ tool login {}\nok",
}


@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
@pytest.mark.parametrize("token", TOKENS, ids=[f"{kind} {token[:9]}" for token, kind in TOKENS.items()])
def test_keys_of_every_service_are_masked_in_every_context(token: str, context: str) -> None:
    """All of the key, none of what stands around it, and the mask says what it was."""
    assert redacted(context.format(token)) == (context.format(f"[redacted {TOKENS[token]}]"), 1)


LABELLED = [
    ("DB_PASSWORD={}", "correcthorse"),
    ("export API_TOKEN={}", "abcdefghi"),
    ("DB_PASSWORD={}\nOTHER=1", "p@ss,w(0)rd;x"),
    ('API_SECRET="{}"', "s3cr3t value"),
    ("password: {}", "swordfish"),
    ("  - passwd: {}\n    user: root", "hunter2"),
    ("password = {}", "hunter2"),
    ('{{"password": "{}"}}', "swordfish"),
    ('{{\\"password\\": \\"{}\\"}}', "sw0rdfish"),
    ("{{'clientSecret': '{}'}}", "x8Kq2nRr"),
    ('"api_key": "{}"', "9f8e7d6c5b4a39281706f5e4d3c2b1a0"),
    ("X-Api-Key: {}", "d41d8cd98f00b204"),
    ("apiKey={}", "d41d8cd98f00b204"),
    ('password: str = "{}"', "letmein99"),
    ("self.db_pass = '{}'", "letmein"),
    ('login("root", password="{}")', "letmein"),
    ("aws_secret_access_key = {}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY"),
    ("AccountKey={};EndpointSuffix=core", "abcd1234ABCD+/=="),
    ("Server=db;Uid=sa;Password={};Encrypt=yes", "P@ss,w0rd"),
    ("https://x.org/y?token={}&z=1", "abc123def456"),
    ("https://x.org/y?sv=1&sig={}", "abc%2Fdef%3D123456"),
    ("postgres://app:{}@db:5432/x", "s3cr3t"),
    ("redis://:{}@cache", "pa$$:w0rd"),
    ("git clone https://{}@example.org/x.git", "a1b2c3d4e5f6a7b8c9d0"),
    ("Authorization: Bearer {}", "abcdEF123456"),
    ('-H "Authorization: Basic {}"', "dXNlcjpwYXNzd29yZA=="),
    ("curl -s -u admin:{} https://x.org", "letmein"),
    ("tool --password {} --verbose", "hunter2x"),
    ("sshpass -p {} ssh x", "letmein"),
    ('{{"auths": {{"x.org": {{"auth": "{}"}}}}}}', "dXNlcjpwYXNzd29yZA=="),
    ("Cookie: theme=dark; session={}; lang=en", "a1b2c3d4e5f6a7b8"),
    ("Set-Cookie: sid={}; HttpOnly; Path=/", "s%3Aa1b2c3d4e5f6a7b8"),
    ("host x, user bob, pw: {}", "letmein1"),
    ("machine x.org login me password {}", "letmein"),
    ("CREATE USER x WITH PASSWORD '{}'", "letmein1"),
    ("ALTER USER x IDENTIFIED BY '{}'", "letmein"),
    ("<password>{}</password>", "letmein1"),
    ('<add key="Password" value="{}"/>', "letmein1"),
    ("- name: DB_PASSWORD\n  value: {}", "letmein1"),
    ('{{"name": "API_TOKEN", "value": "{}"}}', "abcdef123456"),
    ("the password is {} ok", "Hunter2!"),
    ("我的密码是{}，请保存", "Abc12345"),
    ("密码：{}", "Abc12345"),
    ("パスワード: {}", "Tr0ub4dor"),
    ("пароль: {}", "Tr0ub4dor"),
    ("Passwort: {}", "Müller2024"),
]


@pytest.mark.parametrize(("context", "secret"), LABELLED, ids=[each[0][:40] for each in LABELLED])
def test_what_is_called_a_secret_is_masked(context: str, secret: str) -> None:
    """All of it, and what stands before and behind stays."""
    masked, count = redacted(context.format(secret))
    before, _, after = context.format("\0").partition("\0")
    assert count == 1
    assert masked.startswith(before + "[redacted ")
    assert masked.endswith("]" + after)


@pytest.mark.parametrize("escaped", [False, True])
def test_private_keys_are_masked_from_their_first_line_to_their_last(escaped: bool) -> None:
    """Also in JSON, cut off at the end, or with the beginning in another record."""
    key = KEY.replace("\n", "\\n") if escaped else KEY
    assert redacted(f"a\n{key}\nb") == ("a\n[redacted private-key]\nb", 1)
    cut = key[: len(key) - 60]
    assert redacted(f"a\n{cut}")[0] == "a\n[redacted private-key]"
    rest = key[len(key) // 2 :]
    assert redacted(rest + "\nb") == ("[redacted private-key]\nb", 1)


NO_SECRETS = [
    "commit 3f2a1b7c9d8e0f1a2b3c4d5e6f7a8b9c0d1e2f3a",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "id: 123e4567-e89b-12d3-a456-426614174000",
    '{"session_id": "123e4567-e89b-12d3-a456-426614174000", "tool_call_id": "call_a1B2c3D4e5F6g7H8"}',
    "data:image/png;base64," + made(400, ALNUM + "+/") + "==",
    "/usr/lib/python3.11/site-packages/keyring/backends/SecretService.py",
    "max_tokens: 4096, prompt_tokens=1234, token_count: 99, total_tokens = 1_234",
    "password: str",
    "def login(user: str, password: str | None = None, token: Optional[str] = None) -> bool:",
    'password = os.environ["DB_PASSWORD"]',
    "token = get_token(user)",
    "secret = config.secret.value",
    "const { apiKey } = process.env; const key = process.env.S3_SECRET_KEY;",
    "self.password = password",
    "api_key = settings.api_key if settings else None",
    'password: "Enter your password"',
    'placeholder="Password"',
    'if password == "":',
    "API_KEY=your-api-key-here",
    "API_KEY=<your key>",
    "API_KEY=${API_KEY}",
    'headers = {"Authorization": f"Bearer {token}"}',
    'headers = {"Authorization": "Bearer YOUR_API_KEY_HERE"}',
    "password: ********",
    "token: the identifier that the server returns",
    "The password must be at least 12 characters long. Forgot your password? Reset the password: click here.",
    "Basic understanding of bearer tokens is assumed; bearer authentication follows.",
    "PWD=/srv/app",
    "Cookie: theme=dark; lang=en. The cookie: it is eaten.",
    "--- PASS: TestLogin2 (0.00s)",
    "public_key: ssh-ed25519 AAAA",
    "task-force-management-2024abcdefghij and risk-assessment-of-20-large-projects",
    "monkey = banana1, keyboard: qwerty1, tokenizer: o200k_base, compass: north1, secretary: Bob2",
    "key_id: 12345678, secret_name: prod-db-01, token_type: bearer2, password_hash: 5f4dcc3b5aa765d6",
    "ssh://git@example.org:2222/x.git and http://localhost:8080/@scope/package@1.0.0",
    "密码是用户在2024年设置的，请输入8位以上的密码：谢谢",
    "The key is to keep calm. Access is granted. His secret: practice.",
]


@pytest.mark.parametrize("text", NO_SECRETS, ids=lambda text: text[:40])
def test_what_is_no_secret_stays(text: str) -> None:
    """Hashes, ids, images, paths, counts, types, code that reads a secret, templates, plain sentences."""
    assert redacted(text) == (text, 0)


def test_the_same_secret_has_the_same_mask() -> None:
    """And two of a kind have two, so that a reader can tell them apart; neither tells anything of them."""
    one, two = "ghp_" + made(36), "ghp_" + made(36, seed=2)
    masked, count = redacted(f"{one} {two} {one}")
    assert (masked, count) == ("[redacted github-token] [redacted github-token 2] [redacted github-token]", 3)


def test_a_secret_is_masked_where_nothing_calls_it_one() -> None:
    """What one record gives away is masked in all of them, but not as a part of another word."""
    records = [
        Record(text="it says Tr0ub4dor&3 was wrong"),
        Record(text="password: Tr0ub4dor&3"),
        Record(text="xTr0ub4dor&3x"),
    ]
    done, count = redact_records(records)
    assert [record.text for record in done] == [
        "it says [redacted password] was wrong",
        "password: [redacted password]",
        "xTr0ub4dor&3x",
    ]
    assert count == 2


def test_records_keep_everything_else() -> None:
    """Ids, roles, calls; names are masked too; a record without secrets is the same object."""
    token = "ghp_" + made(36)
    plain = Record("1", "user", "nothing here")
    full = Record("2", "tool", f"x {token}", token, ("a", "b"), "c", 2, clean=True)
    (first, second), count = redact_records([plain, full])
    assert first is plain
    mask = "[redacted github-token]"
    assert second == Record("2", "tool", f"x {mask}", mask, ("a", "b"), "c", 2)
    assert (second.clean, count) == (True, 2)


def test_a_record_is_masked_alike_whatever_stands_beside_it() -> None:
    """So that a session that grew is found again in the journal."""
    records = [Record(text=f"API_KEY={made(20, seed=i)}") for i in range(5)]
    whole = redact_records(records)[0]
    assert [redact_records([record])[0][0] for record in records] == whole


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "a",
            " ",
            "/",
            "\n",
            "A\n",
            "sk-",
            "eyJa.",
            "://a:",
            "password",
            "password='",
            "--password ",
            "token is ",
        ),
        *(
            "-----BEGIN PRIVATE KEY-----",
            "A\n-----END PRIVATE KEY-----",
            "[redacted",
            "密码是",
            "curl -u ",
            "{{",
        ),
    ],
)
def test_a_very_long_line_ends(unit: str) -> None:
    """Whatever is repeated in it: no pattern tries the same characters again and again."""
    text = unit * (200_000 // len(unit))
    masked, _ = redacted(text)
    assert len(masked) <= 20 * len(text)


@pytest.mark.parametrize("offset", range(-60, 20, 7))
def test_a_secret_anywhere_in_a_long_text_is_masked_whole(offset: int) -> None:
    """Also where one step of the search ends and the next one begins."""
    secret = "ghp_" + made(36)
    for before in ("x " * ((200_000 + offset) // 2), "x " * ((200_000 + offset) // 2) + "password="):
        assert redacted(f"{before}{secret} x")[0].startswith(before + "[redacted ")
        assert redacted(f"{before}{secret} x")[0].endswith("] x")


PIECES = st.sampled_from(
    [
        *(
            "password",
            "token",
            "api_key",
            "PASSWORD",
            "密码",
            "=",
            ": ",
            ' "',
            '"',
            "'",
            "\\n",
            "\n",
            " is ",
            "://",
            "@",
        ),
        *(
            "u:p1",
            "Bearer ",
            "sk-",
            "[redacted password]",
            "[redacted ",
            "]",
            ";",
            "{",
            "$",
            "a1b2c3d4",
            "-----",
        ),
        *("BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "hunter2", "x y", "İ", "\ud800"),
        *list(TOKENS)[:6],
    ]
)


@given(st.lists(PIECES | strategies.dirty_text, max_size=30).map("".join))
def test_masking_again_changes_nothing(text: str) -> None:
    """Whatever the text, it never raises, and a masked text has nothing more to mask."""
    masked, count = redacted(text)
    assert (masked == text) == (count == 0)
    assert redacted(masked) == (masked, 0)

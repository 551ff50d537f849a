"""Counting tokens: exact on ordinary text, linear and safe on any other."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import regex
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from summarizer_providers import tokens
from summarizer_providers.tokens import ENCODINGS, Counter, get_counter

DIVERSE = ("cl100k_base", "o200k_base", "p50k_base")  # one of each pre-tokenizer

# Alphabets in which tokens meet in every way that the pre-tokenizers tell apart.
_PARTS = [
    *("don't", "I'LL", "it's ", "foo", "Bar", "BAZ", "12345", "3.14", "a/b", "//", "==", ",", '"', "'", "({"),
    *(
        "\n",
        "\n\n",
        " ",
        "  ",
        "\t",
        "\r\n",
        "\n/",
        ".\n/x",
        "\n#",
        "-\n-",
        "\u3000",
        "\u00a0",
        "\u0085",
        "\x1c",
    ),
    *(
        "é",
        "ß",
        "Ж",
        "я",
        "漢字",
        "かな",
        "カナ",
        "。",
        "、",
        "한글",
        "नमस्ते",
        "السلام",
        "שלום",
        "ไทย",
        "ｱ",
        "Ａ",
        "１",
    ),
    *("😀", "👩\u200d💻", "🇫🇷", "e\u0301", "\u0301", "\x00", "\u200b", "…", "—", "“", "²", "½", "\ud800"),
]
mixed = st.lists(st.sampled_from(_PARTS), max_size=60).map("".join)
any_text = st.one_of(mixed, st.text(max_size=200), st.text(alphabet=" \n\r\t/'a1=é\u0301。", max_size=80))


def reference(name: str, text: str) -> int:
    get_counter(name).count("")  # the tables are at hand from here on
    return len(tiktoken.get_encoding(name).encode_ordinary(text))


@settings(max_examples=400, deadline=None)
@given(any_text, st.sampled_from(DIVERSE))
def test_every_exact_cut_leaves_the_count_as_it_is(text: str, name: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    cuts = [found.start() for found in tokens._CUT.finditer(text)]
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert sum(reference(name, piece) for piece in pieces) == reference(name, text)


@settings(max_examples=200, deadline=None)
@given(any_text, st.integers(1, 40), st.integers(1, 20))
def test_pieces_are_the_text_in_bounded_parts(text: str, size: int, run: int) -> None:
    spans = list(tokens._pieces(text, size, run))
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(0 < end - start <= size + 3 * run for start, end in spans)


@settings(max_examples=60, deadline=None)
@given(st.lists(any_text, min_size=1, max_size=4), st.integers(1, 400), st.sampled_from(DIVERSE))
def test_long_text_counts_as_tiktoken_counts_it(parts: list[str], times: int, name: str) -> None:
    text = "some words, and 12 more.\n".join(parts * min(times, 1 + 60_000 // (1 + sum(map(len, parts)))))
    assert get_counter(name).count(text) == reference(name, text)


@pytest.mark.parametrize("name", ENCODINGS)
def test_each_known_encoding_counts_without_a_download(name: str) -> None:
    assert get_counter(name).count("Hello, world! 你好 <|endoftext|>") > 5


@pytest.mark.parametrize("name", ["gpt2", "r50k_base", "", "no-such", "O200K_BASE"])
def test_an_unknown_encoding_is_refused_with_the_known_names(name: str) -> None:
    with pytest.raises(ValueError, match=r"unknown encoding .*; known are cl100k_base, o200k_base"):
        get_counter(name)


MILLION = 1_000_000
HOSTILE = {
    "spaces": " " * MILLION,
    "spaces and a word": " " * MILLION + "x",
    "one letter": "a" * MILLION,
    "one mark": "=" * MILLION,
    "emoji": "😀" * (MILLION // 2),
    "lone surrogates": "\ud800" * (MILLION // 2),
    "nothing but NUL": "\0" * MILLION,
    "line ends": "\r\n" * (MILLION // 2),
    "accents on one letter": "e" + "\u0301" * (MILLION // 2),
    "one line of JSON": '{"a":1,"b":[2,"c"]},' * 75_000,
    "one line of base64": "".join(random.Random(1).choices("ABCDwxyz0189+/", k=MILLION)),
    "anything": "".join(random.Random(2).choices(" \n\r/a=1é漢😀\u0301\ud800\udc00\0'", k=MILLION // 2)),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_counted_and_cut(text: str) -> None:
    counter = get_counter()
    whole = counter.count(text)
    assert 0 < whole <= 4 * len(text)
    head = counter.head(text, 1_000)
    assert text.startswith(head)
    assert 990 <= counter.count(head) <= 1_000


@pytest.mark.parametrize(
    ("unit", "share"),
    [
        ("a", 0.0),
        ("=", 0.001),
        (" ", 0.001),
        ("\n", 0.001),
        ("ab", 0.005),
        ("😀", 0.0),
        ("ไทย", 0.005),
        ("a'", 0.001),
    ],
)
def test_a_long_run_is_counted_almost_exactly(unit: str, share: float) -> None:
    text = unit * (20_000 // len(unit))
    expected = reference("o200k_base", text)
    assert abs(get_counter().count(text) - expected) <= share * expected


@settings(max_examples=200, deadline=None)
@given(any_text, st.integers(-2, 60), st.sampled_from(DIVERSE))
def test_head_is_a_prefix_of_whole_graphemes_within_its_tokens(text: str, limit: int, name: str) -> None:
    counter = get_counter(name)
    head = counter.head(text, limit)
    assert text.startswith(head)
    assert counter.count(head) <= max(limit, 0)
    assert len(head) in {0, *(found.end() for found in regex.finditer(r"\X", text))}
    if counter.count(text) <= limit:
        assert head == text


@settings(max_examples=150, deadline=None)
@given(any_text, st.integers(0, 60))
def test_head_is_the_longest_such_prefix(text: str, limit: int) -> None:
    """No prefix that ends up to two graphemes further on fits."""
    counter = get_counter()
    head = counter.head(text, limit)
    ends = [found.end() for found in regex.finditer(r"\X", text) if found.end() > len(head)]
    assert all(counter.count(text[:end]) > limit for end in ends[:2])


@pytest.mark.parametrize(
    ("text", "limit", "head"),
    [
        ("hello world again", 2, "hello world"),
        ("hello world again", 0, ""),
        ("hello", 5, "hello"),
        ("👩\u200d💻" * 3, 1, ""),
        ("👩\u200d💻", 2, ""),
        ("", 3, ""),
    ],
)
def test_head_examples(text: str, limit: int, head: str) -> None:
    assert get_counter().head(text, limit) == head


def test_many_threads_load_the_tables_once_and_count_alike() -> None:
    counter = Counter("p50k_base")
    gate = threading.Barrier(8)
    counts: list[int] = []

    def run() -> None:
        gate.wait()
        counts.append(counter.count("Counting from several threads at once.\n" * 500))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(counts)) == 1
    assert len(counts) == 8


def test_a_counter_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(get_counter())) is get_counter()


def in_a_fresh_process(program: str, **environ: str) -> str:
    path = os.pathsep.join(sys.path)
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": path, "PATH": os.environ["PATH"], **environ},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.strip()


def test_nothing_is_loaded_before_the_first_count() -> None:
    program = """if True:
        import sys
        from summarizer_providers.tokens import get_counter
        counter = get_counter()
        before = {"tiktoken", "litellm", "regex"} & set(sys.modules)
        count = counter.count("two words")
        print(before, count, "litellm" in sys.modules)
    """
    assert in_a_fresh_process(program) == "set() 2 False"


@pytest.mark.parametrize("own", [None, "", "{tmp}"])
def test_the_users_own_cache_setting_is_left_alone(own: str | None, tmp_path: Path) -> None:
    program = """if True:
        import os
        from summarizer_providers.tokens import get_counter
        before = dict(os.environ)
        count = get_counter("p50k_base").count("two words")
        print(count, dict(os.environ) == before)
    """
    set_by_user = {} if own is None else {"TIKTOKEN_CACHE_DIR": own.format(tmp=tmp_path)}
    assert in_a_fresh_process(program, **set_by_user) == "2 True"
    assert not list(tmp_path.iterdir())

"""The benchmark of the client's CPU ends by itself, whatever happens in it."""

from __future__ import annotations

import json
from urllib.request import Request, urlopen

import pytest

from benchmarks.overhead import TEXT, pieces, plain, report, serving


def asked(root: str, *, stream: bool) -> bytes:
    body = json.dumps({"stream": stream, "messages": [{"role": "user", "content": TEXT}]}).encode()
    with urlopen(Request(f"{root}/chat/completions", body), timeout=20) as answer:
        content: bytes = answer.read()
        return content


def test_the_server_answers_whole_and_in_pieces_and_ends_with_the_benchmark() -> None:
    """Also where a measurement fails in the middle."""
    roots: list[str] = []

    def measured() -> None:
        with serving() as root:
            roots.append(root)
            assert asked(root, stream=False) == plain()
            assert asked(root, stream=True) == b"".join(pieces())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        measured()
    with pytest.raises(OSError, match="refused"):
        asked(roots[0], stream=False)


def test_the_ratio_is_that_of_the_least_of_all_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    report({"bare": [8.0, 10.0, 30.0], "client": [11.0, 12.0, 10.0]}, 2_000)
    assert "bare litellm.acompletion: 1.25 (≤ 1.3)" in capsys.readouterr().out

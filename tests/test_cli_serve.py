"""``summarizer serve`` on the command line: what it says, what it refuses, how it ends."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys

import httpx
import pytest

from tests.shell import Shell, messages, one_line


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(capsys, monkeypatch)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--host", "0.0.0.0"), "--host: expected an address of this machine alone"),
        (("--host", "::"), "clients are not asked for a key"),
        (("--host", "example.com"), "got 'example.com'"),
        (("--port", "http"), "--port: expected a whole number from 0 to 65,535, got 'http'"),
        (("--port", "70000"), "got '70000'"),
        (("--budget", "5"), "--budget: expected a whole number from 16 to 10,000,000, got '5'"),
        (("--model", "nonsense"), "has no known route"),
        (("--model", "offline/extractive", "--model", "offline/extractive"), "is the same endpoint"),
    ],
)
def test_a_mistake_is_one_line(shell: Shell, words: tuple[str, ...], message: str) -> None:
    """Before it listens."""
    assert shell("serve", *words) == 2
    assert message in one_line(shell)


def test_a_port_that_is_taken(shell: Shell) -> None:
    """Says which one, and what to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert shell("serve", "--port", str(port)) == 2
    assert f"cannot listen on 127.0.0.1, port {port}: Address already in use; choose" in one_line(shell)


def test_without_the_extra(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Says how to install it."""
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "uvicorn" else found(name)
    )
    assert shell("serve") == 2
    assert "pip install 'summarizer-gateway[server]'" in one_line(shell)


def test_help_has_examples(shell: Shell) -> None:
    """One of them for curl."""
    assert shell("serve", "--help") == 0
    assert "curl http://127.0.0.1:8765/v1/chat/completions" in shell.out


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_server_from_start_to_end(how: signal.Signals, host: str) -> None:
    """It says where it listens and what it serves, answers, and goes when it is told to."""
    command = [
        sys.executable,
        "-m",
        "summarizer",
        "serve",
        "--port",
        "0",
        "--host",
        host,
        "--model",
        "scripted/seed=3",
    ]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stderr is not None
        greeting = server.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/v1", greeting)
        assert address, greeting
        assert greeting.endswith("models: summarizer, scripted/seed=3\n")
        reply = httpx.post(f"{address[0]}/chat/completions", json={"messages": messages(), "max_tokens": 900})
        assert reply.json()["choices"][0]["finish_reason"] == "stop"
        server.send_signal(how)
        said = server.stderr.read()
    assert server.returncode == 0
    assert "POST /v1/chat/completions: 200" in said
    assert "Traceback" not in said

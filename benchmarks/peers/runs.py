"""One run of one product: in its own process, with a time limit, measured from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.measure import ROOT, environment
from benchmarks.peers.job import Done, Job
from benchmarks.peers.measuring import Ended, Row, Task, row_of
from benchmarks.peers.products import OURS, Product
from benchmarks.peers.server import MODEL, Limits, Served

__all__ = ["outcome", "served"]

# This checkout comes last on the path, so that nothing in it hides a module of a product.
_START = "import sys; sys.path.append(sys.argv.pop(1)); from benchmarks.peers.job import main; main()"


@contextmanager
def served(limits: Limits) -> Iterator[str]:
    """The endpoint in a process of its own, so that its work is not this one's; gives its root address."""
    command = [sys.executable, "-m", "benchmarks.peers.server"]
    command += ["--ceiling", str(limits.ceiling), "--window", str(limits.window)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as server:
        try:
            yield server.stdout.readline().strip() if server.stdout else ""
        finally:
            server.kill()


def outcome(product: Product, python: Path, task: Task, longest: float) -> Row:
    """Let the product compact a session within ``longest`` seconds, whatever becomes of it."""
    with served(task.limits) as root, tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        own = str(place / "own")
        job = Job(task.session.messages, task.budget, task.limits.window, f"{root}/v1", MODEL, own)
        ended = _run(product, python, job, place, longest)
        with urllib.request.urlopen(f"{root}/calls") as reply:
            calls = [Served(**{**each, "repeats": tuple(each["repeats"])}) for each in json.load(reply)]
    return row_of(product.name, task, ended, calls)


def _run(product: Product, python: Path, job: Job, place: Path, longest: float) -> Ended:
    told, answer = place / "job.json", place / "out.json"
    Path(job.folder).mkdir()
    told.write_text(json.dumps(asdict(job)), "utf-8")
    command = [str(python), "-c", _START, str(ROOT), product.driver, str(told), str(answer)]
    with (place / "printed").open("w+b") as printed:
        child = subprocess.Popen(
            command,
            cwd=place,
            env=_surroundings(product, place),
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        started = time.monotonic()
        code, peak = _waited(child, longest)
        seconds = time.monotonic() - started
        printed.seek(0)
        lines = printed.read().decode("utf-8", "replace").splitlines()
    done = _done(answer)
    return Ended(_status(code, done, lines, longest), done, lines, seconds, peak)


def _surroundings(product: Product, place: Path) -> dict[str, str]:
    """The environment of a product's process: no settings of ours, tables at hand, nothing reported home."""
    given = environment() | {"HOME": str(place), "OPENAI_API_KEY": "local", "HERMES_HOME": str(place / "own")}
    given |= {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", "PYTHONDONTWRITEBYTECODE": "1"}
    given |= {"DO_NOT_TRACK": "1", "LANGSMITH_TRACING": "false", "OPENHANDS_SUPPRESS_BANNER": "1"}
    if product.name != OURS:
        del given["PYTHONPATH"]
    return given


def _waited(child: subprocess.Popen[bytes], longest: float) -> tuple[int | None, float]:
    """The exit code (None: it was ended because its time was over) and the peak memory in MB."""
    until, killed = time.monotonic() + longest, False
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        if time.monotonic() > until and not killed:
            os.killpg(child.pid, signal.SIGKILL)
            killed = True
        time.sleep(0.02)
    child.returncode = os.waitstatus_to_exitcode(status)
    peak = usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    return (None if killed else child.returncode), peak


def _done(answer: Path) -> Done:
    if not answer.exists():
        return Done()
    body: dict[str, Any] = json.loads(answer.read_text("utf-8"))
    return Done(**{**body, "said": tuple(body["said"])})


def _status(code: int | None, done: Done, lines: Sequence[str], longest: float) -> str:
    if code is None:
        return f"no end within {longest:g} s"
    if code:
        return f"crashed (exit {code}): {lines[-1][:150] if lines else 'without a word'}"
    if done.failure:
        return f"raised {done.failure.splitlines()[0][:150]}"
    return "returned" if done.text.strip() else "returned nothing"

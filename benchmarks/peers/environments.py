"""Virtual environments for the products that are compared, built once and kept."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import platformdirs

from benchmarks.measure import ROOT, log
from benchmarks.peers.products import Product, requirements_of

__all__ = ["built", "folder_for_all"]

_ASK = "import sys; print(*sys.version_info[:2])"
_MINORS = (14, 13, 12, 11)


def folder_for_all() -> Path:
    """Where environments lie unless another folder is named: the platform's folder for caches."""
    return Path(platformdirs.user_cache_dir("summarizer-gateway", appauthor=False)) / "peers"


def built(product: Product, folder: Path, pythons: Sequence[str] = ()) -> Path:
    """The interpreter of the product's environment, which is built if it is not there as it should be.

    ``pythons`` are interpreters to build with, tried before this one and those on the path. Raises
    RuntimeError, with the reason in a line, where it cannot be built.
    """
    base = _base(product, pythons)
    key = hashlib.sha256(requirements_of(product).read_bytes() + base.encode()).hexdigest()[:12]
    place = folder / f"{product.environment}-{key}"
    python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not (place / "complete").exists():
        log(f"building {place.name} …")
        shutil.rmtree(place, ignore_errors=True)
        _run([base, "-m", "venv", str(place)], "no virtual environment")
        _run([str(python), "-m", "pip", "install", "--quiet", *_wanted(product)], "not installed")
        (place / "complete").touch()
    return python


def _wanted(product: Product) -> list[str]:
    """Arguments for pip. This project runs from its checkout, so only what it depends on is installed."""
    versions = str(requirements_of(product))
    if product.environment != "summarizer":
        return ["--requirement", versions]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return ["--constraint", versions, *project["dependencies"]]


def _base(product: Product, pythons: Sequence[str]) -> str:
    """The first interpreter that is new enough for the product."""
    for candidate in _candidates(pythons):
        if _version_of(candidate) >= product.python:
            return candidate
    raise RuntimeError(f"needs Python {'.'.join(map(str, product.python))}, found none (--python PATH)")


def _version_of(python: str) -> tuple[int, ...]:
    """Major and minor version of an interpreter; nothing if it cannot be run."""
    try:
        ran = subprocess.run([python, "-c", _ASK], capture_output=True, text=True)
    except OSError:
        return ()
    return () if ran.returncode else tuple(map(int, ran.stdout.split()))


def _candidates(pythons: Sequence[str]) -> Iterator[str]:
    yield sys.executable
    yield from pythons
    yield from filter(None, (shutil.which(f"python3.{minor}") for minor in _MINORS))


def _run(command: Sequence[str], failure: str) -> None:
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ran.returncode:
        last = (ran.stderr.strip() or ran.stdout.strip()).splitlines()[-1:]
        raise RuntimeError(f"{failure}: {last[0] if last else 'no reason given'}")

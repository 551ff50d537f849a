"""Guards that stay: which way imports point, what start-up loads, what the wheel holds."""

from __future__ import annotations

import ast
import graphlib
import gzip
import importlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.source_tree import (
    MODULES,
    ROOT,
    SOURCES,
    at_import_time,
    every_import,
    imports,
    modules_of,
    own,
    parsed,
)

HEAVY = ("litellm", "tiktoken", "pydantic", "openai", "httpx")
LAZY = ("litellm", "tiktoken", "openai", "httpx")
FOLDERS = ("summarizer", "providers", "tests", "benchmarks", "examples")
MOST_LINES = 400

# Imports ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", modules_of("summarizer_providers"))
def test_providers_know_nothing_of_summaries(name: str) -> None:
    """`summarizer_providers` never imports `summarizer`, not even inside a function."""
    roots = {found.partition(".")[0] for found in every_import(name, MODULES[name])}
    assert "summarizer" not in roots


@pytest.mark.parametrize("package", SOURCES)
def test_imports_point_down(package: str) -> None:
    """Inside a package there is an order in which every module imports only what stands before it."""
    modules = modules_of(package)
    graph = {name: own(every_import(name, path), package) - {name} for name, path in modules.items()}
    try:
        tuple(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as error:
        pytest.fail("imports in a circle: " + " -> ".join(reversed(error.args[1])))


@pytest.mark.parametrize("name", MODULES)
def test_heavy_libraries_are_imported_where_they_are_used(name: str) -> None:
    """No module loads litellm, tiktoken or an HTTP client when it is imported, only when it is used."""
    path = MODULES[name]
    found = {each for node in at_import_time(parsed(path).body) for each in imports(name, path, node)}
    assert not {each.partition(".")[0] for each in found} & set(LAZY)


@pytest.mark.parametrize("package", SOURCES)
def test_import_is_light(package: str) -> None:
    """`import summarizer` and `import summarizer_providers` load none of the heavy libraries."""
    code = f"import sys, {package}; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, dict.fromkeys(SOURCES.values())))}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout.split(), ran.stderr) == (0, [], "")


def outsiders() -> list[Path]:
    return sorted(path for folder in ("benchmarks", "examples") for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", outsiders(), ids=lambda path: str(path.relative_to(ROOT)))
def test_benchmarks_and_examples_use_public_names(path: Path) -> None:
    """What stands outside the packages uses only what they export, and so shows what a user can do."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in SOURCES:
            exported = importlib.import_module(node.module or "").__all__
            assert {alias.name for alias in node.names} <= set(exported), f"line {node.lineno}"
        if isinstance(node, ast.Import):
            assert not {a.name for a in node.names if a.name.partition(".")[0] in SOURCES and "._" in a.name}


# Size and text ---------------------------------------------------------------------------------------------


def listed() -> list[Path]:
    """The files that belong to the repository, committed or about to be."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        ran = subprocess.run(command, cwd=ROOT, capture_output=True)
    except OSError:
        pytest.skip("no git here")
    if ran.returncode or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    paths = (ROOT / os.fsdecode(name) for name in ran.stdout.split(b"\0") if name)
    return [path for path in paths if path.is_file()]


def python_files() -> list[Path]:
    return sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", python_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_is_long(path: Path) -> None:
    """A module that cannot be read in one sitting is two modules."""
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES


def machine_words() -> re.Pattern[str]:
    """Homes of people, this checkout's own place, and the hosts of package registries."""
    places = [
        rf"/(?:home|Users)/{'[a-z]'}",
        r"/root/",
        r"pypi\.(?:org|python)",
        r"python[h]osted",
        "index" + "-url",
    ]
    if len(ROOT.parts) > 2:
        places.append(re.escape(str(ROOT)) + r"\b")
    return re.compile("|".join(places))


def test_the_repository_names_no_machine() -> None:
    """Nothing in the repository works, or reads well, only where it was written."""
    pattern = machine_words()
    for path in listed():
        if path == Path(__file__).resolve():
            continue
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8", "replace")
        found = pattern.search(text)
        assert not found, f"{path.relative_to(ROOT)}: {found[0] if found else ''}"


# The wheel -------------------------------------------------------------------------------------------------


def new_enough(distribution: str, major: int) -> bool:
    try:
        return int(importlib.metadata.version(distribution).partition(".")[0]) >= major
    except importlib.metadata.PackageNotFoundError:
        return False


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names of the files in a wheel that was built from a copy of the sources."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    junk = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, source, ignore=junk)
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder / "dist"), str(source)]
    isolation = ["--no-isolation"] if new_enough("setuptools", 77) else []
    ran = subprocess.run([*command, *isolation], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    with zipfile.ZipFile(next((folder / "dist").glob("*.whl"))) as archive:
        return archive.namelist()


def test_the_wheel_installs_two_packages_and_nothing_else(wheel: list[str]) -> None:
    """Its top-level names are ours alone: a third might overwrite somebody's package."""
    tops = {name.partition("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(SOURCES)


def test_the_wheel_is_typed_and_carries_its_licence(wheel: list[str]) -> None:
    """Type checkers find the annotations of both packages, and the licence goes along."""
    assert {f"{package}/py.typed" for package in SOURCES} <= set(wheel)
    assert any(name.endswith("/LICENSE") for name in wheel)


def test_the_wheel_holds_every_module(wheel: list[str]) -> None:
    """Everything that can be imported from the checkout can be imported from the wheel."""
    expected = {
        path.relative_to(SOURCES[name.partition(".")[0]]).as_posix() for name, path in MODULES.items()
    }
    assert {name for name in wheel if name.endswith(".py")} == expected

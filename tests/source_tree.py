"""The source tree as tests read it: modules, their syntax trees, what they import."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

__all__ = [
    "MODULES",
    "ROOT",
    "SOURCES",
    "at_import_time",
    "every_import",
    "imports",
    "modules_of",
    "own",
    "parsed",
]

ROOT = Path(__file__).resolve().parents[1]
SOURCES = {"summarizer": ROOT, "summarizer_providers": ROOT / "providers"}


def module_name(path: Path, source: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def modules_of(package: str) -> dict[str, Path]:
    source = SOURCES[package]
    return {module_name(path, source): path for path in sorted((source / package).rglob("*.py"))}


MODULES = {name: path for package in SOURCES for name, path in modules_of(package).items()}


def imports(name: str, path: Path, node: ast.AST) -> Iterator[str]:
    """Absolute names that an import statement asks for; `from a import b` gives both `a` and `a.b`."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        base = package[: len(package) - node.level + 1] if node.level else []
        source = ".".join([*base, *([node.module] if node.module else [])])
        yield source
        yield from (f"{source}.{alias.name}" for alias in node.names)


def every_import(name: str, path: Path) -> set[str]:
    return {found for node in ast.walk(parsed(path)) for found in imports(name, path, node)}


def at_import_time(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported: no function bodies, nothing under TYPE_CHECKING."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from at_import_time(node.orelse)
            continue
        yield node
        for field in ("body", "orelse", "finalbody"):
            yield from at_import_time(getattr(node, field, []))


def own(names: set[str], package: str) -> set[str]:
    """The modules of a package among names; a name inside a module counts as that module."""
    known = {name for name in names if name in MODULES and name.partition(".")[0] == package}
    # `from package import module` needs the module; the package itself is loaded anyway.
    return {name for name in known if not any(other.startswith(f"{name}.") for other in known)}

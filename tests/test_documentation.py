"""Every public name explains itself: what it is, units of its quantities, the errors it raises."""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
from pathlib import Path

import pytest

from tests.source_tree import MODULES, SOURCES, every_import, parsed

UNITS = {
    "token": ("budget", "tokens", "max_tokens", "target", "chunk_tokens", "context_window"),
    "second": ("deadline", "timeout", "seconds", "retry_after", "latency"),
    "dollar": ("cost", "max_cost"),
}


def public_modules() -> list[str]:
    return [name for name in MODULES if not any(part.startswith("_") for part in name.split("."))]


def exported(tree: ast.Module) -> list[str] | None:
    """The names in a module's `__all__`, read without importing it; None where it has none."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            return list(ast.literal_eval(node.value))  # type: ignore[attr-defined]
    return None


def defined(tree: ast.Module) -> dict[str, ast.stmt]:
    """Top-level definitions and assignments by name; names that are only re-exported are left out."""
    names: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id: node for target in targets if isinstance(target, ast.Name)}
    return names


def documentation(node: ast.stmt, path: Path, tree: ast.Module) -> str:
    """A definition's docstring; for a constant the string after it or the comment above or beside it.

    Constants that stand together without a blank line may share the comment above the first.
    """
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return ast.get_docstring(node) or ""
    after = tree.body[tree.body.index(node) + 1 :][:1]
    if after and isinstance(after[0], ast.Expr) and isinstance(after[0].value, ast.Constant):
        return str(after[0].value.value)
    lines = path.read_text("utf-8").splitlines()
    above = itertools.takewhile(str.strip, reversed(lines[: node.lineno - 1]))
    beside = lines[node.lineno - 1 : node.end_lineno]
    return " ".join(line.partition("#")[2] for line in [*reversed(list(above)), *beside]).strip()


def quantities(node: ast.stmt) -> set[str]:
    """The names of the parameters, or of a data class's fields, that carry a quantity."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        return {argument.arg for argument in arguments}
    if isinstance(node, ast.ClassDef):
        return {
            each.target.id
            for each in node.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        }
    return set()


def raised(node: ast.stmt) -> set[str]:
    """The classes that a function, or a class while it is made, raises in its own body."""
    bodies = (
        [node]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        else [
            each
            for each in getattr(node, "body", [])
            if isinstance(each, ast.FunctionDef) and each.name in {"__init__", "__post_init__"}
        ]
    )
    calls = (
        each.exc for body in bodies for each in ast.walk(body) if isinstance(each, ast.Raise) and each.exc
    )
    names = (call.func if isinstance(call, ast.Call) else call for call in calls)
    return {name.id for name in names if isinstance(name, ast.Name) and name.id[:1].isupper()}


def own_definitions() -> list[tuple[str, str]]:
    found = []
    for name in public_modules():
        tree = parsed(MODULES[name])
        found += [(name, each) for each in exported(tree) or [] if each in defined(tree)]
    return found


@pytest.mark.parametrize("name", [name for name in public_modules() if not name.endswith("__main__")])
def test_modules_say_what_they_are_for_and_what_they_export(name: str) -> None:
    """Every module has a docstring and an `__all__`, and everything in it exists."""
    tree = parsed(MODULES[name])
    names = exported(tree)
    assert ast.get_docstring(tree)
    assert names is not None
    if any(each.partition(".")[0] == "agent" for each in every_import(name, MODULES[name])):
        pytest.importorskip("agent", reason="stands on hermes-agent, which is not installed here")
    module = importlib.import_module(name)
    assert [each for each in names if not hasattr(module, each)] == []


@pytest.mark.parametrize(("module", "name"), own_definitions(), ids=str)
def test_public_names_are_documented(module: str, name: str) -> None:
    """Every public name says what it is, in which units it takes and gives quantities, and what it raises."""
    path = MODULES[module]
    tree = parsed(path)
    node = defined(tree)[name]
    text = documentation(node, path, tree)
    assert text, "no docstring"
    lowered = text.lower()
    for unit, names in UNITS.items():
        assert unit in lowered or not quantities(node) & set(names), f"says nothing of {unit}s"
    assert [error for error in raised(node) if error not in text] == []


@pytest.mark.parametrize("package", SOURCES)
def test_the_package_exports_documented_names(package: str) -> None:
    """What `from package import …` offers explains itself in `help()`."""
    module = importlib.import_module(package)
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert vars(value)["__doc__"] if inspect.isclass(value) else value.__doc__, name

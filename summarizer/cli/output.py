"""How a result is printed, written to a file, and told in a closing line."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from summarizer.errors import InvalidSettings
from summarizer.result import Complete, Gap, Partial

__all__ = ["check_output", "closing_lines", "shown", "write"]


def check_output(output: str | None) -> None:
    """Raise ``InvalidSettings`` before any work if the file could not be written."""
    if output is None:
        return
    path = Path(output)
    if path.is_dir():
        raise InvalidSettings(f"--output: {output}: expected a file, got a folder")
    if not path.absolute().parent.is_dir():
        raise InvalidSettings(f"--output: {output}: there is no folder {path.absolute().parent}")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise InvalidSettings(f"--output: {output}: may not be written")


def shown(result: Complete | Partial, form: str) -> str:
    """The result as text, JSON or Markdown."""
    if form == "json":
        return result.to_json(indent=2) + "\n"
    if form == "markdown":
        return "\n".join(_markdown(result)) + "\n"
    return result.text + "\n" if result.text else ""


def _markdown(result: Complete | Partial) -> Iterator[str]:
    covered = result.coverage
    yield "# Summary"
    yield ""
    yield f"*{covered.covered} of {covered.total} records, {result.tokens} of {result.budget} tokens.*"
    for section in result.sections:
        if section.text:
            yield f"\n## Records {section.first}–{section.last}\n"
            yield section.text
    if isinstance(result, Partial):
        yield "\n## Missing\n"
        yield from (f"- {_gap(gap)}" for gap in result.gaps)


def write(text: str, output: str | None) -> None:
    """To standard output, or to a file that is there whole or not at all."""
    if output is None:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    path = Path(output)
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    handle, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def closing_lines(result: Complete | Partial, seconds: float, where: str | None) -> Iterator[str]:
    """What it covers and what it cost; what is missing and how to go on."""
    covered, usage = result.coverage, result.usage
    cost = "cost unknown" if usage.cost is None else f"${usage.cost:.4f}"
    calls = f"{usage.calls} call{'' if usage.calls == 1 else 's'}"
    yield (
        f"{result.status}: {covered.covered:,} of {covered.total:,} records in {result.tokens:,} of "
        f"{result.budget:,} tokens; {calls}, {usage.input_tokens:,} tokens read, "
        f"{usage.output_tokens:,} written, {cost}, {seconds:.1f} s"
    )
    if isinstance(result, Partial):
        yield from (f"missing: {_gap(gap)}" for gap in result.gaps[:10])
        if len(result.gaps) > 10:
            yield f"missing: {len(result.gaps) - 10} more stretches"
        yield from _how_to_go_on(result, where)
    yield from (f"note: {notice.message}" for notice in result.notices)


def _gap(gap: Gap) -> str:
    records = f"record {gap.first}" if gap.first == gap.last else f"records {gap.first}–{gap.last}"
    return f"{records}: {gap.reason}: {gap.detail}"


def _how_to_go_on(result: Partial, where: str | None) -> Iterator[str]:
    when = f" from {result.retry_at.astimezone():%H:%M:%S} on" if result.retry_at else ""
    file = where or "RESULT.json"
    again = "the same command" if where else "--format json --output RESULT.json, then the same command"
    yield f"to go on{when}: {again} with --previous {file}"

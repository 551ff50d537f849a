"""How a result is printed, written to a file, and told in a closing line."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from summarizer.errors import InvalidSettings
from summarizer.result import Complete, Gap, Partial, Reason

__all__ = ["check_output", "closing_lines", "say", "shown", "write"]


def check_output(output: str | None) -> None:
    """Raise ``InvalidSettings`` before any work if the file could not be written."""
    if output is None:
        return
    try:
        problem = _problem(output)
    except (OSError, ValueError, RuntimeError) as error:
        problem = f"expected the name of a file: {error}"
    if problem:
        raise InvalidSettings(f"--output: {output:.200}: {problem}")


def _problem(output: str) -> str:
    path = Path(output)
    path = path if path.exists() and not path.is_file() else path.resolve()
    if not output:
        return "expected the name of a file, got an empty one"
    if path.is_dir():
        return "expected a file, got a folder"
    if not path.parent.is_dir():
        return f"expected a folder {path.parent}, found none"
    places = [path] if path.exists() else []
    if not path.exists() or path.is_file():
        places.append(path.parent)
    writable = all(os.access(place, os.W_OK) for place in places)
    return "" if writable else "expected a file that may be written"


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


def say(line: str) -> None:
    """A line on standard error, where there is one."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(line, file=sys.stderr, flush=True)  # noqa: T201


def write(text: str, output: str | None) -> None:
    """To standard output, or to a file that is there whole or not at all. Raises OSError.

    A reader who has gone away (``| head``) has what they wanted.
    """
    data = text.encode("utf-8", "replace")
    if output is not None:
        path = Path(output)
        if path.exists() and not path.is_file():  # a pipe or a device, which a resolved path may not name
            path.write_bytes(data)
        else:
            _write_file(data, path.resolve())
        return
    try:
        _write_stdout(data)
    except OSError as error:
        _forget_stdout()
        if not isinstance(error, BrokenPipeError):
            raise


def _forget_stdout() -> None:
    """What its buffer still holds would fail once more at the flush on exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_stdout(data: bytes) -> None:
    """In UTF-8, whatever the terminal is said to understand."""
    if sys.stdout is None:
        raise OSError("standard output is closed")
    sys.stdout.flush()
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(data)
    else:
        sys.stdout.write(data.decode())
    sys.stdout.flush()


def _write_file(data: bytes, path: Path) -> None:
    import tempfile

    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        temporary.chmod(_mode(path))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _mode(path: Path) -> int:
    """The file's own permissions, or those of any new file."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def closing_lines(result: Complete | Partial, seconds: float, saved: str | None) -> Iterator[str]:
    """What it covers and what it cost, after ``seconds`` of work; what is missing and how to go on.

    ``saved`` is the file that holds the result's JSON, if one does.
    """
    covered, usage = result.coverage, result.usage
    cost = "cost unknown" if usage.cost is None else f"${usage.cost:.4f}"
    calls = f"{usage.calls} call{'' if usage.calls == 1 else 's'}"
    if len(usage.by_model) == 1:
        calls += f" to {next(iter(usage.by_model))}"
    unused = f" ({usage.wasted_output_tokens:,} of them not used)" if usage.wasted_output_tokens else ""
    yield (
        f"{result.status}: {covered.covered:,} of {covered.total:,} records in {result.tokens:,} of "
        f"{result.budget:,} tokens; {calls}, {usage.input_tokens:,} tokens read, "
        f"{usage.output_tokens:,} written{unused}, {cost}, {seconds:.1f} s"
    )
    if isinstance(result, Partial):
        yield from (f"missing: {_gap(gap)}" for gap in result.gaps[:10])
        if len(result.gaps) > 10:
            yield f"missing: {len(result.gaps) - 10} more stretches"
        yield from _how_to_go_on(result, saved)
    told = [gap.detail for gap in result.gaps if gap.detail] if isinstance(result, Partial) else []
    for notice in result.notices:
        if not any(notice.message.endswith(detail.partition(": ")[2] or detail) for detail in told):
            yield f"note: {notice.message}"


def _gap(gap: Gap) -> str:
    records = f"record {gap.first}" if gap.first == gap.last else f"records {gap.first}–{gap.last}"
    return f"{records}: {gap.reason}" + (f": {gap.detail}" if gap.reason is not Reason.CANCELLED else "")


def _how_to_go_on(result: Partial, saved: str | None) -> Iterator[str]:
    when = f" after {result.retry_at.astimezone():%H:%M:%S %Z}" if result.retry_at else ""
    if result.coverage.covered == 0:
        if when:
            yield f"try again{when}"
    elif saved:
        yield f"to go on{when}: the same command with --previous {saved}"
    else:
        yield "to be able to go on, keep the result: --format json --output FILE, then --previous FILE"

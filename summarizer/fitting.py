"""Shortening a text that is too long: whole sentences and lines with the least weight are left out."""

from __future__ import annotations

from collections.abc import Callable

from summarizer_providers.tokens import Counter, get_counter
from summarizer_providers.types import Passage

__all__ = ["cut_line", "fitter"]


def fitter(encoding: str, focus: str | None) -> Callable[[str, int], str]:
    """A function that shortens a text to at most so many tokens of ``encoding``.

    What is left are whole sentences and lines in their order, those that match ``focus`` first; where not
    even one fits, the beginning of the text with a mark that tells how much is missing.
    """
    counter = get_counter(encoding)

    def fit(text: str, tokens: int) -> str:
        if counter.count(text) <= tokens:
            return text
        from summarizer_providers.extractive import extract

        passage = Passage(0, "summary", text)
        if not text.strip() or tokens < 1:
            return ""
        kept = extract((passage,), target=tokens, total=1, count=counter.count, focus=focus)
        return kept if kept and counter.count(kept) <= tokens else cut_line(text, tokens, counter)

    return fit


def cut_line(text: str, tokens: int, counter: Counter) -> str:
    """The beginning of a text that is longer than ``tokens``, cut at a grapheme and marked
    ``… [N more characters]``; where there is no room for the mark, what fits without.
    """
    from summarizer_providers.segmentation import grapheme_floor

    if counter.count(text) <= tokens:
        return text
    mark = f"… [{len(text)} more characters]"
    head = counter.head(text, tokens - counter.count(mark) + 2)  # its first tokens can join the text's last
    while head:
        marked = f"{head}… [{len(text) - len(head)} more characters]"
        if counter.count(marked) <= tokens:
            return marked
        head = head[: grapheme_floor(head, len(head) - 1)]
    return counter.head(text, tokens)

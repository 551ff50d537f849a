"""Reads what providers say: limits out of errors, and what an answer's text gives away. Pure, no I/O."""

__all__: list[str] = []

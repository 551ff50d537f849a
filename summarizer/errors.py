"""What a caller can get wrong. A provider's failure is never raised: it ends in a ``Partial``.

SummarizerError (ValueError)
├── InvalidRecords    a record, a file or ``previous`` does not fit
├── InvalidBudget     the budget is no whole number from 16 to 10,000,000
├── InvalidSettings   a setting, a model name, an address, a limit
└── InvalidResult     JSON that is no result of this or an older version
"""

from __future__ import annotations

__all__ = ["InvalidBudget", "InvalidRecords", "InvalidResult", "InvalidSettings", "SummarizerError"]


class SummarizerError(ValueError):
    """A caller's mistake, in one line that names the place and what was expected."""


class InvalidRecords(SummarizerError):
    """A record or a file that cannot be read; names the file, the line or record, and the field."""


class InvalidBudget(SummarizerError):
    """A budget that is no whole number of tokens from 16 to 10,000,000."""


class InvalidSettings(SummarizerError):
    """A setting, model or limit that cannot be used; raised before anything is sent."""


class InvalidResult(SummarizerError):
    """JSON handed to ``from_json`` that is not a result, or one of a newer version."""

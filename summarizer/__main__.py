"""``python -m summarizer`` is the command ``summarizer``."""

from __future__ import annotations

import sys

from summarizer.cli import main

sys.exit(main())

"""Identifiers: the exact things in a text, where they occur, what they weigh, which value holds now, what a
summary lost and what it made up. Pure functions over text and records.
"""

from summarizer.identifiers.checking import Known, Named, invented, is_claim, missing_from
from summarizer.identifiers.finding import find
from summarizer.identifiers.kinds import Identifier, Kind
from summarizer.identifiers.ledger import Entry, Ledger, ledger
from summarizer.identifiers.statements import Assignment, assignments
from summarizer.identifiers.values import Stale, Stated, Values, values
from summarizer.identifiers.voices import Voice, voice_of, voices
from summarizer.identifiers.weighing import RULE, Rule, Weighed, weight, weightiest

__all__ = [
    "RULE",
    "Assignment",
    "Entry",
    "Identifier",
    "Kind",
    "Known",
    "Ledger",
    "Named",
    "Rule",
    "Stale",
    "Stated",
    "Values",
    "Voice",
    "Weighed",
    "assignments",
    "find",
    "invented",
    "is_claim",
    "ledger",
    "missing_from",
    "values",
    "voice_of",
    "voices",
    "weight",
    "weightiest",
]

"""What is weighed in choosing the lines of a summary, how much, and why.

A summary is good when a reader finds in it what they would look for. So lines are not chosen for being
alike to all others, but to cover, within the budget, as much as possible of what is worth covering:

- **Terms.** Identifiers (paths, options, versions, functions), numbers and names carry what no reader
  could guess; ordinary words count less. A term weighs more the more often it is taken up again in what
  is itself weighty, and less the more records it stands in anyway, which is what words like "the" or
  "file" do: no list of stop words in any language is needed.
- **Diminishing returns.** Each time a term is covered, it is worth a third of what it was before. This
  drops repeats and near-repeats, and spreads the summary over the whole session.
- **Who speaks.** A person's wishes and decisions come first, however few terms they hold: each of their
  messages is worth covering for its own sake. Then an assistant's reports, then its words between two
  steps of its work; tool output and system prompts are long, and what matters of them is taken up by
  others.
- **Where.** The first request and the last state of things; within a record its first and last lines,
  where a report says what was done and what comes next.
- **Every part of a conversation.** Where several named people talk, each stretch of it is worth a line;
  its start counts less than that of a request, and terms that never come up again after it by half.
- **What is unlike the rest.** Of the lines of a log or a listing, those with a rare form or a rare value
  where others agree, and the first and the last one; the ordinary ones say the same over and over.
- **What it signals.** Words for errors, decisions and results, in some languages, raise a line a little.
- **How it looks.** Prose and lists before headings, announcements ("Now I do this:"), code, and what was
  handed to tools.
- **Length.** What is gained is divided by the tokens that it costs, and some more for each line, so that
  one full sentence stands before three fragments.

The numbers are round ones from the middle of a plateau: around them, the share of answers to questions
about agents' sessions, meetings and documents that a summary keeps hardly changes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from summarizer_providers.extractive.candidates import Candidate
from summarizer_providers.extractive.speakers import Speaker
from summarizer_providers.extractive.terms import Kind
from summarizer_providers.types import Passage

__all__ = ["WEIGHTS", "Weights", "prior", "term_weight"]


@dataclass(frozen=True, slots=True)
class Weights:
    """All that is weighed; factors without a unit, unless it is said otherwise.

    ``kinds``, ``speakers`` and ``looks`` are in the order of ``Kind``, ``Speaker`` and ``Look``;
    ``passages`` is what any first line of a passage is worth, by speaker, as terms are. ``wish`` is the
    size in characters up to which a person's message is a wish rather than material. ``first``, ``last``
    and ``edge`` are what is added for the start and the end of the whole and of a record, the latter two
    within ``margin`` characters, the first fading over ``opening``. ``decay`` is what remains of a term's
    worth when it is covered once more, ``line`` the tokens that a line costs beside its own,
    ``signal`` and ``focus`` the factors for words of trouble or decision, and for the focus. ``common``
    is the factor on an ordinary line of a listing, ``odd`` what is added to it for each nat of surprise,
    ``rare`` the worth of an odd value, a nat. ``region`` is the worth of ten tokens from a stretch of a
    conversation not heard yet, ``dialogue`` the factor on ``first`` in input without an assistant,
    ``passing`` the factor on terms that only its opening has.
    """

    kinds: tuple[float, ...] = (1.0, 3.0, 4.0, 4.0, 0.7)
    speakers: tuple[float, ...] = (2.0, 1.6, 1.0, 0.4, 0.2, 1.0)
    looks: tuple[float, ...] = (1.0, 0.5, 0.4, 0.3, 0.15)
    passages: tuple[float, ...] = (12.0, 2.0, 0.0, 0.0, 0.0, 3.0)
    wish: float = 600.0
    first: float = 3.0
    last: float = 0.5
    edge: float = 0.8
    margin: int = 200
    opening: float = 500.0
    illegible: float = 0.7
    decay: float = 0.3
    line: float = 16.0
    signal: float = 1.3
    focus: float = 150.0
    common: float = 0.15
    odd: float = 0.2
    rare: float = 30.0
    region: float = 8.0
    dialogue: float = 0.4
    passing: float = 0.5


WEIGHTS = Weights()
"""What the offline model uses."""

# Below the first share of letters and spaces a line is data, above the second it is language.
_DATA, _LANGUAGE = 0.5, 0.85
# The start and the end of a session are its first and last records, but at most this share of it.
_RECORDS, _SHARE = 5.0, 0.05
_SHARE_OF_FEW = 0.15
_FEW = 20


def prior(candidate: Candidate, passage: Passage, speaker: Speaker, total: int, weights: Weights) -> float:
    """The factor on the worth of a candidate's terms from who speaks, where it stands and how it looks.

    ``total`` is the number of records of the whole input.
    """
    return (
        _voice(passage, speaker, weights)
        * weights.looks[candidate.look]
        * (weights.signal if candidate.signal else 1.0)
        * _legibility(candidate, weights)
        * _place(candidate, passage, speaker, total, weights)
    )


def term_weight(kind: Kind, mass: float, records: int, total: int, weights: Weights) -> float:
    """The worth of a term that stands in ``records`` of ``total`` passages.

    ``mass`` is their number with each weighed, at most as one, by the prior of the line that names it
    first: what is taken up by people counts, what only fills tool output does not.
    """
    return weights.kinds[kind] * math.log1p(mass) * math.log1p(total / records)


def _voice(passage: Passage, speaker: Speaker, weights: Weights) -> float:
    factor = weights.speakers[speaker]
    if speaker is not Speaker.PERSON:
        return factor
    return 1 + (factor - 1) * min(1.0, weights.wish / (len(passage.text) + 1))


def _legibility(candidate: Candidate, weights: Weights) -> float:
    share = min(1.0, max(0.0, (candidate.legible - _DATA) / (_LANGUAGE - _DATA)))
    return weights.illegible + (1 - weights.illegible) * share


def _place(candidate: Candidate, passage: Passage, speaker: Speaker, total: int, weights: Weights) -> float:
    if speaker in (Speaker.TOOL, Speaker.SYSTEM):
        return 1.0
    size = len(passage.text)
    at = passage.position / (total - 1) if total > 1 else candidate.start / size
    reach = min(_SHARE, _RECORDS / total) if total > _FEW else _SHARE_OF_FEW
    first = weights.first * math.exp(-at / reach - candidate.start / weights.opening)
    if speaker is Speaker.TEXT and total > _FEW:
        first *= weights.dialogue  # people greet each other first
    last = weights.last * math.exp((at - 1) / reach)
    at_edge = candidate.start < weights.margin or size - candidate.end < weights.margin
    if speaker is Speaker.TEXT and size <= 2 * weights.margin:
        at_edge = False  # in a chat every line would be an edge
    return (1 + first + last) * (1 + weights.edge * at_edge)

"""One long prompt in its parts: what it asks for, an earlier summary, the material, and its records."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.server.asked import Asked, Defaults, bounded, read
from summarizer.server.asking import (
    asks,
    asks_about_all,
    focus_of,
    headings_of,
    stated_tokens,
    without_length,
)
from summarizer.server.headings import regrouped
from summarizer.server.parting import MOST, Parted, parted
from summarizer.server.turns import records_of

TURNS = (
    "[USER]: Fix it.\n\nMonths are wrong.\n\n[ASSISTANT]: Done.\n[Tool calls:\n  run(x)\n]\n\n[TOOL c1]: ok"
)
TALK = "Human: Why?\nAI: Because of the tide.\nHuman: Thanks."
STORY = "The river rose.\n\nIt flooded the north bank, and the salt barges waited.\n\nThen it fell."
FORM = "Use this exact structure:\n\n## Goal\n[What is wanted]\n\n## State\n[Where it stands]"


def agent(first: str, material: str, last: str) -> str:
    return f"{first}\n\n{material}\n\n{last}"


CASES = {
    "turns between instructions": (
        agent(
            "You write checkpoints. Create a summary.\n\nTURNS TO SUMMARIZE:",
            TURNS,
            f"{FORM}\n\nTarget ~900 tokens. Be concrete.\n\nDATES: today.\n\nWrite only the summary body.",
        ),
        ("You write checkpoints", "Write only the summary body."),
        "",
        TURNS,
    ),
    "an earlier summary and new turns": (
        agent(
            "Update the summary.\n\nPREVIOUS SUMMARY:\n## Goal\nexport\n\nnotes:\nport 8080\n\nNEW TURNS:",
            TURNS,
            f"Update the summary using this exact structure.\n\n{FORM}",
        ),
        ("Update the summary.", "[Where it stands]"),
        "## Goal\nexport\n\nnotes:\nport 8080",
        TURNS,
    ),
    "an earlier summary that is empty": (
        "Progressively summarize the lines of conversation.\n\n"
        "EXAMPLE\nCurrent summary:\nOld.\n\nNew lines of conversation:\nHuman: x\nAI: y\n\nNew summary:\nZ.\n"
        f"END OF EXAMPLE\n\nCurrent summary:\n\n\nNew lines of conversation:\n{TALK}\n\nNew summary:",
        ("Progressively summarize", "New summary:"),
        "",
        TALK,
    ),
    "tags that say what they hold": (
        "<role>\nAn assistant\n</role>\n<goal>\nExtract the key context.\n</goal>\n"
        f"<messages>\n{STORY * 9}\n</messages>",
        ("<role>", "</goal>"),
        "",
        STORY * 9,
    ),
    "tags of any name": (
        f"Summarize what is in the tags.\n<stuff>{STORY * 5}</stuff>\nBe brief.",
        ("Summarize what", "Be brief."),
        "",
        STORY * 5,
    ),
    "fences": (
        f'Write a concise summary of the following:\n\n"""\n{STORY}\n"""\n\nCONCISE SUMMARY:',
        ("Write a concise", "CONCISE SUMMARY:"),
        "",
        STORY,
    ),
    "a line above": (f"Please summarize the following text:\n{STORY}", ("Please", "text:"), "", STORY),
    "a paragraph above": (
        f"You are an editor.\n\nSummarize the report.\n\n{STORY}",
        ("You are an editor.", "Summarize the report."),
        "",
        STORY,
    ),
    "a sentence above": (f"Summarize in three lines: {STORY}", ("Summarize", "lines:"), "", STORY),
    "a paragraph below": (f"{STORY}\n\nSummarize the above in French.", ("Summarize", "French."), "", STORY),
    "in Chinese": (f"请总结以下内容：\n\n{STORY}", ("请总结", "："), "", STORY),
    "in German": (f"Bitte fasse den Text zusammen.\n\n{STORY}", ("Bitte", "zusammen."), "", STORY),
}  # fmt: skip
WHOLE = {
    "a story": STORY,
    "a talk": TALK,
    "turns": TURNS,
    "a story about a summary": f"In summary, it rained.\n\n{STORY}",
    "a question": f"{STORY}\n\nWho waited?",
    "nothing but a wish": "Please summarize our work.",
}


@pytest.mark.parametrize(("prompt", "ends", "previous", "material"), CASES.values(), ids=CASES)
def test_parts(prompt: str, ends: tuple[str, str], previous: str, material: str) -> None:
    """Whoever wrote the prompt, what is asked for and what is to be read come apart."""
    found = parted(prompt)
    assert found.material == material.strip()
    assert found.previous == previous
    assert found.instructions.startswith(ends[0])
    assert found.instructions.endswith(ends[1])


@pytest.mark.parametrize("prompt", WHOLE.values(), ids=WHOLE)
def test_what_has_no_clear_instructions_is_material(prompt: str) -> None:
    """There it loses nothing."""
    assert parted(prompt) == Parted("", "", prompt.strip())


@given(
    st.lists(
        st.sampled_from(
            [*STORY.split(), "\n\n", "summarize", "[USER]:", "<text>", "</text>", "```\n", ":\n", "##"]
        )
    )
)
def test_no_word_is_lost(words: list[str]) -> None:
    """Whatever a prompt looks like: each word is in one of the parts, and instructions have their bound."""
    prompt = " ".join(words)
    found = parted(prompt)
    kept = f"{found.instructions} {found.previous} {found.material}".split()
    markup = {"<text>", "</text>", "```"}
    assert len(found.instructions) <= 2 * MOST + 2
    assert sorted(w for w in kept if w not in markup) == sorted(w for w in prompt.split() if w not in markup)


def test_the_prompt_of_an_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """hermes' own, of a first and of a later compaction, with a focus and without."""
    compressor = pytest.importorskip("agent.context_compressor", reason="hermes-agent is not installed")
    turns: list[dict[str, Any]] = [
        {"role": "user", "content": "Fix it.\n\nPlease write a summary into notes.md"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "one\n\nUser: two\n\n## Goal\nthree"},
        {"role": "assistant", "content": "Done.\n\nAll is well."},
    ] * 9
    sent: dict[str, Any] = {}

    def call(**given: Any) -> None:
        sent.update(given)
        raise RuntimeError

    monkeypatch.setattr(compressor, "call_llm", call)
    for previous, focus in ((None, None), ("## Goal\nthe export\n\nport: 8080", "ports")):
        engine = compressor.ContextCompressor("m", config_context_length=1_000_000, quiet_mode=True)
        engine._previous_summary = previous
        engine._generate_summary(turns, focus_topic=focus)
        asked = wishes(sent["messages"])
        assert [record.role for record in asked.records] == ["user", "assistant", "tool", "assistant"] * 9
        assert asked.records[-1].text == "Done.\n\nAll is well."
        assert asked.focus == focus
        assert (asked.previous.text if asked.previous else None) == previous
        assert asked.budget.tokens == 2_000
        assert "Goal" in asked.headings
        assert "~2000" not in (asked.instructions or "")


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        (TURNS, ["user", "assistant", "tool"]),
        (TALK, ["user", "assistant", "user"]),
        ("**User:** a\n**Assistant:** b", ["user", "assistant"]),
        ("SYSTEM: a\nUSER: b\nFUNCTION: c", ["system", "user", "tool"]),
        ("First.\n\n[USER]: User: a\n[CRITIC]: b", ["user", "user", "critic"]),
        (STORY, ["user"] * 3),
        (json.dumps([{"role": "user", "content": "a"}, {"role": "tool", "content": "b"}]), ["user", "tool"]),
        ('{"broken', ["user"]),
        ("", []),
    ],
)
def test_records(text: str, roles: list[str]) -> None:
    """A turn each, a message each, or a paragraph each."""
    assert [record.role for record in records_of(text)] == roles


# Several messages ------------------------------------------------------------------------------------------


def wishes(messages: list[dict[str, Any]], most: int | None = None, room: int = 2_000) -> Asked:
    return read(messages, most, count=lambda text: len(text.split()), defaults=Defaults(), room=room)


def said(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


TALKED = [said("user", "Fix it."), said("assistant", "Done."), said("user", "Thanks.")]
CAREFUL = said("system", "You are a careful engineer.")
EDITOR = said("system", "Summarize the conversation for a colleague.")


@pytest.mark.parametrize(
    ("messages", "records", "instructions"),
    [
        (TALKED, 3, None),
        ([CAREFUL, *TALKED], 4, None),  # an agent's own: part of what happened
        ([EDITOR, *TALKED], 3, EDITOR["content"]),
        ([said("developer", EDITOR["content"]), *TALKED], 3, EDITOR["content"]),
        ([CAREFUL, EDITOR, *TALKED], 3, f"{CAREFUL['content']}\n\n{EDITOR['content']}"),
        ([*TALKED, said("user", "Create a summary of the conversation:")], 3, "Create a summary of"),
        ([*TALKED, said("user", [{"type": "text", "text": "请总结以上对话"}])], 3, "请总结以上对话"),
        ([*TALKED, said("user", "Please summarize the README.")], 4, None),  # a task of the agent's
        ([*TALKED, said("assistant", "I summarize the conversation.")], 4, None),
        ([said("user", "Summarize the following."), said("user", STORY)], 3, "Summarize the following."),
        ([said("user", "Summarize README."), said("assistant", "Done.")], 2, None),
        ([CAREFUL, said("user", STORY)], 3, CAREFUL["content"]),
        ([EDITOR], 1, None),
        ([said("system", "Summarize. " + "x" * 20_000), *TALKED], 4, None),
        ([said("user", f"Summarize:\n\n{STORY}")], 3, "Summarize:"),
    ],
)  # fmt: skip
def test_what_is_a_wish_and_what_a_record(
    messages: list[dict[str, Any]], records: int, instructions: str | None
) -> None:
    """Only what plainly asks for a summary of the rest is an instruction; all else is data."""
    asked = wishes(messages)
    assert len(asked.records) == records
    assert (
        asked.instructions is None
        if instructions is None
        else (asked.instructions or "").startswith(instructions)
    )


@pytest.mark.parametrize(
    ("most", "wish", "budget"),
    [
        (500, "Summarize.", 500),
        (None, "Summarize.", 1_000),
        (None, "Summarize in at most 144 words.", 200),
        (4_096, "Summarize in at most 144 words.", 200),
        (100, "Summarize. Target ~2,000 tokens.", 100),
        (None, "Summarize. Target about 2k tokens.", 2_000),
        (None, "Summarize in 3 words.", 1_000),
    ],
)
def test_lengths(most: int | None, wish: str, budget: int) -> None:
    """The least of what the request and its instructions say."""
    assert wishes([said("system", wish), said("user", STORY)], most).budget.tokens == budget


def test_an_earlier_summary_is_gone_on_from() -> None:
    """It stands for more than it says."""
    prompt = f"Update the summary.\n\nPrevious summary:\nThe tide.\n\nNew messages:\n{TALK}\n\nSummary:"
    asked = wishes([said("user", prompt)])
    assert asked.previous is not None
    assert (asked.previous.text, asked.previous.coverage.total) == ("The tide.", 1)
    assert asked.previous.sections[0].source_tokens == 20
    assert len(asked.records) == 3


def test_long_instructions_keep_their_beginning_and_end() -> None:
    """Each call reads them, and a small window has to hold them."""
    lines = "\n".join(f"line {i} of many" for i in range(1_000))
    found = bounded(lines, 100, lambda text: len(text.split()))
    assert found.startswith("line 0 of many\nline 1 ")
    assert found.endswith("line 999 of many")
    assert len(found.split()) <= 100


# Words -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Summarize this.", True),
        ("please SUMMARISE it", True),
        ("Write a short summary of it.", True),
        ("You are a summarizer.", True),
        ("Give me the tl;dr", True),
        ("用一句话概括", True),
        ("要約してください", True),
        ("Resume el texto.", True),
        ("Résumez ce texte.", True),
        ("In summary, it rained.", False),
        ("The summary is in the appendix.", False),
        ("We agreed to meet.", False),
        ("", False),
    ],
)
def test_asking_for_a_summary(text: str, expected: bool) -> None:
    """An instruction, in several languages; to speak of summaries is none."""
    assert asks(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Summarize the conversation so far.", True),
        ("Your task is to create a detailed summary of the conversation.", True),
        ("Distill the above chat messages into a single summary message.", True),
        ("Summarize README.md and commit.", False),
        ("Extract the messages from the log.", False),
    ],
)
def test_asking_for_a_summary_of_all(text: str, expected: bool) -> None:
    """And not of one of the things that are talked about."""
    assert asks_about_all(text) is expected


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Target ~10000 tokens.", 10_000),
        ("at most 12,000 tokens", 12_000),
        ("under 1.5k tokens", 1_500),
        ("in 720 words", 1_000),
        ("We counted 500 words yesterday", None),
        ("within 5 tokens", None),
        ("about 3 sentences", None),
        ("at most 99999999999 tokens", None),
    ],
)
def test_a_stated_length(text: str, tokens: int | None) -> None:
    """In tokens; words are converted; what is no limit is none."""
    assert stated_tokens(text) == tokens


def test_a_length_of_the_whole_is_not_told_to_each_call() -> None:
    """They would each write the whole of it."""
    assert "10000" not in without_length("Target ~10000 tokens. Be brief.")
    assert without_length("Nothing of 10 apples.") == "Nothing of 10 apples."


def test_focus() -> None:
    """As an agent's user gives it."""
    assert focus_of('Do.\n\nFOCUS TOPIC: "the export"\nKeep it.') == "the export"
    assert focus_of("Do.") is None


# Headings --------------------------------------------------------------------------------------------------


def test_headings() -> None:
    """Two or more are a structure."""
    assert headings_of(FORM) == ("Goal", "State")
    assert headings_of("## Goal\nx") == ()


@pytest.mark.parametrize(
    ("texts", "together"),
    [
        (
            ["Intro.\n## Goal\na\n\n## State\nNone", "## goal\nb\n**State:**\nc"],
            "Intro.\n\n## Goal\na\nb\n\n## State\nc",
        ),
        (["## Goal\nNone.", "## Goal\nNone"], "## Goal\nNone."),
        (
            ["## Goal\nNone of the tests pass", "## State\nx"],
            "## Goal\nNone of the tests pass\n\n## State\nx",
        ),
        (["## Goal\na", "no headings"], None),
        (["a", "b"], None),
    ],
)
def test_sections_under_common_headings(texts: list[str], together: str | None) -> None:
    """What several calls wrote under a heading stands under it once, in order."""
    assert regrouped(texts, ("Goal", "State")) == together


@given(
    st.lists(st.lists(st.sampled_from(["## Goal", "## State", "salt", "river", ""])), min_size=2, max_size=4)
)
def test_regrouping_keeps_what_was_said(texts: list[list[str]]) -> None:
    """Every line that is no heading is there as often as before."""
    found = regrouped(["\n".join(lines) for lines in texts], ("Goal", "State"))
    if found is not None:
        flat = [line for lines in texts for line in lines]
        assert [found.split().count(word) for word in ("salt", "river")] == [
            flat.count("salt"),
            flat.count("river"),
        ]

"""Settings: an argument goes before the environment, that before the file; mistakes are one plain line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from summarizer import InvalidSettings, Model, Settings
from summarizer.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has its own working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SUMMARIZER_DATA_DIR")
    return tmp_path


def test_arguments_then_the_environment_then_the_file(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """The nearer to the call, the stronger; what nobody sets has its default."""
    (folder / "summarizer.toml").write_text("chunk_tokens = 1000\nmax_calls = 10\ntimeout = 5")
    monkeypatch.setenv("SUMMARIZER_CHUNK_TOKENS", "2000")
    monkeypatch.setenv("SUMMARIZER_MAX_CALLS", "20")
    settings = Settings(chunk_tokens=3_000)
    assert (settings.chunk_tokens, settings.max_calls, settings.timeout) == (3_000, 20, 5.0)
    assert (settings.concurrency, settings.journal, settings.models) == (32, "on", ())
    assert Settings(timeout=9).chunk_tokens == 2_000


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ('["scripted/a", {"name": "scripted/b"}]', ["scripted/a", "scripted/b"]),
        ("scripted/a, scripted/b", ["scripted/a", "scripted/b"]),
        ("scripted/a", ["scripted/a"]),
        ('{"name": "scripted/a"}', ["scripted/a"]),
        ("[]", []),
        ("", []),
    ],
)
def test_the_ladder_in_the_environment(monkeypatch: pytest.MonkeyPatch, value: str, names: list[str]) -> None:
    """A JSON list of names and objects, or names with commas between."""
    monkeypatch.setenv("SUMMARIZER_MODELS", value)
    assert [model.name for model in Settings().models] == names


def test_the_ladder_in_the_file(folder: Path) -> None:
    """With TOML's own lists and tables."""
    (folder / "summarizer.toml").write_text(
        'models = ["scripted/a", { name = "openai/b", api_base = "http://localhost/v1" }]\n'
        'chunk_tokens = "auto"\n'
    )
    assert Settings().models == (Model("scripted/a"), Model("openai/b", "http://localhost/v1"))
    assert Settings().chunk_tokens is None


MODEL_FIELDS = "a model has name, api_base, api_key_env, max_output_tokens, context_window, extra"


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("CHUNK_TOKENS", "abc", "expected 'auto' or a whole number of tokens from 256 on, got 'abc'"),
        ("CHUNK_TOKENS", "0", "expected 'auto' or a whole number of tokens from 256 on, got '0'"),
        ("MAX_CALLS", "0", "expected 'auto' or a whole number from 1 on, got '0'"),
        ("MAX_CALLS", "2.5", "expected 'auto' or a whole number from 1 on, got '2.5'"),
        ("MODELS", '[{"nam": 1}]', f"models[0]: nam: unknown; {MODEL_FIELDS}"),
        ("MODELS", '["scripted/a", 5]', "models[1]: expected a name, an object or a Model, got int"),
        (
            "MODELS",
            "[1,",
            "expected a JSON list of names or objects: Expecting value: line 1 column 4 (char 3)",
        ),
        ("MODELS", "[" * 99_999, "expected a JSON list of names or objects: "),
        ("MODELS", "nonsense", "models[0]: 'nonsense' has no known route"),
        ("JOURNAL", "maybe", "expected 'on' or 'off', got 'maybe'"),
        ("TIMEOUT", "-1", "expected 'auto' or a number of seconds above 0, at most 86,400, got '-1'"),
        ("TIMEOUT", "nan", "expected 'auto' or a number of seconds above 0, at most 86,400, got 'nan'"),
        ("CONCURRENCY", "0", "expected a whole number from 1 to 1,024, got '0'"),
        ("ENCODING", "utf-8", "expected one of cl100k_base, o200k_base, "),
    ],
)
def test_a_wrong_variable_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, value: str, told: str
) -> None:
    """The setting, the variable, what was expected and what was found; from the command with exit code 2."""
    monkeypatch.setenv(f"SUMMARIZER_{name}", value)
    with pytest.raises(InvalidSettings) as caught:
        Settings()
    assert str(caught.value).startswith(f"{name.lower()} (SUMMARIZER_{name}): {told}")
    Path("a.txt").write_text("text")
    assert main(["run", "a.txt", "--budget", "100"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"summarizer run: {name.lower()} ")
    assert not {"Traceback", "pydantic", "Input should", "validation"} & set(err.split())


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ("models = [", "summarizer.toml: expected settings in TOML that can be read: Invalid value"),
        (b"\xff\xfe\x00", "summarizer.toml: expected settings in TOML that can be read: 'utf-8' codec"),
        ("model = 'x'", "model (summarizer.toml): there is no such setting, expected models, data_dir, "),
        (
            "max_calls = true",
            "max_calls (summarizer.toml): expected 'auto' or a whole number from 1 on, got True",
        ),
        ("store = 5", "store (summarizer.toml): expected a database URL, got 5"),
        ("models = 5", "models (summarizer.toml): expected a list of models, got int"),
        ("data_dir = [1]", "data_dir (summarizer.toml): expected a folder, got [1]"),
    ],
)
def test_a_wrong_file_is_one_line(folder: Path, toml: str | bytes, told: str) -> None:
    """The file is named, and the setting in it."""
    (folder / "summarizer.toml").write_bytes(toml if isinstance(toml, bytes) else toml.encode())
    with pytest.raises(InvalidSettings) as caught:
        Settings()
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"chunk_tokens": "x"},
            "chunk_tokens: expected 'auto' or a whole number of tokens from 256 on, got 'x'",
        ),
        (
            {"timeout": True},
            "timeout: expected 'auto' or a number of seconds above 0, at most 86,400, got True",
        ),
        ({"nothing": 1}, "nothing: there is no such setting, expected models, "),
        ({"models": None}, "models: expected a list of models, got NoneType"),
    ],
)
def test_a_wrong_argument_is_one_line(given: dict[str, Any], told: str) -> None:
    """The argument alone is named."""
    with pytest.raises(InvalidSettings) as caught:
        Settings(**given)
    assert str(caught.value).startswith(told)


def test_several_mistakes_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that they can be mended at once."""
    monkeypatch.setenv("SUMMARIZER_TIMEOUT", "x")
    with pytest.raises(InvalidSettings, match=r"^journal: expected .*; timeout \(SUMMARIZER_TIMEOUT\): "):
        Settings(journal="maybe")


def test_no_secret_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the store's password nor a key in a model, in errors and in what is logged of the settings."""
    monkeypatch.setenv("SUMMARIZER_STORE", "postgresql://user:SECRET@host/db")
    assert Settings().store == "postgresql://user:SECRET@host/db"
    assert "SECRET" not in repr(Settings()) + str(Settings())
    monkeypatch.setenv("SUMMARIZER_TIMEOUT", "x")
    monkeypatch.setenv(
        "SUMMARIZER_MODELS", '[{"name": "openai/x", "extra": {"api_key": "SECRET"}, "foo": 1}]'
    )
    with pytest.raises(InvalidSettings) as caught:
        Settings()
    assert "SECRET" not in str(caught.value)


def test_settings_do_not_change() -> None:
    """One object may be shared by many runs."""
    with pytest.raises(AttributeError):
        Settings().timeout = 5.0

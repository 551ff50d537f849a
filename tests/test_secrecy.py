"""What is stored can be read with its key alone; without a key it stays as it is; nothing crashes."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st

from summarizer import InvalidSettings, Settings
from summarizer.secrecy import Cipher, is_sealed

KEY, OTHER = Fernet.generate_key().decode(), Fernet.generate_key().decode()
NAMELESS = st.characters(exclude_categories=())
TEXTS = (
    st.text(NAMELESS) | st.text(NAMELESS).map("sealed:1:".__add__) | st.text(NAMELESS).map("plain:".__add__)
)


@pytest.mark.parametrize("key", [None, "", KEY])
@given(text=TEXTS)
def test_what_is_sealed_opens_as_it_was(key: str | None, text: str) -> None:
    """Whatever the text, lone surrogates and texts that look sealed included."""
    cipher = Cipher.of(key)
    assert cipher.open(cipher.seal(text)) == cipher.opened(cipher.seal(text)) == text
    assert is_sealed(cipher.seal(text)) == bool(key)


@pytest.mark.parametrize("passphrase", ["p", "密码と鍵", KEY[:-1]])
def test_a_passphrase_is_as_good_as_a_key(passphrase: str) -> None:
    """Any text is one, and another process makes the same key of it."""
    sealed = Cipher.of(passphrase).seal("text")
    assert "text" not in sealed
    assert Cipher.of(passphrase).open(sealed) == "text"
    assert Cipher.of(KEY).open(sealed) is None


def test_another_process_reads_it() -> None:
    """Nothing of the key is made anew in each process."""
    code = (
        "import sys; from summarizer.secrecy import Cipher; c = Cipher.of('p'); "
        "print(c.open(sys.argv[1]), c.name(b'x'))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, Cipher.of("p").seal("text")], capture_output=True, text=True
    )
    assert (ran.stdout.split(), ran.stderr) == (["text", Cipher.of("p").name(b"x")], "")


SEALED = Cipher.of(KEY).seal("text")


@pytest.mark.parametrize(
    ("key", "sealed", "told"),
    [
        (OTHER, SEALED, "another key"),
        (None, SEALED, "a key, and none is set"),
        (KEY, SEALED[:-5], "another key, or was changed"),
        (KEY, SEALED[:-5] + "\ud800", "another key, or was changed"),
        (KEY, "sealed:1:", "another key"),
        (KEY, "sealed:1:x", "another key"),
        (None, "sealed:1:::", "none is set"),
    ],
)
def test_what_cannot_be_read_is_told_and_never_a_crash(key: str | None, sealed: str, told: str) -> None:
    """Reading gives None, opening one clear line that names the setting."""
    assert Cipher.of(key).open(sealed) is None
    with pytest.raises(InvalidSettings, match=rf"^encryption_key: [^\n]*{told}") as caught:
        Cipher.of(key).opened(sealed)
    assert KEY not in str(caught.value)


def test_what_was_stored_before_there_was_a_key_is_still_read() -> None:
    """Setting a key loses nothing."""
    assert Cipher.of(KEY).open(Cipher.of(None).seal("text")) == "text"


def test_the_same_text_is_never_sealed_alike() -> None:
    """Who reads the file cannot see that two texts are the same."""
    assert Cipher.of(KEY).seal("text") != Cipher.of(KEY).seal("text")


def test_names_are_stable_and_tell_nothing_without_the_key() -> None:
    """The same content has the same name under one key, and other names under others."""
    ciphers = [Cipher.of(key) for key in (None, KEY, OTHER)]
    assert [cipher.name(b"a") for cipher in ciphers] == [
        Cipher.of(cipher.key).name(b"a") for cipher in ciphers
    ]
    names = {cipher.name(data) for cipher in ciphers for data in (b"a", b"b", b"")}
    assert len(names) == 9
    assert {len(name) for name in names} == {32}


def test_the_key_is_shown_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in what is logged of a cipher or of settings, nor in what is said of wrong ones."""
    assert KEY not in repr(Cipher.of(KEY)) + str(Cipher.of(KEY))
    monkeypatch.setenv("SUMMARIZER_ENCRYPTION_KEY", KEY)
    assert Settings().encryption_key == KEY
    assert KEY not in repr(Settings()) + str(Settings())
    monkeypatch.setenv("SUMMARIZER_TIMEOUT", "x")
    with pytest.raises(InvalidSettings) as caught:
        Settings()
    assert KEY not in str(caught.value)
    monkeypatch.delenv("SUMMARIZER_TIMEOUT")
    with pytest.raises(InvalidSettings, match=r"^encryption_key: expected ") as caught:
        Settings(encryption_key=[KEY])
    assert KEY not in str(caught.value)


def test_the_library_is_loaded_with_a_key_only() -> None:
    """Who sets none pays nothing for it."""
    code = (
        "import sys; from summarizer.secrecy import Cipher; c = Cipher.of(None); c.open(c.seal('x')); "
        "c.name(b'x'); print('cryptography' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("False\n", "")

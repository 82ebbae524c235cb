import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.hashers import md5_form
from migration.passwords import decrypt, format_of, recover_password

SALT, OTHER_SALT = "AAECAwQFBgcICQoLDA0ODw==", "/+7dzLuqmYh3ZlVEMyIRAA=="
SM4_SALT = "000102030405060708090a0b0c0d0e0f.f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
SECRET_KEY = "vEnfkn16t8aeaZKG3a4Gl9UUlzf4vgqU9xwh8ZV5"
# plain, salt, stored by version 6, stored by version 7, MD5
VECTORS = [
    (
        "admin888",
        SALT,
        "WHsEz8ZJxomlVmWAkKhGWg==",
        "WHsEz8ZJxomlVmWAkKhGWg0equals00equals00secret0",
        "7fef6171469e80d32c0559f88b377245",
    ),
    (
        "密码 Pass+word/1?",
        SALT,
        "S/199MrurmNRM/fZpkzaSySHjz0tGcr+",
        "S0slash0199MrurmNRM0slash0fZpkzaSySHjz0tGcr0add00secret0",
        "98945a17794eb8ab2a259b3c13b8d82e",
    ),
    (
        "Zhang.San-2019",
        OTHER_SALT,
        "CnFNp0HLXLo8IlQ9t6dNZg==",
        "CnFNp0HLXLo8IlQ9t6dNZg0equals00equals00secret0",
        "1e2e1b043d9a1966826c1a842e3c9ede",
    ),
]
OF_SECRET_KEY = [
    (
        "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
        "NfgC0add0LkDUIgdzcZdcpHZ1PmmTuDlu0gcMJE0HgDcfyvENLS6k5WsqA0equals00equals00secret0",
    ),
    ("MySql", "ZYYDEO5y0slash0dg0equals00secret0"),
    (
        "Server=127.0.0.1;Uid=cms;Pwd=p&q=1;Database=siteserver;",
        "1DfX5yRCX5bTIYWv88Ce18JrTqXr7M1wlUx210slash02g4rngkDHpiTFSQbv0slash0i0slash00add0qnfxNjJgI6020add06r40equals00secret0",
    ),
]


def row(stored, kind="Encrypted", salt=SALT):
    return {"password": stored, "passwordformat": kind, "passwordsalt": salt}


@pytest.mark.parametrize(("plain", "salt", "version_6", "version_7", "md5"), VECTORS)
def test_encrypted_passwords_of_both_versions(plain, salt, version_6, version_7, md5):
    for stored in (version_6, version_7):
        recovered = recover_password(row(stored, salt=salt))
        assert (recovered, md5_form(recovered)) == (plain, md5)


@pytest.mark.parametrize("kind", ["encrypted", "", None, "Scrambled"])
def test_an_unknown_format_counts_as_encrypted(kind):
    assert format_of(row("", kind)) == "Encrypted"
    assert recover_password(row(VECTORS[0][2], kind)) == "admin888"


@pytest.mark.parametrize("stored", ["d74c6658254b03acc83cb7fe3de5ffc5", "0ee67739722205330a48dd6e49434b84"])
def test_sm4_with_the_key_as_characters_or_bytes(stored):
    assert recover_password(row(stored, "SM4", SM4_SALT)) == "admin888"


def test_sm4_without_its_package_is_not_recovered(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers", None)
    assert recover_password(row("d74c6658254b03acc83cb7fe3de5ffc5", "SM4", SM4_SALT)) is None


def test_clear_passwords_are_as_they_are():
    assert recover_password(row(" admin888", "clear")) == " admin888"


@pytest.mark.parametrize(
    "lost",
    [
        row("qtmurc7qEfu20qLdmxiq7Fsejuw=", "Hashed"),
        row("", "Clear"),
        row(None, None, None),
        row("WHsEz8ZJxomlVmWAkKhGWg==", salt=OTHER_SALT),
        row("WHsEz8ZJxomlVmWAkKhGWg==", salt="short"),
        row("WHsEz8ZJxomlVmWAkKhGW", salt=SALT),
        row("not Base64!", salt=SALT),
        row("0ee6", "SM4", SM4_SALT),
        row("0ee67739722205330a48dd6e49434b84", "SM4", SALT),
        {},
    ],
)
def test_other_passwords_are_not_recovered(lost):
    assert recover_password(lost) is None


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["Encrypted", "SM4", "Hashed"]))
def test_any_texts_are_no_error(stored, salt, kind):
    assert recover_password(row(stored, kind, salt)) is None


@pytest.mark.parametrize(("plain", "stored"), OF_SECRET_KEY)
def test_texts_encrypted_with_the_secret_key(plain, stored):
    assert decrypt(stored, SECRET_KEY) == plain
    assert decrypt(stored, "another key") is None


def test_texts_encrypted_with_a_secret_key_of_sm4():
    assert decrypt("d74c6658254b03acc83cb7fe3de5ffc5", SM4_SALT) == "admin888"

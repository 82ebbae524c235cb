"""Texts as SiteServer encrypts them: passwords with the salt, tokens with the secret key of the installation."""

import base64

from Cryptodome.Cipher import DES
from Cryptodome.Util.Padding import pad

SALT = "AAECAwQFBgcICQoLDA0ODw=="
SECRET_KEY = "vEnfkn16t8aeaZKG3a4Gl9UUlzf4vgqU9xwh8ZV5"

_VECTOR = bytes.fromhex("1234567890ABCDEF")
_ESCAPES = {"+": "0add0", "=": "0equals0", "&": "0and0", "?": "0question0", "'": "0quote0", "/": "0slash0"}


def encrypted_password(plain, salt=SALT):
    """Return the form of v6."""
    return base64.b64encode(_encrypt(plain, salt)).decode()


def escaped(encrypted):
    """Return the form of API keys, and of passwords in v7."""
    return encrypted.translate(str.maketrans(_ESCAPES)) + "0secret0"


def encrypted_token(plain, secret_key=SECRET_KEY):
    return escaped(encrypted_password(plain, secret_key))


def _encrypt(plain, key):
    return DES.new(key[:8].encode(), DES.MODE_CBC, iv=_VECTOR).encrypt(pad(plain.encode(), DES.block_size))

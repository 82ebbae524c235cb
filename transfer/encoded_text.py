"""The form in which site templates write most texts: DES-CBC over UTF-8, then Base64.

The key is public, so this hides nothing; it is a file format.
"""

from binascii import a2b_base64
from functools import lru_cache

from Cryptodome.Cipher import DES
from Cryptodome.Util.Padding import unpad
from Cryptodome.Util.strxor import strxor

# A cipher without chaining has no state and serves every text: making one for each would take
# longer than decoding it.
BLOCKS = DES.new(b"TgQQk42O", DES.MODE_ECB)  # noqa: S304 - a file format, no protection
INITIAL_VECTOR = bytes.fromhex("1234567890ABCDEF")
# One block of the cipher is 8 bytes, in Base64 12 characters.
SHORTEST = 12
# Flags and user names recur in every content of a package.
CACHED_LENGTH = 64


def decode_text(text: str) -> str:
    """Return what the encoded text says, or the text as it stands where it is not encoded."""
    encoded = text.strip()
    if len(encoded) < SHORTEST or len(encoded) % 4:
        return text
    try:
        return _decode_cached(encoded) if len(encoded) <= CACHED_LENGTH else _decode(encoded)
    except ValueError:
        return text


def _decode(encoded: str) -> str:
    data = a2b_base64(encoded, strict_mode=True)
    # Chained blocks: each one, once decrypted, is combined with the encrypted one before it.
    chained = strxor(BLOCKS.decrypt(data), (INITIAL_VECTOR + data)[: -DES.block_size])
    return unpad(chained, DES.block_size).decode()


_decode_cached = lru_cache(maxsize=4096)(_decode)

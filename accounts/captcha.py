"""Captchas: pictures of characters that people read and scripts do not so easily.

Nothing is kept when one is drawn. The browser's cookie holds a random number, its time and a signature; which
characters the picture shows follows from that number, the captcha's name and the service's secret key, so that the
cookie tells nobody, and every node can check the answer. Only that a number is used up is remembered.
"""

import io
import secrets
from functools import cache

from django.core.signing import BadSignature, TimestampSigner
from django.utils.crypto import constant_time_compare, salted_hmac
from PIL import Image, ImageDraw, ImageFont

from cms_api import shared_counts
from cms_api.lib.errors import InvalidInput

SECONDS = 600
# No two of them look alike, turned a little, in one letter case.
ALPHABET = "ACEFHJKLMNPRTWXY34679"
LENGTH = 4
SIZE = (130, 53)  # pixels, as the original
_PAPER = (247, 247, 243)
_INKS = [(24, 60, 112), (120, 32, 40), (20, 84, 60), (84, 40, 112), (40, 40, 48)]
_random = secrets.SystemRandom()  # of no use to whoever would learn a picture's noise from others
_CELL = 30  # pixels from one character to the next


def new_token(name: str) -> str:
    """What the cookie of a new captcha holds."""
    return _signer(name).sign(secrets.token_urlsafe(16))


def draw(name: str, token: str) -> bytes:
    """The picture of the token's characters, as a PNG. Another one each time that it is drawn."""
    picture = Image.new("RGB", SIZE, _PAPER)
    _scratch(picture, lines=3, dots=60)
    for place, character in enumerate(characters(name, token)):
        glyph = _glyph(character)
        left = 5 + place * _CELL + (_CELL - glyph.width) // 2 + _random.randint(-2, 2)
        top = (SIZE[1] - glyph.height) // 2 + _random.randint(-4, 4)
        picture.paste(_random.choice(_INKS), (left, top), glyph)
    _scratch(picture, lines=1, dots=20)
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=3)
    return file.getvalue()


def check(name: str, token: str, answer: str) -> None:
    """Use up the captcha, whatever the outcome.

    Raises InvalidInput: `captcha_wrong`; `captcha_expired` also for a token that is used up, forged, missing, or made
    for another name.
    """
    try:
        _signer(name).unsign(token, max_age=SECONDS)
    except BadSignature as error:  # or a token whose time is over
        raise _expired() from error
    key = f"captcha:{token}"
    # Of several checks at once, on whatever nodes, one is the first.
    if shared_counts.add([key], seconds=SECONDS)[key].number > 1:
        raise _expired()
    if not constant_time_compare(answer.strip().upper(), characters(name, token)):
        raise InvalidInput("captcha_wrong", "The characters are not those of the picture; ask for a new picture.")


def characters(name: str, token: str) -> str:
    """What the picture shows; to be asked only within the service."""
    number = int.from_bytes(salted_hmac("accounts.captcha.characters", f"{name}:{token}", algorithm="sha256").digest())
    places = (number // len(ALPHABET) ** place for place in range(LENGTH))
    return "".join(ALPHABET[place % len(ALPHABET)] for place in places)


def _signer(name: str) -> TimestampSigner:
    return TimestampSigner(salt=f"accounts.captcha:{name}")


def _expired() -> InvalidInput:
    message = "The picture has expired or has been answered already; ask for a new picture."
    return InvalidInput("captcha_expired", message)


def _glyph(character: str) -> Image.Image:
    """The character's shape, sheared and turned a little, as a mask."""
    shear, angle = _random.uniform(-0.25, 0.25), _random.uniform(-18, 18)
    matrix = (1, shear, -shear * 24, 0, 1, 0)
    shape = _shape(character).transform((48, 48), Image.Transform.AFFINE, matrix, Image.Resampling.BICUBIC)
    return shape.rotate(angle, Image.Resampling.BICUBIC)


@cache
def _shape(character: str) -> Image.Image:
    shape = Image.new("L", (48, 48))
    # Aileron, which is free for every use (CC0), as it comes with Pillow.
    ImageDraw.Draw(shape).text((24, 24), character, 255, ImageFont.load_default(36), anchor="mm", stroke_width=0.6)
    return shape


def _scratch(picture: Image.Image, *, lines: int, dots: int) -> None:
    draw, (width, height) = ImageDraw.Draw(picture), SIZE
    for _ in range(lines):
        ends = (0, _random.randrange(height), width, _random.randrange(height))
        draw.line(ends, _random.choice(_INKS), width=1)
    points = [(_random.randrange(width), _random.randrange(height)) for _ in range(dots)]
    draw.point(points, _random.choice(_INKS))

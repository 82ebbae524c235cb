"""Captchas without stored state.

The browser's cookie holds a random number, its time and a signature. The characters are derived from that number, the
captcha's name and the secret key, so the cookie does not reveal them and every node can check the answer. Only the use
of a number is stored.
"""

import io
import secrets
from functools import cache

from django.core.signing import BadSignature, TimestampSigner
from django.utils.crypto import constant_time_compare, salted_hmac
from PIL import Image, ImageDraw, ImageFont

from core import shared_counts
from core.lib.errors import InvalidInput

SECONDS = 600
# No two of these look alike when slightly rotated, within one letter case.
ALPHABET = "ACEFHJKLMNPRTWXY34679"
LENGTH = 4
SIZE = (130, 53)  # pixels, as in SiteServer
_PAPER = (247, 247, 243)
_INKS = [(24, 60, 112), (120, 32, 40), (20, 84, 60), (84, 40, 112), (40, 40, 48)]
_random = secrets.SystemRandom()  # so that pictures do not reveal the noise of others
_CELL = 30  # pixels from one character to the next


def new_token(name: str) -> str:
    return _signer(name).sign(secrets.token_urlsafe(16))


def draw(name: str, token: str) -> bytes:
    picture = Image.new("RGB", SIZE, _PAPER)
    _scratch(picture, lines=3, dots=60)
    for place, character in enumerate(characters(name, token)):
        shear, angle = _random.uniform(-0.25, 0.25), _random.uniform(-18, 18)
        matrix = (1, shear, -shear * 24, 0, 1, 0)
        glyph = _shape(character).transform((48, 48), Image.Transform.AFFINE, matrix, Image.Resampling.BICUBIC)
        glyph = glyph.rotate(angle, Image.Resampling.BICUBIC)
        left = 5 + place * _CELL + (_CELL - glyph.width) // 2 + _random.randint(-2, 2)
        top = (SIZE[1] - glyph.height) // 2 + _random.randint(-4, 4)
        picture.paste(_random.choice(_INKS), (left, top), glyph)
    _scratch(picture, lines=1, dots=20)
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=3)
    return file.getvalue()


def check(name: str, token: str, answer: str) -> None:
    """Use up the captcha. Raises InvalidInput: `captcha_wrong`; `captcha_expired` also for a used or forged token."""
    key = f"captcha:{token}"
    try:
        _signer(name).unsign(token, max_age=SECONDS)
    except BadSignature:  # or an expired token
        is_valid = False
    else:
        # Of several concurrent checks, on any nodes, only one is the first.
        is_valid = shared_counts.add([key], seconds=SECONDS)[key].number == 1
    if not is_valid:
        message = "The captcha has expired or has already been used; request a new one."
        raise InvalidInput("captcha_expired", message)
    if not constant_time_compare(answer.strip().upper(), characters(name, token)):
        raise InvalidInput("captcha_wrong", "The characters do not match the picture; request a new captcha.")


def characters(name: str, token: str) -> str:
    """Return the characters of the picture; they must not leave the service."""
    number = int.from_bytes(salted_hmac("accounts.captcha.characters", f"{name}:{token}", algorithm="sha256").digest())
    places = (number // len(ALPHABET) ** place for place in range(LENGTH))
    return "".join(ALPHABET[place % len(ALPHABET)] for place in places)


def _signer(name: str) -> TimestampSigner:
    return TimestampSigner(salt=f"accounts.captcha:{name}")


@cache
def _shape(character: str) -> Image.Image:
    shape = Image.new("L", (48, 48))
    # The font Aileron (CC0), which ships with Pillow.
    ImageDraw.Draw(shape).text((24, 24), character, 255, ImageFont.load_default(36), anchor="mm", stroke_width=0.6)
    return shape


def _scratch(picture: Image.Image, *, lines: int, dots: int) -> None:
    draw, (width, height) = ImageDraw.Draw(picture), SIZE
    for _ in range(lines):
        ends = (0, _random.randrange(height), width, _random.randrange(height))
        draw.line(ends, _random.choice(_INKS), width=1)
    points = [(_random.randrange(width), _random.randrange(height)) for _ in range(dots)]
    draw.point(points, _random.choice(_INKS))

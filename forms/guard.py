"""Tokens of forms: what a sender must have besides the values, by the protection of the form.

A token is signed, for one form, and used once. Nothing is stored of it until it is used.
"""

import time
from base64 import b64encode
from collections.abc import Mapping, Sequence
from secrets import randbelow, token_urlsafe
from typing import Any, NamedTuple
from unicodedata import normalize

import altcha
from django.core.signing import BadSignature, Signer
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from core import captcha, shared_counts
from core.lib.errors import InvalidInput
from forms.models import Form
from forms.rules import Problems
from pages.engine.elements.forms import CAPTCHA, PROOF, TOKEN

SECONDS = 1_800  # from the issue of a token to its end
LEAST = 3  # seconds from the issue to the use: a person needs them, a robot does not
_SKEW = 60  # seconds by which clocks of nodes may differ
# A key takes 0.5 ms of a processor of 2020. Browsers without `crypto.subtle`, as on http, take three times as long.
_COST, _FEWEST, _MOST = 2_000, 60, 140  # rounds of a key, and keys until the one that is looked for
MISSING = "form_token_missing"
# Refusals after which a new token is needed.
CODES = frozenset({MISSING, "form_token_invalid", "form_proof_wrong", "form_captcha_wrong"})
Sent = Mapping[str, Sequence[str]]  # texts by name


class Token(NamedTuple):
    text: str
    issued: int  # seconds since 1970

    @property
    def age(self) -> float:
        return time.time() - self.issued


def issue(form: Form) -> Token:
    now = int(time.time())
    return Token(_signer().sign(f"{form.pk}.{now}.{token_urlsafe(12)}"), now)


def read(form: Form, sent: Sent) -> Token | None:
    """Return the token that was sent, if it is one of the form and not too old."""
    try:
        text = _first(sent, TOKEN)
        number, issued, _nonce = _signer().unsign(text).split(".")
        token = Token(text, int(issued))
    except (BadSignature, ValueError):
        return None
    return token if number == str(form.pk) and -_SKEW < token.age < SECONDS else None


def admit(form: Form, sent: Sent) -> Token | None:
    """Return the token, None if there is none and the form needs none. Raises InvalidInput."""
    if not _first(sent, TOKEN):
        if _is_strict(form):
            message = _("This form is protected from spam. Send it from a page of the site, or with a token.")
            raise InvalidInput("form_token_missing", message)
        return None
    token = read(form, sent)
    if token is None:
        raise used_up()
    if form.guard != Form.Guard.OFF and token.age < LEAST:
        raise InvalidInput("form_too_early", _("That was very quick. Wait a moment, then send the form again."))
    if _is_strict(form) and not _first(sent, CAPTCHA):
        if form.guard == Form.Guard.CAPTCHA:
            raise _unread()
        if not _first(sent, PROOF):
            message = _("The form came without the proof of work that it needs. Send it again.")
            raise InvalidInput("form_proof_wrong", message)
    return token


def use(form: Form, sent: Sent, token: Token) -> bool:
    """Use the token up, and return false if it was used before. Raises InvalidInput for a wrong answer."""
    # Forgotten after the token has ended on every node.
    name = f"form token {token.text}"
    is_first = shared_counts.add([name], seconds=SECONDS + 2 * _SKEW)[name].number == 1
    if _is_strict(form):
        if answer := _first(sent, CAPTCHA):
            if not _is_read(form, token, answer):
                raise _unread()
        elif not _is_proven(token, _first(sent, PROOF)):
            raise InvalidInput("form_proof_wrong", _("The proof of work is not of this form. Send it again."))
    return is_first


def used_up() -> InvalidInput:
    message = _("The form was open for too long, or has been sent already. Send it again.")
    return InvalidInput("form_token_invalid", message)


def _unread() -> Problems:
    texts = {CAPTCHA: _("Enter the characters of the picture, or the sum.")}
    return Problems("form_captcha_wrong", _("Please check what you entered."), texts=texts)


def offer(form: Form) -> dict[str, Any]:
    """Return a token for a script, the seconds that it must wait, and what else the form needs."""
    token = issue(form)
    offered: dict[str, Any] = {"token": token.text, "wait": LEAST if form.guard != Form.Guard.OFF else 0}
    if form.guard == Form.Guard.PROOF:
        challenge = altcha.create_challenge(
            "PBKDF2/SHA-256",
            _COST,
            counter=_FEWEST + randbelow(_MOST - _FEWEST),
            data={"token": token.text},
            hmac_secret=_secret(),
            hmac_key_secret=_secret("key"),
        )
        offered["proof"] = challenge.to_dict()
    elif form.guard == Form.Guard.CAPTCHA:
        offered["captcha"] = format_html('<span class="cms-form-guard">{}</span>', _captcha(form, token))
    return offered


def inputs(form: Form, sent: Sent, problem: str, *, is_refused: bool) -> SafeString:
    """Return the inputs for a page: with the token that was sent, unless it was refused."""
    if not _is_strict(form):
        return SafeString("")
    kept = None if is_refused else read(form, sent)
    token = kept or issue(form)
    return format_html(
        '<span class="cms-form-guard"><input type="hidden" name="{}" value="{}">{}</span>',
        TOKEN,
        token.text,
        _captcha(form, token, _first(sent, CAPTCHA) if kept else "", problem),
    )


def _captcha(form: Form, token: Token, answer: str = "", problem: str = "") -> SafeString:
    first, second = _numbers(token)
    number = f"form_{form.pk}_{CAPTCHA}_msg"
    told = format_html('<small id="{}">{}</small>', number, problem) if problem else ""
    marks = format_html(' aria-invalid="true" aria-describedby="{}"', number) if problem else ""
    return format_html(
        '<img src="data:image/png;base64,{}" alt="{}" width="{}" height="{}"> '
        '<label>{} <input name="{}" value="{}" autocomplete="off" required{}></label>{} ',
        b64encode(captcha.draw(_name(form), token.text)).decode(),
        _("Picture with characters"),
        *captcha.SIZE,
        _("Enter the characters of the picture, or the sum of %(first)d and %(second)d:")
        % {"first": first, "second": second},
        CAPTCHA,
        answer,
        marks,
        told,
    )


def _is_read(form: Form, token: Token, answer: str) -> bool:
    text = normalize("NFKC", answer).strip().upper()
    answers = (captcha.characters(_name(form), token.text), str(sum(_numbers(token))))
    return any(constant_time_compare(text, each) for each in answers)


def _is_proven(token: Token, text: str) -> bool:
    if not altcha.verify_solution(text, _secret(), hmac_key_secret=_secret("key")).verified:
        return False
    return bool(altcha.Payload.from_base64(text).challenge.parameters.data == {"token": token.text})


def _numbers(token: Token) -> tuple[int, int]:
    """Return two numbers of two digits."""
    first, second, *_rest = salted_hmac("forms.guard.sum", token.text, algorithm="sha256").digest()
    return 10 + first % 90, 10 + second % 90


def _is_strict(form: Form) -> bool:
    return form.guard in {Form.Guard.PROOF, Form.Guard.CAPTCHA}


def _first(sent: Sent, name: str) -> str:
    return next(iter(sent.get(name, ())), "")


def _name(form: Form) -> str:
    return f"form {form.pk}"


def _signer() -> Signer:
    return Signer(salt="forms.guard")


def _secret(purpose: str = "") -> str:
    return salted_hmac("forms.guard.proof", purpose, algorithm="sha256").hexdigest()

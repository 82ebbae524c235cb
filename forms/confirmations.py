"""The mail that confirms an entry to its sender. What visitors type is not in it, unless the form says so."""

import re
from collections.abc import Iterator, Mapping, Sequence

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from core import shared_counts
from core.mail.messages import Message, is_set_up, queue
from core.mail.models import OutgoingMail
from forms.models import CHOICE_KINDS, Field, Form

DAY = 86_400  # seconds
# In a day: to an address from one form and from all, and from a form for visitors of one network.
OF_FORM, OF_ALL_FORMS, OF_NETWORK = 3, 10, 10
Kind = Field.Kind
_SHOWN = CHOICE_KINDS | {Kind.TEXT, Kind.TEXT_AREA, Kind.NUMBER, Kind.EMAIL, Kind.PHONE, Kind.DATE, Kind.DATE_TIME}
_FREE = frozenset({Kind.TEXT, Kind.TEXT_AREA})
_MAX_SHOWN = 500  # characters of a value
_MAX_ADDRESS: int = OutgoingMail._meta.get_field("recipient").max_length or 0
# What mail programs make a link of.
_LINK = re.compile(r"://|www\.|\w\.[a-z]{2}", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n\s*\n")
Values = Mapping[str, str | list[str]]  # by the keys of fields


def confirm(form: Form, fields: Sequence[Field], values: Values, name: str, visitor: str) -> None:
    """Queue the mail, if the form has one and the address is not above a limit, in the transaction of the entry.

    `name` is the form's and `visitor` the network's in counts.
    """
    if not form.confirmation_text or not is_set_up():
        return
    chosen = (values[field.key] for field in fields if field.gets_confirmation and field.kind == Kind.EMAIL)
    address = next((value for value in chosen if value and isinstance(value, str)), "")
    if not address or len(address) > _MAX_ADDRESS:
        return
    person = _name_of(address)
    limits = {
        f"confirmation {person}": OF_ALL_FORMS,
        f"{name} confirmation {person}": OF_FORM,
        f"{name} confirmation {visitor}": OF_NETWORK,
    }
    counts = shared_counts.add(limits, seconds=DAY)
    if all(counts[each].number <= most for each, most in limits.items()):
        queue(address, _message(form, fields, values))


def _name_of(address: str) -> str:
    """Return a name of the address for counts, the same for its other spellings; it does not tell the address."""
    local, _at, domain = address.casefold().rpartition("@")
    return salted_hmac("forms.confirmation", f"{local.partition('+')[0]}@{domain}", algorithm="sha256").hexdigest()


def _message(form: Form, fields: Sequence[Field], values: Values) -> Message:
    lines = list(_lines(fields, values)) if form.confirmation_has_values else []
    text = form.confirmation_text.replace("\r\n", "\n").strip()
    return Message(
        form.confirmation_subject or form.title or form.name,
        _BLANK_LINES.split(text),
        lists=[(_("What you sent"), lines)] if lines else [],
    )


def _lines(fields: Sequence[Field], values: Values) -> Iterator[str]:
    for field in fields:
        value = values[field.key]
        if not value or field.is_sensitive or field.kind not in _SHOWN:
            continue
        text = " ".join((", ".join(value) if isinstance(value, list) else value).split())
        if field.kind in _FREE and _LINK.search(text):
            text = _("(with a link, left out)")
        yield f"{field}: {text[:_MAX_SHOWN]}"

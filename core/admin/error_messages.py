"""Services' refusals in the reader's language; API clients get the services' own messages."""

import math
from collections.abc import Mapping
from functools import cache

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from core.lib.errors import LimitReached, ServiceError
from core.lib.registrations import ERROR_MESSAGES, Text

# Refusals of shared parts.
_OWN: Mapping[str, Promise] = {
    "sign_in_failed": _("The account or the password is wrong, or the account is locked."),
    "busy": _("The service is busy; try again in a moment."),
    "changed_meanwhile": _("It has changed since you opened it; check it again."),
    "right_gone": _("You no longer have the right to do this."),
    "custom_field_too_large": _(
        "“%(member)s” is too large. A custom field has at most CMS_MAX_CUSTOM_FIELD_BYTES bytes, and all custom fields "
        "of a record have at most eight times as many. The operator of the service can raise this setting."
    ),
    "data_picture": _("A picture is embedded in the text itself; upload it instead."),
    "nested_too_deeply": _("Parts of the text are nested too deeply. Paste it again as plain text."),
    "too_much_markup": _("The text has too much markup; paste it without formatting, or split it into several texts."),
    "nothing_left": _("This text consists of markup that is not allowed here; enter a text without it."),
    "file_empty": _("The file is empty."),
    "file_expected": _("No file was received."),
    "one_file_expected": _("Send one file at a time."),
    "upload_too_large": _("The file is too large; at most %(size)s are allowed."),
    "not_a_picture": _("The file is not a complete picture of an accepted type."),
    "picture_too_large": _("The picture has too many pixels."),
    "storage_unavailable": _("The file storage is not responding; try again later."),
}


@cache
def sentences() -> dict[str, Text]:
    """Return the sentences of all apps by error code; codes without one fall back to the service's message."""
    return {**_OWN, **ERROR_MESSAGES.entries}


def tell(refusal: ServiceError) -> str:
    if isinstance(refusal, LimitReached) and refusal.code == "too_many_failures":
        minutes = math.ceil(refusal.wait / 60)
        sentence = ngettext(
            "Too many attempts have failed. Try again in a minute.",
            "Too many attempts have failed. Try again in %(minutes)d minutes.",
            minutes,
        )
        return sentence % {"minutes": minutes}
    if (known := sentences().get(refusal.code)) is None:
        return refusal.message
    return str(known) % refusal.members if refusal.members else str(known)

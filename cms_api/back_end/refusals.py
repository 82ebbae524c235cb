"""Refusals of services, told in the language of who reads them; clients of the API get the services' own words."""

import math
from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from cms_api.rest.errors import Refusal, TooManyRequests

# By the code; where there is none, the service's own words are better than nothing.
SENTENCES: Mapping[str, Promise] = {
    "sign_in_failed": _("The account or the password is wrong, or the account is locked."),
    "busy": _("There are too many sign-ins at once; try again in a moment."),
    "content_not_found": _("The content is not there any more."),
    "channel_not_found": _("The channel, or the one it belongs below, is not there any more."),
    "channel_in_trash": _("Its channel is in the trash; restore the channel first."),
    "channel_in_use": _("Something still belongs to the channel."),
    "site_not_found": _("The site is not there any more."),
    "home_channel": _("The home channel is the site itself; it can be neither moved nor deleted."),
    "name_taken": _("Another channel has taken the index name or the file path."),
    "user_not_found": _("The user is not there any more."),
    "administrator_not_found": _("The administrator is not there any more."),
    "group_not_found": _("The group is not there any more."),
    "last_administrator": _("Nobody of the highest rank who may sign in would be left."),
    "own_account": _("Nobody can lock, delete or demote themselves."),
    "user_name_taken": _("Another account has it as name, e-mail address or mobile."),
    "email_taken": _("Another account has it as name, e-mail address or mobile."),
    "mobile_taken": _("Another account has it as name, e-mail address or mobile."),
    "user_name_invalid": _("A name has no blanks around it and no control characters."),
    "password_too_weak": _("The password is too weak."),
    "password_changed_meanwhile": _("Somebody else has changed the password meanwhile."),
    "sites_missing": _("Choose the sites that the administrator looks after."),
}


def tell(refusal: Refusal) -> str:
    """A sentence for people in the present language."""
    if isinstance(refusal, TooManyRequests) and refusal.code == "too_many_failures":
        minutes = math.ceil(refusal.wait / 60)
        sentence = ngettext(
            "Too many attempts have failed. Try again in a minute.",
            "Too many attempts have failed. Try again in %(minutes)d minutes.",
            minutes,
        )
        return sentence % {"minutes": minutes}
    return str(SENTENCES.get(refusal.code, refusal.message))

"""The column of both kinds of accounts that tells when something was last heard of them."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from accounts.models import Account
from cms_api.admin.shown import shown_moment


class ActivityColumn:
    """A class beside RecordPages."""

    @admin.display(description=_("last activity"), ordering="last_activity_date")
    def last_activity(self, account: Account) -> str:
        """When that was, or that it never was."""
        return shown_moment(account.last_activity) or pgettext("last activity", "never")

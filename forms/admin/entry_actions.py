from functools import partial

from django.http import HttpRequest
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy, pgettext_lazy

from core.admin.admin_actions import AdminAction, Changed
from forms import services
from forms.models import Entry, Form

State = Entry.State


def _set(state: State, request: HttpRequest, entry: Entry) -> Changed:
    services.change_state(entry, state, was=entry.state)
    return Changed(entry.pk, 0, entry.state)  # entries have no version: the state says whether they have changed


def _put_back(state: State, request: HttpRequest, entry: Entry, version: int, former: str) -> None:
    services.change_state(entry, former, was=state)


READ = AdminAction(
    "read",
    _("Mark as read"),
    ngettext_lazy("Mark %(count)d entry as read?", "Mark %(count)d entries as read?", "count"),
    ngettext_lazy("%(count)d entry was marked as read.", "%(count)d entries were marked as read.", "count"),
    partial(_set, State.READ),
    right="change",
    suits=lambda entry: entry.state == State.NEW,
    unsuited=_("is not new"),
    take_back=partial(_put_back, State.READ),
    is_harmless=True,
    is_quick=True,
)
# An approval would show nothing in forms without a list of approved entries.
APPROVE = AdminAction(
    "approve",
    pgettext_lazy("entry of a form", "Approve"),
    ngettext_lazy("Approve %(count)d entry?", "Approve %(count)d entries?", "count"),
    ngettext_lazy("%(count)d entry was approved.", "%(count)d entries were approved.", "count"),
    partial(_set, State.APPROVED),
    right="change",
    suits=lambda entry: entry.state in {State.NEW, State.READ} and entry.form.public_list == Form.PublicList.APPROVED,
    unsuited=_("does not wait for approval"),
    consequence=lambda entries: _now("Everybody can then read them in the public list."),
    take_back=partial(_put_back, State.APPROVED),
    is_harmless=True,
)
TAKE_BACK = AdminAction(
    "take-back",
    pgettext_lazy("entry of a form", "Take back the approval"),
    ngettext_lazy(
        "Take back the approval of %(count)d entry?", "Take back the approval of %(count)d entries?", "count"
    ),
    ngettext_lazy("%(count)d entry is no longer approved.", "%(count)d entries are no longer approved.", "count"),
    partial(_set, State.READ),
    right="change",
    suits=lambda entry: entry.state == State.APPROVED,
    unsuited=_("is not approved"),
    take_back=partial(_put_back, State.READ),
    is_harmless=True,
)
SPAM = AdminAction(
    "spam",
    _("Mark as spam"),
    ngettext_lazy("Mark %(count)d entry as spam?", "Mark %(count)d entries as spam?", "count"),
    ngettext_lazy("%(count)d entry was marked as spam.", "%(count)d entries were marked as spam.", "count"),
    partial(_set, State.SPAM),
    right="change",
    suits=lambda entry: entry.state != State.SPAM,
    unsuited=_("is spam already"),
    take_back=partial(_put_back, State.SPAM),
    is_harmless=True,
    is_quick=True,
)
NOT_SPAM = AdminAction(
    "not-spam",
    _("Not spam"),
    ngettext_lazy("Is %(count)d entry not spam?", "Are %(count)d entries not spam?", "count"),
    ngettext_lazy("%(count)d entry is new again.", "%(count)d entries are new again.", "count"),
    partial(_set, State.NEW),
    right="change",
    suits=lambda entry: entry.state == State.SPAM,
    unsuited=_("is not spam"),
    take_back=partial(_put_back, State.NEW),
    is_harmless=True,
)
DELETE = AdminAction(
    "delete",
    _("Delete"),
    ngettext_lazy("Delete %(count)d entry permanently?", "Delete %(count)d entries permanently?", "count"),
    ngettext_lazy("%(count)d entry was deleted.", "%(count)d entries were deleted.", "count"),
    lambda request, entry: services.delete_entry(entry),
    consequence=lambda entries: _now("What visitors sent, and the replies, cannot be restored."),
    is_grave=True,
)
ACTIONS = (READ, APPROVE, TAKE_BACK, SPAM, NOT_SPAM, DELETE)

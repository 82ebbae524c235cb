"""The page that says who may see a form: its branch and its groups."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import Group
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from core.admin.checkboxes import ManyCheckboxes
from core.admin.error_messages import tell
from core.admin.picker import Picker
from core.admin.places import Places
from core.admin.ranks import Rank, rank_of
from core.admin.views import address_of, render_page, seen_record
from core.lib.errors import ServiceError
from forms.access import access_of, change_access, stamp_of
from forms.models import Form
from forms.rights import channels_of

_MAX_CHANNELS = 1000  # offered


class AccessForm(forms.Form):
    channel = forms.TypedChoiceField(
        label=_("Belongs to"),
        coerce=int,
        widget=Picker(_("Find a channel")),
        help_text=_("People whose rights end at branches see only the forms of their branches, and their entries."),
    )
    is_limited = forms.BooleanField(
        label=_("Only for these groups"),
        required=False,
        help_text=_("Then only members of the groups see the form, beside superusers and site administrators."),
    )
    groups = forms.TypedMultipleChoiceField(label=_("Groups"), coerce=int, required=False, widget=ManyCheckboxes)
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, user: Any, form: Form, places: Places, data: Any = None) -> None:
        self.user, self.form, self.present = user, form, access_of(form)
        first = self.present._asdict() | {"channel": form.channel_id or 0, "seen": stamp_of(self.present)}
        super().__init__(data, initial=first)
        choices: dict[str, Any] = {"channel": _channel_choices(form, places), "groups": self._group_choices()}
        for name, offered in choices.items():
            field: Any = self.fields[name]
            field.choices = list(offered.items())

    def _group_choices(self) -> dict[int, str]:
        """Return all groups for superusers; for others, their own and those of the form."""
        groups = Group.objects.order_by("name")
        if rank_of(self.user) is not Rank.HIGHEST:
            groups = groups.filter(Q(pk__in=self.user.groups.values("pk")) | Q(pk__in=self.present.groups))
        return dict(groups.values_list("pk", "name"))

    def clean_groups(self) -> list[int]:
        groups: list[int] = self.cleaned_data["groups"]
        is_ordinary = rank_of(self.user) is Rank.ORDINARY
        if self.cleaned_data.get("is_limited") and is_ordinary and not self.user.groups.filter(pk__in=groups).exists():
            raise forms.ValidationError(_("Choose a group of your own, too: otherwise you would no longer see it."))
        return groups

    def clean(self) -> None:
        if self.errors:
            return
        values = self.cleaned_data
        try:
            change_access(self.form, values["channel"] or None, values["is_limited"], values["groups"], values["seen"])
        except ServiceError as refusal:
            self.add_error(None, tell(refusal))


def _channel_choices(form: Form, places: Places) -> dict[int, str]:
    """Return the channels of the site in the places, and the present one, by id; 0: the whole site."""
    whole = {0: _now("The whole site")} if places.covers_site(form.site_id) else {}
    rows = channels_of(form.site_id, places).values_list("pk", "channel_name", "parents_count")
    found = {pk: "— " * (depth - 1) + name for pk, name, depth in rows[:_MAX_CHANNELS]}
    if form.channel_id and form.channel_id not in found:
        found[form.channel_id] = _now("deleted channel %(number)d") % {"number": form.channel_id}
    return whole | found


def access_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    record: Form = seen_record(page, request, pk)
    if not page.has_change_permission(request, record):
        raise Http404
    places = page.places(request.user, "change")
    form = AccessForm(request.user, record, places, request.POST if request.method == "POST" else None)
    if form.is_valid():
        messages.success(request, _now("The form “%(name)s” was saved.") % {"name": record.name})
        return HttpResponseRedirect(address_of(page, "change", pk))
    context = {
        "title": _now("Who may see the form “%(name)s”?") % {"name": record.name},
        "form": form,
        "button": _now("Save"),
        "back": address_of(page, "change", pk),
        "back_words": record.name,
    }
    return render_page(page, request, "forms/question.html", context)

from copy import copy
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from core.admin.confirmation import ConfirmedForm
from core.admin.error_messages import tell
from core.lib.errors import InvalidInput
from webhooks.admin.sites import site_choices
from webhooks.event_names import GROUPS
from webhooks.models import Webhook
from webhooks.receivers import MAX_URL


class RotationForm(ConfirmedForm):
    seen = forms.CharField(widget=forms.HiddenInput)  # the stamp of the webhook when the page was rendered


class PeriodForm(forms.Form):
    required_css_class = "required"
    first = forms.DateTimeField(label=_("From"), widget=forms.DateTimeInput(attrs={"type": "datetime-local"}))
    last = forms.DateTimeField(label=_("To"), widget=forms.DateTimeInput(attrs={"type": "datetime-local"}))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and cleaned["first"] > cleaned["last"]:
            self.add_error("last", _("The end is earlier than the beginning."))
        return cleaned


class WebhookForm(ConfirmedForm):
    name = forms.CharField(label=_("Name"), max_length=200, help_text=_("What receives the events."))
    url = forms.CharField(
        label="URL",
        max_length=MAX_URL,
        widget=forms.URLInput,
        help_text=_("Events are sent there by POST, as signed JSON. Use HTTPS beyond your own network."),
    )
    site_id = forms.TypedChoiceField(label=_("Site"), coerce=int)
    events = forms.MultipleChoiceField(
        label=_("Events"),
        required=False,
        widget=forms.CheckboxSelectMultiple(attrs={"class": "webhook-events"}),
        choices=[(group, list(names.items())) for group, names in GROUPS.items()],
        help_text=_("If none is ticked, all are sent, also those of later versions."),
    )
    is_on = forms.BooleanField(
        label=_("On"), required=False, initial=True, help_text=_("While it is off, events wait for up to 30 days.")
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, request: HttpRequest, *args: Any, hook: Webhook | None = None, **options: Any) -> None:
        self.hook = hook
        if hook is not None:
            options["initial"] = {
                "name": hook.name,
                "url": hook.url,
                "site_id": hook.site_id,
                "events": sorted(hook.parse_event_names()),
                "is_on": hook.is_on,
                "seen": hook.stamp,
            }
        super().__init__(request, *args, **options)
        self.fields["site_id"].choices = site_choices(request)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        self.values = {name: cleaned[name] for name in ("name", "url", "site_id", "is_on")}
        self.values["event_names"] = ",".join(cleaned["events"])
        candidate = copy(self.hook) if self.hook else Webhook()
        for name, value in self.values.items():
            setattr(candidate, name, value)
        try:
            candidate.validate()
        except InvalidInput as refusal:
            self.add_error("url", tell(refusal))
        return cleaned

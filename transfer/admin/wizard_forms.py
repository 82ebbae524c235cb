from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.admin.checkboxes import ManyCheckboxes
from core.admin.picker import Picker
from core.jobs.models import Job
from sites.models import Site
from transfer.admin.wizard_state import TREE
from transfer.new_site import candidates
from transfer.outline import STARTERS, OutlineError, read_outline
from transfer.placement import place_problems

_MAX_PEOPLE = 1000


class StepForm(forms.Form):
    """A step: `initial_of` selects the answers that it shows, `answers` are its own."""

    use_required_attribute = True

    @classmethod
    def initial_of(cls, answers: dict[str, Any]) -> dict[str, Any]:
        return answers

    def answers(self) -> dict[str, Any]:
        return dict(self.cleaned_data)


class PlaceForm(StepForm):
    site_name = forms.CharField(label=_("Name of the site"), max_length=255)
    site_dir = forms.CharField(
        label=_("Folder"),
        max_length=255,
        required=False,
        help_text=_("The first part of the web addresses of its pages, such as news in /news/1.html."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    parent = forms.ModelChoiceField(
        label=_("Parent site"),
        queryset=Site.objects.order_by("site_name", "pk"),
        required=False,
        widget=Picker,
        empty_label=_("no other site"),
        help_text=_("Its folder is then inside the folder of the other site."),
    )
    is_root = forms.BooleanField(
        label=_("This is the root site"),
        required=False,
        help_text=_(
            "Its pages are at the root of the web address. Only one site can be the root site; it needs no folder."
        ),
    )
    keep_ids = forms.BooleanField(
        label=_("Keep the IDs of the site template"),
        required=False,
        help_text=_(
            "Addresses with IDs stay valid. The site and its channels keep their IDs only if no other site has "
            "any of them, and so do content items."
        ),
    )
    with_entries = forms.BooleanField(
        label=_("Import what visitors have sent by forms"),
        required=False,
        help_text=_("These entries are personal data: import them only if you still have a reason to keep them."),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        asked = self.initial or {}
        if asked.get("begin") != "template":
            del self.fields["keep_ids"]
        number = asked.get("survey")
        surveyed = Job.objects.filter(pk=number).first() if number else None
        if surveyed is None or not surveyed.report.get("entries"):
            del self.fields["with_entries"]

    @classmethod
    def initial_of(cls, answers: dict[str, Any]) -> dict[str, Any]:
        return answers | {"parent": answers["parent_id"]}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            parent = cleaned["parent"].pk if cleaned["parent"] else None
            for field, problem in place_problems(cleaned["site_dir"], cleaned.get("is_root", False), parent).items():
                self.add_error(field, str(problem))
        return cleaned

    def answers(self) -> dict[str, Any]:
        cleaned = dict(self.cleaned_data)
        parent = cleaned.pop("parent")
        return cleaned | {"parent_id": parent.pk if parent else None}


class BeginForm(StepForm):
    begin = forms.ChoiceField(
        label=_("What should the site start with?"),
        choices=[
            ("empty", _("Empty: home channel only")),
            ("outline", _("Channels that I type")),
            *((name, starter.label) for name, starter in STARTERS.items()),
            ("copy", _("The channels of another site")),
            ("template", _("A site template that I upload")),
        ],
        widget=forms.RadioSelect,
        initial="empty",
    )

    @classmethod
    def initial_of(cls, answers: dict[str, Any]) -> dict[str, Any]:
        return {"begin": answers["begin"] or "empty"}

    def answers(self) -> dict[str, Any]:
        begin = self.cleaned_data["begin"]
        if begin == self.initial.get("begin") and begin not in TREE:
            return {"begin": begin}
        outline = str(STARTERS[begin].outline) if begin in STARTERS else ""
        return {"begin": begin, "outline": outline, "copy_from": None}


class ChannelsForm(StepForm):
    outline = forms.CharField(
        label=_("Channels"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false"}),
        help_text=_("One channel per line. Indent a line with spaces to put the channel below the one above it."),
    )

    def clean_outline(self) -> str:
        text = str(self.cleaned_data["outline"]).replace("\r\n", "\n")
        try:
            read_outline(text)
        except OutlineError as error:
            raise forms.ValidationError(str(error)) from error
        return text


class CopyForm(StepForm):
    copy_from = forms.ModelChoiceField(
        label=_("Site whose channels are copied"),
        queryset=Site.objects.order_by("site_name", "pk"),
        widget=Picker,
        help_text=_(
            "The channels are copied with their settings, files and page templates, but without content items."
        ),
    )

    def answers(self) -> dict[str, Any]:
        return {"copy_from": self.cleaned_data["copy_from"].pk}


class PeopleForm(StepForm):
    people: Any = forms.ModelMultipleChoiceField(
        label=_("Who manages it?"),
        queryset=None,
        required=False,
        widget=ManyCheckboxes,
        help_text=_(
            "They can see and change everything in this site, in addition to their current sites. Superusers can do "
            "so anyway. If an administrator's rights come from groups, assign the site on the administrator's page."
        ),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        field: Any = self.fields["people"]
        field.queryset = candidates()
        field.label_from_instance = lambda person: _name_of(person)
        # Limits the offered administrators; others are appointed on their own page.
        field.choices = [(person.pk, _name_of(person)) for person in candidates()[:_MAX_PEOPLE]]

    def answers(self) -> dict[str, Any]:
        return {"people": sorted(person.pk for person in self.cleaned_data["people"])}


class SummaryForm(StepForm):
    """No fields."""


FORMS: dict[str, type[StepForm]] = {
    "place": PlaceForm,
    "begin": BeginForm,
    "channels": ChannelsForm,
    "copy": CopyForm,
    "people": PeopleForm,
    "summary": SummaryForm,
}


def _name_of(person: Any) -> str:
    shown = person.get_full_name()
    return shown if shown == person.user_name else f"{shown} ({person.user_name})"

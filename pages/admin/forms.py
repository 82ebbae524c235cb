"""The form of a template calls its service in `_post_clean`, to show refusals beside the field."""

import json
import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from contents.admin.history.texts import TextComparison
from core.admin.changed_fields_form import KeepingForm
from core.admin.error_messages import tell
from core.admin.numbers import read_number
from core.lib.errors import ServiceError
from core.rest.preconditions import if_version
from pages import services
from pages.admin.comparing import compare_templates
from pages.admin.words import OF_EDITOR
from pages.engine.elements.parts import include_path
from pages.engine.template import MAX_CHARACTERS
from pages.models import Template, TemplateKind

_PATH = re.compile(r"(?:(?!\.{1,2}/)[^/\\\x00-\x1f?#%\"<>|*:]+/)*(?!\.{1,2}\Z)[^/\\\x00-\x1f?#%\"<>|*:]+")
WITH_PATH = frozenset({TemplateKind.INDEX, TemplateKind.FILE})
_HELP = {
    TemplateKind.INCLUDE: _("Path of the file that templates include, such as include/header.html."),
    TemplateKind.FILE: _("Path of the page below the site's folder, such as about/contact.html."),
    TemplateKind.INDEX: _("Path of the page below the site's folder; it is also at the address of the site itself."),
}


class TemplateText(forms.Textarea):
    """A text area that the editor's script extends; `addresses` are the URLs of the views that it calls."""

    class Media:
        js = [forms.Script("cms_admin/editor/template-editor.js", defer=True)]

    def __init__(self, addresses: dict[str, str]) -> None:
        super().__init__({"rows": 24, "spellcheck": "false", "autocapitalize": "off", "wrap": "off", "dir": "ltr"})
        self.addresses = addresses

    def render(self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None) -> SafeString:
        words = json.dumps({key: str(text) for key, text in OF_EDITOR.items()}, ensure_ascii=False)
        context = {"field": super().render(name, value, attrs, renderer), "words": words, **self.addresses}
        return render_to_string("pages/editor.html", context)


class TextField(forms.CharField):
    """The text of a template, with the line ends of the stored one."""

    def __init__(self, stored: str, **options: Any) -> None:
        super().__init__(label=_("Text"), required=False, strip=False, max_length=MAX_CHARACTERS, **options)
        self._end = "\r\n" if "\r\n" in stored else "\n"

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n").replace("\r", "\n").replace("\n", self._end)


class TemplateForm(KeepingForm, forms.ModelForm):  # type: ignore[type-arg]
    kind: str = ""  # of a new template, with its site; set by the page
    site_id: int = 0

    seen_version = forms.IntegerField(label="", required=False, min_value=0, widget=forms.HiddenInput)

    class Meta:
        model = Template
        fields = ("name", "page_path", "text")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.kind = self.instance.kind or self.kind
        self.is_stale = False  # the template has changed since it was shown
        name: Any = self.fields["name"]
        name.label, name.help_text = _("Name"), _HELP[TemplateKind.INCLUDE] if self.is_include else ""
        if path := self.fields.get("page_path"):
            path.required, path.help_text = True, _HELP[TemplateKind(self.kind)]
            path.initial = "index.html" if self.kind == TemplateKind.INDEX else ""

    @property
    def is_include(self) -> bool:
        return self.kind == TemplateKind.INCLUDE

    @property
    def difference(self) -> TextComparison:
        return compare_templates(
            Template.objects.values_list("text", flat=True).get(pk=self.instance.pk), self.cleaned_data["text"]
        )

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"]).strip()
        return _clean_path(include_path(name)) if self.is_include else name

    def clean_page_path(self) -> str:
        return _clean_path(str(self.cleaned_data["page_path"]).strip().lstrip("/"))

    def _post_clean(self) -> None:
        if self.errors:
            return
        values = {name: self.cleaned_data[name] for name in self.changed_data if name != "seen_version"}
        try:
            if self.instance.pk is None:
                self.instance = services.add_template(self.site_id, self.kind, **values)
            else:
                # The version shown, or the one that the administrator chose to overwrite.
                seen = read_number(self.data.get("overwrite")) or self.cleaned_data.get("seen_version") or 0
                self.instance = services.change_template(self.instance.pk, values, if_version(seen))
        except ServiceError as refusal:
            self.is_stale = refusal.code == "changed_meanwhile"
            member = refusal.members.get("member", "")
            self.add_error(member if member in self.fields else None, tell(refusal))

    def validate_unique(self) -> None:
        """Do nothing; the service validates."""

    def _save_m2m(self) -> None:
        """Do nothing; the service has stored everything."""


def _clean_path(path: str) -> str:
    if not _PATH.fullmatch(path) or "." not in path.rpartition("/")[2]:
        raise ValidationError(_("Enter a path with a file extension, such as include/header.html."))
    return path


def form_of(template: Template | None, kind: str, site_id: int, addresses: dict[str, str]) -> type[Any]:
    text = TextField(template.text if template else "", widget=TemplateText(addresses))
    members = {"text": text, "kind": kind, "site_id": site_id}
    return type("FormOfTemplate", (TemplateForm,), members)

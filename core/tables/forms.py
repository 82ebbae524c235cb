from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.tables.columns import Column, readable
from core.tables.reading import MAX_COLUMNS, MAX_FILE_BYTES, Table, read_table


class ExportForm(forms.Form):
    form = forms.ChoiceField(
        label=_("File"),
        choices=[
            ("csv", _("CSV, for programs and spreadsheets, of any length")),
            ("xlsx", _("XLSX, for Excel and similar programs")),
        ],
        initial="csv",
        widget=forms.RadioSelect,
    )
    separator = forms.ChoiceField(
        label=_("CSV separator"),
        choices=[
            ("comma", pgettext_lazy("of CSV", "Comma")),
            ("semicolon", pgettext_lazy("of CSV", "Semicolon")),
            ("tab", pgettext_lazy("of CSV", "Tab")),
        ],
        initial="comma",
        required=False,
        help_text=_("Excel expects the separator of the computer's region: in most of Europe, a semicolon."),
    )
    headings = forms.ChoiceField(
        label=_("Headings"),
        choices=[("words", _("In the language of this page")), ("names", _("Names used by the API"))],
        initial="words",
        widget=forms.RadioSelect,
    )
    columns = forms.MultipleChoiceField(
        label=_("Columns"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one column.")},
    )

    def __init__(self, columns: Sequence[Column], left_out: Sequence[str], *args: Any) -> None:
        super().__init__(*args)
        field: Any = self.fields["columns"]
        field.choices = [(column.name, f"{column.label}") for column in columns]
        field.initial = [column.name for column in columns if column.name not in left_out]


class UploadForm(forms.Form):
    file = forms.FileField(
        label=_("File"),
        help_text=_("CSV or XLSX; the first row has the headings. Nothing is stored until you confirm the preview."),
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.txt,.tsv,.xlsx"}),
    )

    table: Table

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MAX_FILE_BYTES:
            most = MAX_FILE_BYTES // 1024 // 1024
            raise ValidationError(_("A file may have at most %(count)d MiB; split it.") % {"count": most})
        self.table = read_table(file.read())
        return file


class MatchForm(forms.Form):
    def __init__(self, headings: Sequence[str], columns: Sequence[Column], matches: Sequence[str], *args: Any) -> None:
        super().__init__(*args)
        # Read-only columns may be in a file but are not read.
        choices = [("", _("— skip —")), *((column.name, str(column.label)) for column in readable(columns))]
        for place, (heading, match) in enumerate(zip(headings[:MAX_COLUMNS], matches, strict=True)):
            self.fields[f"match-{place}"] = forms.ChoiceField(
                label=heading or "—", choices=choices, initial=match, required=False
            )

    def clean(self) -> dict[str, Any]:
        chosen = [name for name in self.matches if name]
        if len(chosen) != len(set(chosen)):
            raise ValidationError(_("Two headings refer to the same column. Skip one of them."))
        return self.cleaned_data

    @property
    def matches(self) -> list[str]:
        return [str(self.cleaned_data.get(name, "")) for name in self.fields]

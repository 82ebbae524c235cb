"""The page of a form: what it says, and its fields."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext, pgettext_lazy

from contents.admin.fields import MomentInput
from core.admin.changed_fields_form import KeepingForm
from core.admin.numbers import read_number
from forms.models import CHOICE_KINDS, MAX_CHARACTERS, MAX_CHOICES, MAX_FIELDS, Field, Form
from forms.patterns import MAX_PATTERN, compiles
from forms.public_lists import MAX_PAGE
from forms.retention import MAX_DAYS
from forms.services import MEMBERS

MAX_RULES = 3  # shown of a field
PREFIX = "field-"  # of the inputs of a row, with its place
_KEY = re.compile(r"[^\W\d_][\w-]*")
_NUMBERED = frozenset({"Min", "Max", "MinValue", "MaxValue"})
_MAX_CHOICE = 500  # characters
RULE_LABELS: dict[str, Any] = {
    "": pgettext_lazy("rule of a field", "None"),
    "Email": pgettext_lazy("rule of a field", "Email address"),
    "Url": pgettext_lazy("rule of a field", "Web address"),
    "Mobile": pgettext_lazy("rule of a field", "Mobile number (China)"),
    "Phone": pgettext_lazy("rule of a field", "Phone number"),
    "Chinese": pgettext_lazy("rule of a field", "Chinese characters only"),
    "Alpha": pgettext_lazy("rule of a field", "Letters only"),
    "AlphaDash": pgettext_lazy("rule of a field", "Letters, digits, - and _"),
    "AlphaNum": pgettext_lazy("rule of a field", "Letters and digits"),
    "AlphaSpaces": pgettext_lazy("rule of a field", "Letters and blanks"),
    "Integer": pgettext_lazy("rule of a field", "Whole number"),
    "Decimal": pgettext_lazy("rule of a field", "Number"),
    "Digits": pgettext_lazy("rule of a field", "Digits, as many as the value says"),
    "Zip": pgettext_lazy("rule of a field", "Postcode (China)"),
    "IdCard": pgettext_lazy("rule of a field", "Identity card (China)"),
    "Min": pgettext_lazy("rule of a field", "At least so many characters"),
    "Max": pgettext_lazy("rule of a field", "At most so many characters"),
    "MinValue": pgettext_lazy("rule of a field", "A number of at least"),
    "MaxValue": pgettext_lazy("rule of a field", "A number of at most"),
    "Regex": pgettext_lazy("rule of a field", "Regular expression"),
}


class VisitorForm(KeepingForm, forms.ModelForm):  # type: ignore[type-arg]
    keep_days = forms.IntegerField(
        label=_("Days to keep entries"),
        required=False,
        min_value=1,
        max_value=MAX_DAYS,
        help_text=_("Older entries are deleted. Empty: keep them."),
    )
    page_size = forms.IntegerField(
        label=_("Entries on a page"),
        min_value=1,
        max_value=MAX_PAGE,
        help_text=_("Of the public list."),
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)
    rows = forms.IntegerField(min_value=0, widget=forms.HiddenInput)  # without it, no field could be told from none

    class Meta:
        model = Form
        fields = MEMBERS
        widgets = {
            "description": forms.Textarea(attrs={"rows": 3}),
            "blocked_words": forms.Textarea(attrs={"rows": 3}),
            "success_text": forms.Textarea(attrs={"rows": 3}),
            "consent_text": forms.Textarea(attrs={"rows": 3}),
            "confirmation_text": forms.Textarea(attrs={"rows": 5}),
            "opens_at": MomentInput,
            "closes_at": MomentInput,
        }
        labels = {"is_open": pgettext_lazy("state of a form", "Open")}
        help_texts = {
            "guard": _(
                "Off: robots are not looked for. Basic: entries of simple robots are kept apart as spam; visitors "
                "notice nothing. Proof of work: the browser of each visitor also computes for about a second, so "
                "that sending often is expensive. Captcha: each visitor reads a picture or adds two numbers. "
                "With proof of work, only visitors without scripts do that."
            ),
            "success_text": _("Empty: a sentence in the language of the visitor."),
            "public_list": _("Everybody can read these entries, with the fields that are in the list."),
            "consent_text": _(
                "Visitors must tick a box with this text. Addresses that begin with https:// become links."
            ),
            "confirmation_subject": _("Empty: the title of the form."),
            "confirmation_text": _(
                "Mailed to the address in the field that gets the confirmation. Empty: no confirmation is sent."
            ),
            "confirmation_has_values": _(
                "Anyone can type the address of another person. Sensitive fields and texts with links are left out."
            ),
        }


class FieldForm(KeepingForm, forms.ModelForm):  # type: ignore[type-arg]
    number = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)  # id of a stored field
    choice_lines = forms.CharField(
        label=_("Choices"), required=False, widget=forms.Textarea(attrs={"rows": 3}), help_text=_("One per line.")
    )

    class Meta:
        model = Field
        fields = (
            "label",
            "key",
            "kind",
            "is_required",
            "help_text",
            "default",
            "is_visible",
            "is_listed",
            "is_sensitive",
            "gets_confirmation",
        )
        help_texts = {
            "key": _("Empty: made from the label."),
            "is_sensitive": _("Mails leave out its values."),
            "gets_confirmation": _("The form's confirmation is sent to the first of these email addresses."),
        }

    use_required_attribute = False

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["key"].required = False
        rules: Sequence[dict[str, str]] = self.instance.rules
        shown: dict[str, Any] = {"number": self.instance.pk, "choice_lines": "\n".join(self.instance.choices)}
        for place in range(MAX_RULES):
            rule = rules[place] if place < len(rules) else {}
            shown |= {f"{name}_{place}": rule.get(name, "") for name in ("type", "value", "message")}
            self.fields[f"type_{place}"] = forms.ChoiceField(
                label=_("Rule"), choices=list(RULE_LABELS.items()), required=False
            )
            self.fields[f"value_{place}"] = forms.CharField(label=_("Value"), required=False, max_length=MAX_PATTERN)
            self.fields[f"message_{place}"] = forms.CharField(
                label=_("Message to the visitor"), required=False, max_length=255
            )
        self.initial = {**shown, **self.initial}
        self.further_rules = list(rules[MAX_RULES:])
        self.is_known = self.instance.pk is not None  # or a copy of a stored field
        self.is_active = False  # the row that a button has just moved or added

    @property
    def is_blank(self) -> bool:
        return self.is_bound and not self.is_known and not self.has_changed()

    @property
    def place(self) -> int:
        """Its number in the names of its inputs."""
        return int(str(self.prefix).removeprefix(PREFIX))

    @property
    def main_fields(self) -> list[Any]:
        names = (
            "label",
            "key",
            "kind",
            "choice_lines",
            "help_text",
            "default",
            "is_required",
            "is_visible",
            "is_listed",
            "is_sensitive",
            "gets_confirmation",
        )
        return [self[name] for name in names]

    @property
    def rules(self) -> Iterator[list[Any]]:
        for place in range(MAX_RULES):
            yield [self[f"{name}_{place}"] for name in ("type", "value", "message")]

    @property
    def has_rules(self) -> bool:
        return any(self[f"type_{place}"].value() for place in range(MAX_RULES))

    @property
    def kind_words(self) -> str:
        return str(dict(Field.Kind.choices).get(self["kind"].value(), ""))

    def clean_key(self) -> str:
        key = str(self.cleaned_data["key"]).strip()
        if key and "key" in self.changed_data and not _KEY.fullmatch(key):
            raise ValidationError(_now("Begin with a letter, and use only letters, digits, - and _."))
        return key

    def clean_choice_lines(self) -> list[str]:
        lines = [line.strip() for line in str(self.cleaned_data["choice_lines"]).splitlines()]
        choices = list(dict.fromkeys(filter(None, lines)))
        if len(choices) > MAX_CHOICES:
            raise ValidationError(_now("Enter at most %(count)d choices.") % {"count": MAX_CHOICES})
        if any(len(choice) > _MAX_CHOICE for choice in choices):
            raise ValidationError(_now("Enter at most %(value)s characters.") % {"value": _MAX_CHOICE})
        return choices

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not {"kind", "choice_lines"}.isdisjoint(self.changed_data):
            choices = cleaned.get("choice_lines", []) if cleaned.get("kind") in CHOICE_KINDS else []
            self.instance.choices = choices if isinstance(choices, list) else self.instance.choices
        self.instance.rules = [rule for place in range(MAX_RULES) if (rule := self._rule(place))] + self.further_rules
        return cleaned

    def _rule(self, place: int) -> dict[str, str]:
        given = {name: str(self.cleaned_data.get(f"{name}_{place}", "")) for name in ("type", "value", "message")}
        if not given["type"]:
            return {}
        if given["type"] in _NUMBERED and not re.fullmatch(r"-?\d{1,15}(?:\.\d{1,10})?", given["value"], re.ASCII):
            self.add_error(f"value_{place}", _now("Enter a number."))
        if given["type"] == "Regex" and not (given["value"] and compiles(given["value"])):
            self.add_error(f"value_{place}", _now("Enter a regular expression without look-around and references."))
        return {name: text for name, text in given.items() if text}


def stored_rows(form: Form, copied: Form | None = None) -> list[FieldForm]:
    """Return the fields of the form, or those that a new one begins with."""
    if copied is not None:
        return _rows((field, {"number": number}) for number, field in _copies(copied).items())
    return _rows((field, {}) for field in (form.fields.all() if form.pk else _first_fields()))


def _rows(fields: Iterable[tuple[Field | None, dict[str, Any]]]) -> list[FieldForm]:
    rows = []
    for place, (field, values) in enumerate(fields):
        row = FieldForm(instance=field, initial=values, prefix=f"{PREFIX}{place}")
        row.is_known = field is not None
        rows.append(row)
    return rows


def _copies(form: Form) -> dict[int, Field]:
    """Return the fields by their numbers, as new ones."""
    return {field.pk: _copy(field) for field in form.fields.all()}


def _copy(field: Field) -> Field:
    members = {each.attname: getattr(field, each.attname) for each in Field._meta.concrete_fields}
    return Field(**members | {"id": None, "form_id": None})


def _first_fields() -> Sequence[Field]:
    return (
        Field(key="name", label=_now("Name"), is_required=True),
        Field(key="email", label=pgettext("kind of input", "Email address"), kind=Field.Kind.EMAIL, is_required=True),
        Field(key="message", label=_now("Message"), kind=Field.Kind.TEXT_AREA, is_required=True),
    )


def sent_rows(sent: QueryDict, form: Form, copied: Form | None = None) -> list[FieldForm]:
    if (count := read_number(sent.get("rows"))) is None:
        return stored_rows(form, copied)
    if copied is not None:
        stored = _copies(copied)
    else:
        stored = {field.pk: field for field in form.fields.all()} if form.pk else {}
    rows = []
    for place in _order_of(sent, min(count, max(MAX_FIELDS, len(stored)))):  # imports may have brought more
        field = stored.get(read_number(sent.get(f"{PREFIX}{place}-number")) or 0)
        row = FieldForm(sent, instance=field, prefix=f"{PREFIX}{place}")
        row.is_known = field is not None
        rows.append(row)
    return rows


def _order_of(sent: QueryDict, count: int) -> list[int]:
    """Return the places of the rows in the order in which they were dragged."""
    order = [number for part in sent.get("order", "").split(",") if (number := read_number(part)) is not None]
    return order if sorted(order) == list(range(count)) else list(range(count))


def rearranged(sent: QueryDict, rows: Sequence[FieldForm]) -> tuple[list[FieldForm], str] | None:
    """Return the rows as a button of them asks, with what was typed, and the lines that are left; None for another
    button."""
    kept = [(row.instance if row.is_known else None, values_of(row)) for row in rows]
    lines, active = sent.get("lines", ""), 0
    name = next((name for name in ("_add", "_up", "_down", "_remove") if name in sent), "")
    if name == "_add":
        if len(kept) < MAX_FIELDS:
            kept.append((None, {"is_visible": True}))
        active = len(kept) - 1
    elif name:
        place = read_number(sent.get(name))
        index = next((index for index, row in enumerate(rows) if row.place == place), None)
        if index is None:
            return None
        row = kept.pop(index)
        active = max(0, index - 1) if name == "_up" else min(index + (name == "_down"), len(kept))
        if name != "_remove":
            kept.insert(active, row)
    elif "_add_lines" in sent or lines.strip():  # also with another button, so that no line is lost
        active = len(kept)
        named = [line for line in lines.splitlines() if line.strip(" \t*|")]
        added = named[: max(0, MAX_FIELDS - len(kept))]
        kept += [(None, _field_of(line)) for line in added]
        lines = "\n".join(named[len(added) :])
    else:
        return None
    made = _rows(kept)
    if active < len(made):
        made[active].is_active = True
    return made, lines


def _field_of(line: str) -> dict[str, Any]:
    """Read `Label * | choice | choice`."""
    label, *choices = (part.strip() for part in line.split("|"))
    kind = Field.Kind.SELECT if any(choices) else Field.Kind.TEXT
    values = {"label": label.rstrip("* "), "kind": kind.value, "choice_lines": "\n".join(filter(None, choices))}
    return values | {"is_required": label.endswith("*"), "is_visible": True}


def with_others(rows: Sequence[FieldForm], form: Form) -> list[FieldForm]:
    """Add the fields that another person may have added, so that the next save does not delete them unseen."""
    more = form.fields.exclude(pk__in=[row.instance.pk for row in rows if row.instance.pk])
    return [
        *rows,
        *(FieldForm(instance=field, prefix=f"{PREFIX}{place}") for place, field in enumerate(more, len(rows))),
    ]


def values_of(form: forms.BaseForm) -> dict[str, Any]:
    """Return what was typed, as initial values of the form when it is shown again."""
    return {name: form[name].data for name in form.fields}


def name_fields(rows: Sequence[FieldForm]) -> bool:
    """Give a key to each field without one; false, with errors in the rows, if two have the same."""
    taken: set[str] = set()
    for row in rows:
        key = row.instance.key.casefold()
        if key and key in taken:
            row.add_error("key", _now("Another field has this name."))
        taken.add(key)
    for row in rows:
        if not row.instance.key:
            row.instance.key = _free_key(row.instance.label, taken)
            taken.add(row.instance.key)
    return not any(row.errors for row in rows)


def _free_key(label: str, taken: set[str]) -> str:
    stem = re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")[:50]
    number = 1
    if not stem or stem[0].isdigit():
        stem, key = "field", "field1"
    else:
        key = stem
    while key in taken:
        number += 1
        key = f"{stem}{number}"
    return key


class ReplyForm(forms.Form):
    reply = forms.CharField(
        label=_("Reply"),
        required=False,
        max_length=MAX_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("It is stored with the entry and sent to no one."),
    )
    seen = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)

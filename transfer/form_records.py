"""Forms of SiteServer as records of ours: kinds and rules of fields, and the values of entries."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import count
from typing import Any

from django.utils.translation import gettext_noop

from core.lib.dates import parse_date
from core.lib.folding import is_blank
from core.lib.settings_text import UNSTORABLE
from forms.models import CHOICE_KINDS, MAX_CHARACTERS, MAX_CHOICES, MAX_FIELDS, Entry, Field, Form
from forms.patterns import compiles
from forms.rules import RULE_TYPES
from transfer.package import EntryRecord, FormRecord

Titles = Mapping[str, Mapping[str, str]]  # texts of choices by value, by folded key of the field
Tell = Callable[[str, str], object]  # gets a sentence, and the form or field that it is about

TOO_MANY_FIELDS = gettext_noop("Forms have too many fields; only the first ones are taken over")
TOO_MANY_CHOICES = gettext_noop("Fields of forms have too many choices; only the first ones are taken over")
CUT = gettext_noop("Texts of forms are too long and were cut")
CUT_VALUES = gettext_noop("Values of entries are too long and were cut")
OTHER_FILES = gettext_noop("Fields of forms took videos; here they take documents and pictures of up to 5 MB")
AS_TEXT = gettext_noop("Fields of forms have an unknown kind; they became a line of text")
AS_HIDDEN = gettext_noop("Fields of forms were filled by code; they became hidden ones")
NO_CHOICES = gettext_noop("Fields of forms have no choices; they became a line of text")
OTHER_VALUES = gettext_noop("Choices of forms had values of their own; visitors send the texts of the choices")
NO_PATTERN = gettext_noop("Regular expressions of fields are not understood here and were left out")
NO_RULE = gettext_noop("Rules of fields have no counterpart here and were left out")
NO_KEY = gettext_noop("Fields of forms without a usable name, or with that of another field, were left out")
RENAMED = gettext_noop("Forms had a name that another form has; they were renamed")
SIGNED_IN_ONLY = gettext_noop("Forms were for signed-in users only; here everybody can use them")

_SEVERAL = {Field.Kind.CHECKBOXES, Field.Kind.FILE, Field.Kind.IMAGE}
KINDS = {
    "text": Field.Kind.TEXT,
    "textarea": Field.Kind.TEXT_AREA,
    "texteditor": Field.Kind.TEXT_AREA,
    "number": Field.Kind.NUMBER,
    "date": Field.Kind.DATE,
    "datetime": Field.Kind.DATE_TIME,
    "checkbox": Field.Kind.CHECKBOXES,
    "radio": Field.Kind.RADIO,
    "selectone": Field.Kind.SELECT,
    "selectmultiple": Field.Kind.CHECKBOXES,
    "hidden": Field.Kind.HIDDEN,
    "specifiedvalue": Field.Kind.HIDDEN,
    "customize": Field.Kind.HIDDEN,
    "image": Field.Kind.IMAGE,
    "file": Field.Kind.FILE,
    "video": Field.Kind.FILE,
}
_BY_CODE = {"specifiedvalue", "customize"}
_FILES = {Field.Kind.FILE, Field.Kind.IMAGE}
# Names of version 5 (`validatetype`) and of the extension for version 6; names of version 7 are ours.
_RULES = {each.casefold(): each for each in RULE_TYPES} | {
    "english": "Alpha",
    "currency": "Decimal",
    "numeric": "Decimal",
    "qq": "Digits",
    "alpha_dash": "AlphaDash",
    "alpha_num": "AlphaNum",
    "alpha_spaces": "AlphaSpaces",
    "min_value": "MinValue",
    "max_value": "MaxValue",
}
_WITH_VALUE = {"Min", "Max", "MinValue", "MaxValue"}
_LONGEST = {
    (model, column.name): column.max_length
    for model in (Form, Field, Entry)
    for column in model._meta.concrete_fields
    if column.max_length
}
_MAX_MESSAGE = MAX_CHOICE = 500  # characters


@dataclass(frozen=True, slots=True)
class Choice:
    title: str
    value: str
    is_selected: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    name: str  # in any version
    value: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class InputSource:
    """A field as a version of SiteServer describes it."""

    key: str
    label: str
    kind: str  # of SiteServer
    help_text: str = ""
    default: str = ""
    is_visible: bool = True
    is_required: bool = False
    rules: Sequence[Rule] = ()
    choices: Sequence[Choice] = ()


def rules_of_version_5(settings: Mapping[str, str]) -> tuple[bool, list[Rule]]:
    """Return from the settings of a field whether it is required, and its rules."""
    if settings.get("isvalidate", "").casefold() != "true":
        return False, []
    rules = [Rule(name, settings.get(member, "")) for name, member in (("Min", "minnum"), ("Max", "maxnum"))]
    named = settings.get("validatetype", "")
    if named and named.casefold() != "none":
        is_own = named.casefold() == "custom"
        name, value = ("Regex", settings.get("regexp", "")) if is_own else (named, "")
        rules.append(Rule(name, value, settings.get("errormessage", "")))
    given = [rule for rule in rules if rule.name not in _WITH_VALUE or _positive(rule.value)]
    return settings.get("isrequired", "").casefold() == "true", given


def form_record(form: Mapping[str, Any], sources: Iterable[InputSource], tell: Tell) -> FormRecord:
    """Return the form with its fields in order; `tell` gets what was changed or left out."""
    fields = {name: _fitting(Form, name, value, str(form["name"]), tell) for name, value in form.items()}
    fields["name"] = _name(fields)
    inputs: dict[str, dict[str, Any]] = {}
    for source in sources:
        place = f"{fields['name']}: {source.key}"
        folded = source.key.casefold()
        is_long = len(source.key) > _LONGEST[Field, "key"]
        if is_blank(source.key) or is_long or folded in inputs or UNSTORABLE.search(folded):
            tell(NO_KEY, place)
        elif len(inputs) == MAX_FIELDS:
            tell(TOO_MANY_FIELDS, fields["name"])
            break
        else:
            inputs[folded] = _input(source, place, tell) | {"taxis": len(inputs) + 1}
    return FormRecord(fields, tuple(inputs.values()))


def named_apart(records: Iterable[FormRecord], tell: Tell, taken: Iterable[str] = ()) -> list[FormRecord]:
    """Return the records with names that no other has, in any letter case: the second "Contact" is "Contact_1"."""
    folded = set(taken)
    named = []
    for record in records:
        name = first = record.fields["name"]
        if first.casefold() in folded:
            ends = (f"_{number}" for number in count(1))
            names = (first[: _LONGEST[Form, "name"] - len(end)] + end for end in ends)
            name = next(each for each in names if each.casefold() not in folded)
            tell(RENAMED, f"{first}: {name}")
        folded.add(name.casefold())
        named.append(replace(record, fields=record.fields | {"name": name}))
    return named


def entry_record(
    record: FormRecord, fields: Mapping[str, Any], sent: Mapping[str, str], choices: Titles, zone: tzinfo, tell: Tell
) -> EntryRecord:
    """Return an entry from its columns here, and its texts by folded key; only shown fields keep values."""
    given = {name: value for name, value in fields.items() if value is not None}
    place = record.fields["name"]
    fitting = {name: _fitting(Entry, name, value, place, tell) for name, value in given.items()}
    values: dict[str, str | list[str]] = {}
    for field in record.inputs:
        folded = field["key"].casefold()
        text = UNSTORABLE.sub("", sent.get(folded, ""))
        if not text or not field["is_visible"]:
            continue
        if len(text) > MAX_CHARACTERS:
            tell(CUT_VALUES, f"{place}: {field['key']}")
            text = text[:MAX_CHARACTERS]
        titles = choices.get(folded, {})
        if field["kind"] in _SEVERAL:
            parts = dict.fromkeys(filter(None, map(str.strip, _parts(text))))
            values[folded] = [titles.get(part, part) for part in parts]
        else:
            values[folded] = titles.get(text, _moment(field["kind"], text, zone))
    return EntryRecord(fitting, values)


def titles_of(sources: Iterable[InputSource]) -> Titles:
    return {
        source.key.casefold(): {each.value: each.title.strip() for each in source.choices if each.title.strip()}
        for source in sources
    }


def _parts(text: str) -> list[str]:
    """Return the values in a list in JSON, or between commas."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    return list(map(str, found)) if isinstance(found, list) else text.split(",")


def _name(form: Mapping[str, Any]) -> str:
    name = str(form["name"]).strip()
    return str(form.get("origin_id", "")) if is_blank(name) else name


def _input(source: InputSource, place: str, tell: Tell) -> dict[str, Any]:
    kind = source.kind.casefold()
    found = KINDS.get(kind)
    if found is None:
        tell(AS_TEXT, place)
    elif kind in _BY_CODE:
        tell(AS_HIDDEN, place)
    elif kind == "video":
        tell(OTHER_FILES, place)
    choices = _choices(source, place, tell) if found in CHOICE_KINDS else []
    if found in CHOICE_KINDS and not choices:
        tell(NO_CHOICES, place)
        found = Field.Kind.TEXT
    fields = {
        "key": source.key,
        "label": source.label.strip() or source.key,
        "help_text": source.help_text,
        "kind": (found or Field.Kind.TEXT).value,
        "is_required": source.is_required,
        "rules": [] if found in _FILES else _rules(source.rules, place, tell),
        "choices": [choice.title for choice in choices],
        "default": "" if found in _FILES else _default(source.default, found, choices),
        "is_visible": source.is_visible,
    }
    return {name: _fitting(Field, name, value, place, tell) for name, value in fields.items()}


def _choices(source: InputSource, place: str, tell: Tell) -> list[Choice]:
    named = [
        replace(each, title=UNSTORABLE.sub("", each.title or each.value).strip()[:MAX_CHOICE])
        for each in source.choices[:MAX_CHOICES]
    ]
    if len(source.choices) > MAX_CHOICES:
        tell(TOO_MANY_CHOICES, place)
    if any(len(each.title.strip()) > MAX_CHOICE for each in source.choices):
        tell(CUT, place)
    if any(each.value not in ("", each.title) for each in named):
        tell(OTHER_VALUES, place)
    return list({each.title: each for each in reversed(named) if each.title}.values())[::-1]


def _default(text: str, kind: str | None, choices: Sequence[Choice]) -> str:
    if kind not in CHOICE_KINDS:
        return text
    selected = [each.title for each in choices if each.is_selected]
    titles = selected or [each.title for each in choices if each.value == text]
    return ",".join(titles if kind == Field.Kind.CHECKBOXES else titles[:1])


def _rules(rules: Iterable[Rule], place: str, tell: Tell) -> list[dict[str, str]]:
    found = []
    for rule in rules:
        name = _RULES.get(rule.name.casefold())
        if name is None or (name in _WITH_VALUE and not _is_number(rule.value)):
            tell(NO_RULE, f"{place}: {rule.name[:40]}")
            continue
        if name == "Regex" and not (rule.value and compiles(rule.value)):
            tell(NO_PATTERN, f"{place}: {rule.value[:40]}")
            continue
        members = {"type": name, "value": rule.value, "message": rule.message}
        found.append({each: UNSTORABLE.sub("", text)[:_MAX_MESSAGE] for each, text in members.items() if text})
    return found


def _fitting(model: type[Any], name: str, value: Any, place: str, tell: Tell) -> Any:
    if not isinstance(value, str):
        return value
    text, longest = UNSTORABLE.sub("", value), _LONGEST.get((model, name))
    if longest and len(text) > longest:
        tell(CUT, place[:200])
        return text[:longest]
    return text


def _moment(kind: str, text: str, zone: tzinfo) -> str:
    if kind not in (Field.Kind.DATE, Field.Kind.DATE_TIME):
        return text
    try:
        moment = parse_date(text, zone)
    except (ValueError, OverflowError):
        return text
    if moment is None:
        return text
    return (moment.date() if kind == Field.Kind.DATE else moment).isoformat()


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _positive(text: str) -> bool:
    return text.strip("0") != ""

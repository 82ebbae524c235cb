"""Forms, fields and entries as the versions of SiteServer write them, with names of columns in small letters."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

from django.utils.translation import gettext_noop

from core.lib.dates import FIRST_YEAR, parse_date
from core.rest.names import camelise
from forms.models import UNLISTED_KINDS, Entry
from transfer.form_records import SIGNED_IN_ONLY, Choice, InputSource, Rule, Tell, rules_of_version_5
from transfer.values import FLAGS

Columns = Mapping[str, Any]

UNREADABLE = gettext_noop("Choices or rules of a form cannot be read and were left out")
WAS_PUBLIC = gettext_noop("Forms had a public list of entries; they have none here until you choose one")
_MAX_PAGE = 200  # entries
_DEFAULT_PAGE = 30


def input_of_version_5(field: Columns, settings: Mapping[str, str], choices: Sequence[Choice]) -> InputSource:
    """`settings` are those in the column ExtendValues, by names in small letters."""
    is_required, rules = rules_of_version_5(settings)
    return InputSource(
        key=_text(field, "attributename").strip(),
        label=_text(field, "displayname"),
        kind=_text(field, "inputtype") or "Text",
        help_text=_text(field, "helptext"),
        default=_text(field, "defaultvalue"),
        is_visible=is_true(field.get("isvisible"), default=True),
        is_required=is_required,
        rules=rules,
        choices=choices,
    )


def input_of_version_6(field: Columns, items: Iterable[Columns]) -> InputSource:
    title = _text(field, "title").strip()
    rules = [Rule(*each.partition(":")[::2]) for each in _text(field, "validate").split("|") if each]
    return InputSource(
        key=title,
        label=title,
        kind=_text(field, "fieldtype") or "Text",
        help_text=_text(field, "description") or _text(field, "placeholder"),
        choices=[Choice(_text(i, "value"), _text(i, "value"), is_true(i.get("isselected"))) for i in items],
        **_required(rules),
    )


def input_of_version_7(
    field: Columns, settings: Mapping[str, str], items: Sequence[Columns], tell: Tell, place: str
) -> InputSource:
    """Rules and choices are JSON in the `settings`; databases from before have the choices as rows."""
    rules = [
        Rule(*(_text(each, name) for name in ("type", "value", "message")))
        for each in _listed(settings.get("rulevalues"), tell, place)
        if isinstance(each, dict)
    ]
    return InputSource(
        key=camelise(_text(field, "attributename").strip()),
        label=_text(field, "displayname"),
        kind=_text(field, "inputtype") or "Text",
        help_text=_text(field, "helptext"),
        default=_text(field, "defaultvalue"),
        choices=[_choice(each) for each in _listed(settings.get("itemvalues"), tell, place) or items],
        **_required(rules),
    )


def choice_of_version_5(item: Columns) -> Choice:
    title = _text(item, "itemtitle")
    return Choice(title, _text(item, "itemvalue") or title, is_true(item.get("isselected")))


def form_columns_of_version_5(columns: Columns, settings: Mapping[str, str], tell: Tell) -> dict[str, Any]:
    name = _text(columns, "inputname")
    if settings.get("isanomynous", "").casefold() == "false":  # the original's spelling
        tell(SIGNED_IN_ONLY, name)
    taxis = number_of(_text(columns, "taxis"))
    return {"name": name, "taxis": taxis, "success_text": settings.get("messagesuccess", "")}


def form_columns(columns: Columns, settings: Mapping[str, str], zone: tzinfo, tell: Tell) -> dict[str, Any]:
    """Return columns of a form from those of versions 6 and 7 and its settings, both by names in small letters."""
    given, name = {**columns, **settings}, _text(columns, "title")
    if is_true(given.get("isreply")):
        tell(WAS_PUBLIC, name)
    page_size = number_of(_text(given, "pagesize"))
    found = {
        "name": name,
        "description": _text(columns, "description"),
        "taxis": number_of(_text(columns, "taxis")),
        "is_open": not is_true(given.get("isclosed")),
        "success_text": _text(given, "successmessage"),
        "page_size": min(page_size, _MAX_PAGE) or _DEFAULT_PAGE,
    }
    if is_true(given.get("istimeout")):
        opens, closes = (moment_of(given.get(name), zone) for name in ("timetostart", "timetoend"))
        is_ordered = opens is None or closes is None or opens < closes
        found |= {"opens_at": opens, "closes_at": closes} if is_ordered else {"is_open": False}
    return found


def with_listed(inputs: Iterable[dict[str, Any]], settings: Mapping[str, str]) -> tuple[dict[str, Any], ...]:
    """Return the fields, with those of `ListAttributeNames` in the list that the form may have."""
    listed = {name.strip().casefold() for name in settings.get("listattributenames", "").split(",")}
    return tuple(
        field | {"is_listed": field["key"].casefold() in listed and field["kind"] not in UNLISTED_KINDS}
        for field in inputs
    )


def entry_columns(row: Columns, zone: tzinfo) -> dict[str, Any]:
    """Return columns of an entry from those of versions 6 and 7."""
    is_replied = is_true(row.get("isreplied"))
    return {
        "created_at": moment_of(row.get("createddate") or row.get("adddate"), zone),
        "state": (Entry.State.READ if is_replied else Entry.State.NEW).value,
        "reply": _text(row, "replycontent") if is_replied else "",
        "replied_at": moment_of(row.get("replydate"), zone) if is_replied else None,
    }


def entry_columns_of_version_5(row: Columns, zone: tzinfo) -> dict[str, Any]:
    return {
        "created_at": moment_of(row.get("adddate"), zone),
        "state": (Entry.State.READ if is_true(row.get("ischecked")) else Entry.State.NEW).value,
        "reply": _text(row, "reply"),
    }


def is_true(value: Any, default: bool = False) -> bool:
    """Return the flag, which is a number, or a text in most versions."""
    return FLAGS.get(str(value).strip().casefold(), default)


def number_of(text: str) -> int:
    """Return the position, 0 for anything else."""
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 0


def moment_of(value: Any, zone: tzinfo) -> datetime | None:
    """Return the date of a column or text; None for "never" and for what is no date."""
    try:
        if isinstance(value, datetime):
            local = value.astimezone(zone) if value.tzinfo else value
            return local.replace(tzinfo=None, microsecond=0) if local.year >= FIRST_YEAR else None
        return parse_date("" if value is None else str(value), zone)
    except (ValueError, OverflowError):
        return None


def _text(columns: Columns, name: str) -> str:
    value = columns.get(name)
    return "" if value is None else str(value)


def _listed(written: Any, tell: Tell, place: str) -> list[Any]:
    try:
        found = json.loads(written or "[]")
    except (ValueError, TypeError, RecursionError):
        tell(UNREADABLE, place)
        return []
    return found if isinstance(found, list) else []


def _choice(item: Any) -> Choice:
    """Return a choice from a text or an object in JSON, or from a row."""
    if not isinstance(item, Mapping):
        return Choice(str(item), str(item))
    folded = {str(name).casefold(): value for name, value in item.items()}
    value = _text(folded, "value") or _text(folded, "itemvalue")
    title = _text(folded, "label") or _text(folded, "itemtitle") or value
    return Choice(title, value or title, is_true(folded.get("selected", folded.get("isselected"))))


def _required(rules: list[Rule]) -> dict[str, Any]:
    others = [rule for rule in rules if rule.name.casefold() != "required"]
    return {"is_required": len(others) < len(rules), "rules": others}

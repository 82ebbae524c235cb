"""Changes of single members of a content that is there, each noted in its history."""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from cms_api.lib import clock
from cms_api.lib.bulk_update import update_columns
from cms_api.rest.custom_members import merge
from contents.models import Content, ContentBody, ContentChange
from contents.storing.history import Overwritten, note_changes


def overwrite(
    content: Content,
    values: Mapping[str, Any],
    kind: str = ContentChange.Kind.CHANGED,
    *,
    editor: str | None = None,
    reasons: str = "",
) -> bool:
    """Store the values, by attribute name, and the change; whether anything is other than before.

    `editor` is who has edited it last from now on; approval edits nothing.
    """
    return bool(overwrite_each([(content, values)], kind, editor=editor, reasons=reasons))


def overwrite_each(
    changes: Iterable[tuple[Content, Mapping[str, Any]]],
    kind: str = ContentChange.Kind.CHANGED,
    *,
    editor: str | None = None,
    reasons: str = "",
) -> list[Content]:
    """The same for several contents, each with values of its own; those of which anything is other than before."""
    edited = {} if editor is None else {"last_edit_user_name": editor, "last_edit_date": clock.now()}
    others = [(content, _other(content, values)) for content, values in changes]
    return store_each([(content, values | edited) for content, values in others if values], kind, reasons=reasons)


def store_each(
    changes: Iterable[tuple[Content, Mapping[str, Any]]],
    kind: str = ContentChange.Kind.CHANGED,
    *,
    reasons: str = "",
) -> list[Content]:
    """Store the values and the change of each content, whether they are other than before or not.

    One statement stores all that get values for the same members, and one notes all changes.
    """
    made = [(content, frozenset(values), _take_over(content, values)) for content, values in changes]
    alike: dict[frozenset[str], list[Content]] = {}
    for content, names, _before in made:
        alike.setdefault(names, []).append(content)
    for names, contents in alike.items():
        update_columns(contents, names | {"version"})
    note_changes([(content, before) for content, _names, before in made], kind, reasons=reasons)
    return [content for content, _names, _before in made]


def _other(content: Content, values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if getattr(content, name) != value}


def _take_over(content: Content, values: Mapping[str, Any]) -> Overwritten:
    before = Overwritten({name: getattr(content, name) for name in values})
    for name, value in values.items():
        setattr(content, name, value)
    content.version += 1
    return before


def store_body(content: Content, text: str) -> str | None:
    """Store the text as the body of the content, which is locked; the body before, None if it is the same."""
    if text == (before := content.text):
        return None
    content.text = text
    if not ContentBody.objects.filter(content=content).update(text=text):  # a content may have come without one
        ContentBody.objects.create(content=content, text=text)
    return before


def with_settings(content: Content, entries: Mapping[str, Any]) -> str:
    """The content's further members with these entries, as they are stored."""
    return orjson.dumps(merge(orjson.loads(content.settings_xml), dict(entries))).decode()

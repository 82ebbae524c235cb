from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from contents.models import Content, ContentBody, ContentChange
from contents.storing.history import PreviousValues, record_changes, store_columns, take_over
from core.lib import clock
from core.rest.custom_members import merge


def overwrite_each(
    changes: Iterable[tuple[Content, Mapping[str, Any]]],
    kind: str = ContentChange.Kind.CHANGED,
    *,
    editor: str | None = None,
    reasons: str = "",
) -> list[Content]:
    """Store differing values and note the changes; return the changed contents. Approvals have no `editor`."""
    edited = {} if editor is None else {"last_edit_user_name": editor, "last_edit_date": clock.now()}
    others = []
    for content, values in changes:
        if other := {name: value for name, value in values.items() if getattr(content, name) != value}:
            others.append((content, other | edited))
    return store_each(others, kind, reasons=reasons)


def store_each(
    changes: Iterable[tuple[Content, Mapping[str, Any]]],
    kind: str = ContentChange.Kind.CHANGED,
    *,
    reasons: str = "",
) -> list[Content]:
    """Store values and a change of each content, even if equal; one statement per distinct set of members."""
    made: list[tuple[Content, PreviousValues]] = []
    alike: dict[frozenset[str], list[tuple[Content, PreviousValues]]] = {}
    for content, values in changes:
        made.append((content, take_over(content, values)))
        alike.setdefault(frozenset(values), []).append(made[-1])
    for some in alike.values():
        store_columns(some)
    record_changes(made, kind, reasons=reasons)
    return [content for content, _before in made]


def store_body(content: Content, text: str) -> str | None:
    """Store the body of a locked content; return the previous one, or None if unchanged."""
    if text == (before := content.text):
        return None
    content.text = text
    if not ContentBody.objects.filter(content=content).update(text=text):  # may have been stored without a body row
        ContentBody.objects.create(content=content, text=text)
    return before


def with_settings(content: Content, entries: Mapping[str, Any]) -> str:
    return orjson.dumps(merge(orjson.loads(content.settings_xml), dict(entries))).decode()

"""The words of notifications, in the active language."""

from collections.abc import Iterable, Sequence

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.notifications.kinds import kinds
from core.notifications.models import Notification
from core.notifications.notifying import MAX_ITEMS


def headline(rows: Sequence[Notification]) -> str:
    """Return a sentence for notifications of one kind: "37 content items wait for your approval"."""
    kind = kinds()[rows[0].kind]
    count = sum(row.params["count"] for row in rows)
    if count == 1:
        item: dict[str, str] = rows[0].params["items"][0]
        return str(kind.one) % item
    return str(kind.many % {"count": count})


def lines(rows: Iterable[Notification]) -> list[str]:
    """Return a line for each record, MAX_ITEMS at most, and the number of the others."""
    count, named = 0, []
    for row in rows:
        count += row.params["count"]
        named += [_line(row.kind, item["title"], item["note"]) for item in row.params["items"]]
    shown = named[:MAX_ITEMS]
    if left := count - len(shown):
        shown.append(ngettext("and %(count)d more", "and %(count)d more", left) % {"count": left})
    return shown


def note_of(row: Notification) -> str:
    """Return the note of the only record: "Reasons: Too long."."""
    note = row.params["items"][0]["note"] if row.params["count"] == 1 else ""
    return str(kinds()[row.kind].note) % {"note": note} if note else ""


def _line(kind: str, title: str, note: str) -> str:
    told = str(kinds()[kind].note) % {"note": note} if note else ""
    return _("%(title)s – %(note)s") % {"title": title, "note": told} if told else title


def page_of(row: Notification) -> str:
    """Return the path of the record or, for several, of their list; empty if there is none."""
    kind = kinds()[row.kind]
    pages = kind.pages
    try:
        if row.subject_kind in pages and row.subject_id is not None:
            address = reverse(pages[row.subject_kind], args=[row.subject_id])
            return f"{address}?{row.params['query']}" if "query" in row.params else address
        query = f"?{row.params['query']}" if "query" in row.params else kind.list_query
        return f"{reverse(pages[''])}{query}" if "" in pages else ""
    except NoReverseMatch:
        return ""

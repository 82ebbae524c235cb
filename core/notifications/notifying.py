from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Q

from core.lib import clock
from core.mail.messages import is_set_up
from core.notifications.kinds import kinds
from core.notifications.models import Email, Notification, NotificationChoice

MAX_ITEMS = 20  # records of a notification that are named; the others are counted


@dataclass(frozen=True, slots=True)
class Subject:
    """A record that a notification is about, by a kind of record in `NotificationKind.pages`."""

    kind: str
    number: int
    title: str
    site_id: int | None = None
    note: str = ""
    query: str = ""  # of the link to the record


def notify(kind: str, told: Mapping[int, Sequence[Subject]], *, once: str = "") -> None:
    """Store one notification for each administrator, by id, of these records; three statements.

    Called in the transaction of the change. Locked administrators get none. With `once`, an administrator does not get
    a second notification with the same text. Raises RuntimeError for an unknown kind or outside a transaction.
    """
    if kind not in kinds():
        raise RuntimeError(f"Unknown kind of notification {kind}; see NOTIFICATIONS in registrations.")
    if not connection.in_atomic_block:
        raise RuntimeError(f"Notify of {kind} within the transaction of the change.")
    wanted = [number for number, subjects in told.items() if subjects]
    if not wanted:
        return
    people = get_user_model()._default_manager.filter(pk__in=wanted, is_locked_out=False)
    chosen = NotificationChoice.objects.filter(kind=kind, administrator__in=wanted)
    choices = {choice.administrator_id: choice for choice in chosen}
    now, has_mail = clock.now(), is_set_up()
    rows = []
    for number, address in people.values_list("pk", "email"):
        choice = choices.get(number) or NotificationChoice()
        email = choice.email if has_mail and address else Email.NEVER
        if choice.in_bell or email != Email.NEVER:
            rows.append(_make(kind, number, told[number], created_at=now, in_bell=choice.in_bell, email=email))
    for row in rows:
        row.once = once
    # Ignores rows that others have stored before or since.
    Notification.objects.bulk_create(rows, ignore_conflicts=True)


def _make(kind: str, administrator_id: int, subjects: Sequence[Subject], **values: object) -> Notification:
    items = [{"title": each.title, "note": each.note} for each in subjects[:MAX_ITEMS]]
    sites = {each.site_id for each in subjects}
    row = Notification(
        administrator_id=administrator_id,
        kind=kind,
        site_id=sites.pop() if len(sites) == 1 else None,
        params={"count": len(subjects), "items": items},
        **values,
    )
    if len(subjects) == 1:
        row.subject_kind, row.subject_id = subjects[0].kind, subjects[0].number
        if subjects[0].query:
            row.params["query"] = subjects[0].query
    return row


def responsible_for(site_id: int | None = None) -> list[int]:
    """Return the administrators of the highest rank, and those who look after the site; one statement."""
    people = get_user_model()._default_manager.filter(is_locked_out=False)
    people = people.filter(Q(is_superuser=True) | ~Q(site_id_collection="")).only("is_superuser", "site_id_collection")
    return [each.pk for each in people if each.is_superuser or site_id in each.reachable_site_ids]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise

from core.admin.ranks import Rank, rank_of
from core.lib.registrations import Registry

_Text = str | Promise


@dataclass(frozen=True, slots=True)
class NotificationKind:
    """A kind of notification: its words, the pages it links to, and the administrators it concerns.

    An app lists its kinds as NOTIFICATIONS in its registrations: name → kind.
    """

    place: int  # on the page of choices
    label: _Text  # there
    one: _Text  # "“%(title)s” waits for your approval"
    many: Any  # ngettext_lazy: "%(count)d content items wait for your approval"
    note: _Text = ""  # "Reasons: %(note)s"
    # Kind of subject → name of the URL of a record; "" → of the page of several records.
    pages: Mapping[str, str] = field(default_factory=dict)
    list_query: str = ""  # of the page of several records
    ranks: frozenset[Rank] = frozenset({Rank.HIGHEST, Rank.SITES})
    permissions: tuple[str, ...] = ()  # ordinary administrators need one of them

    def concerns(self, user: Any) -> bool:
        return rank_of(user) in self.ranks or any(user.has_perm(name) for name in self.permissions)


NOTIFICATIONS = Registry[str, NotificationKind]("NOTIFICATIONS", NotificationKind)


def kinds() -> dict[str, NotificationKind]:
    return dict(sorted(NOTIFICATIONS.entries.items(), key=lambda entry: entry[1].place))

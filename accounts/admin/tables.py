"""Users as rows of tables: which columns there are, how they are written, and how they are read."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.serializers import UserCreationSerializer
from accounts.services import change_users, create_users, make_user
from accounts.uniqueness import claim_all, owners_of
from accounts.validators import why_weak
from cms_api.admin.numbers import read_number
from cms_api.lib.cells import restored, to_text
from cms_api.rest.names import to_wire
from cms_api.tables.columns import Column
from cms_api.tables.preview import SECRET
from cms_api.tables.resource import BATCH, Draft, Reader, TableResource, WrongRow
from cms_api.tables.values import MemberReader
from cms_api.tables.views import Choices, Tables

# New passwords of one import: each takes some 20 ms.
MOST_PASSWORDS = 500
_UNIQUE = ("user_name", "email", "mobile")
_READ = (
    *("user_name", "display_name", "email", "mobile", "is_checked", "is_locked_out"),
    *("organization", "department", "position", "gender", "birthday", "education", "graduation", "address"),
    *("wei_xin", "qq", "wei_bo", "interests", "signature", "avatar_url"),
)
_WRITTEN = ("create_date", "last_activity_date", "count_of_login", "count_of_failed_login", "count_of_writing")
LEFT_OUT = ("avatar_url", "count_of_failed_login", "count_of_writing")
# Who has the right that is named may change them, besides whoever may change users.
_RIGHTS = {"is_checked": "approve", "is_locked_out": "lock"}
_SERIALIZER = UserCreationSerializer.field_table()
_LABELS = {"id": gettext_lazy("number"), SECRET: gettext_lazy("password of a new user")}


def user_columns(*, reading: bool) -> list[Column]:
    """The columns of users; a password is read of new users and never written."""
    found = [_column("id"), *map(_column, _READ), *(_column(name, is_read_only=True) for name in _WRITTEN)]
    return [*found, _column(SECRET)] if reading else found


def _column(name: str, *, is_read_only: bool = False) -> Column:
    label = _LABELS.get(name) or User._meta.get_field(name).verbose_name  # type: ignore[union-attr]
    return Column(name, to_wire(name), label, is_read_only)


def user_rows(records: QuerySet[User], names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The number and the cells of each user."""
    for row in records.values("id", *(name for name in names if name != "id")):
        yield row["id"], [to_text(row[name]) for name in names]


class UserResource(TableResource):
    """Reads users; `allows` tells whether the administrator may `add`, `change`, `approve` or `lock` them."""

    def __init__(self, allows: Callable[[str], bool]) -> None:
        readers: dict[str, Reader] = {name: MemberReader(_SERIALIZER[name], to_wire(name)) for name in (*_READ, SECRET)}
        readers["user_name"] = MemberReader(_SERIALIZER["user_name"], to_wire("user_name"), _wrong_name)
        super().__init__(user_columns(reading=True), readers)
        self._may = {act: allows(act) for act in ("add", "change", "approve", "lock")}
        self._by_id: dict[int, User] = {}
        self._owners: dict[str, set[int]] = {}  # folded name, address or mobile → users that have it
        self._by_name: dict[str, int] = {}
        self._in_file: dict[str, int] = {}  # the same of rows → the place of the row
        self._seen: set[int] = set()
        self._passwords = 0
        self._made: dict[int, User] = {}  # by the draft, until they are stored

    # ---- which users there are

    def load(self, rows: list[dict[str, str]]) -> None:
        """Read the users by number and name, and who has the names, addresses and mobiles of the rows."""
        self._in_file, self._seen, self._passwords = {}, set(), 0
        numbers = {number for row in rows if (number := read_number(row.get("id", "").strip())) is not None}
        texts = {text for row in rows for name in _UNIQUE if (text := restored(row.get(name, "")).strip())}
        self._owners = owners_of(User, sorted(texts))
        self._by_id = _read(numbers.union(*self._owners.values()))
        self._by_name = {user.user_name.casefold(): user.pk for user in self._by_id.values()}

    def find(self, row: dict[str, str]) -> Draft | None:
        """The user of the row's number, else of its name. Raises WrongRow."""
        text, name = row.get("id", "").strip(), restored(row.get("user_name", "")).strip()
        number = read_number(text) if text else self._by_name.get(name.casefold())
        if text and number is None:
            raise WrongRow(_("Write a whole number."))
        if number is None:
            return None
        user = self._by_id.get(number)
        if user is None:
            raise WrongRow(_("There is no user of this number. Leave it empty for a new one."))
        if user.pk in self._seen:
            raise WrongRow(_("The user stands in an earlier row, too."))
        self._seen.add(user.pk)
        return Draft(user, {name: getattr(user, name) for name in _READ}, {})

    # ---- what is wrong with a row

    def read(self, draft: Draft, row: dict[str, str]) -> dict[str, str]:
        """Read the members; an empty password is none, and that of a user whom there is is passed over."""
        problems = super().read(draft, row)
        if not draft.after.get(SECRET):
            draft.after.pop(SECRET, None)
        if draft.record is not None and draft.after.pop(SECRET, None):
            draft.notes[SECRET] = _("Passed over: the user is there already. Set it on the user's page.")
        return problems

    def check(self, draft: Draft) -> dict[str, str]:
        """What the services would refuse, and what the administrator may not do."""
        changes, found = draft.changes, self._check_rights(draft)
        if not draft.after.get("user_name", draft.before.get("user_name")):
            found["user_name"] = _("A user needs a name.")
        for name in _UNIQUE:
            if (text := changes.get(name)) and (problem := self._taken(text, draft)):
                found[name] = problem
        if SECRET in changes and (problem := self._check_password(changes[SECRET])):
            found[SECRET] = problem
        return found

    def _check_rights(self, draft: Draft) -> dict[str, str]:
        changes = draft.changes
        if draft.record is None:
            return {} if self._may["add"] else {"user_name": _("You may not add users.")}
        found = {
            name: _("You may not change this.")
            for name, right in _RIGHTS.items()
            if name in changes and not (self._may[right] or self._may["change"])
        }
        if changes.keys() - _RIGHTS.keys() and not self._may["change"]:
            found["id"] = _("You may not change users.")
        return found

    def _taken(self, text: str, draft: Draft) -> str:
        own = draft.record.pk if draft.record is not None else 0
        if self._owners.get(text.casefold(), set()) - {own}:
            return _("Another user has it as name, e-mail address or mobile.")
        place = id(draft)
        if self._in_file.setdefault(text.casefold(), place) != place:
            return _("An earlier row has it as name, e-mail address or mobile.")
        return ""

    def _check_password(self, password: str) -> str:
        self._passwords += 1
        if self._passwords > MOST_PASSWORDS:
            return _("A table sets at most %(count)d passwords; leave the others empty.") % {"count": MOST_PASSWORDS}
        return why_weak(User(), password)

    # ---- storing

    def state_of(self, record: User) -> str:
        """A digest of all that a table may change."""
        text = repr([getattr(record, name) for name in _READ])
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def prepare(self, drafts: Sequence[Draft]) -> None:
        """Hash the passwords."""
        for draft in drafts:
            if draft.record is None:
                self._made[id(draft)] = make_user(draft.changes)

    def hold(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Lock the users and whatever belongs to one user only; others may have it by now."""
        claim_all(User)
        changes = [(draft, draft.changes) for draft in drafts]
        texts = {text for _draft, values in changes for name in _UNIQUE if (text := values.get(name))}
        self._owners = owners_of(User, sorted(texts))
        self._by_id = _read((draft.record.pk for draft in drafts if draft.record is not None), lock=True)
        return [draft for draft, values in changes if not self._is_as_planned(draft, values)]

    def _is_as_planned(self, draft: Draft, values: dict[str, Any]) -> bool:
        own = draft.record.pk if draft.record is not None else 0
        if any(self._owners.get(values[name].casefold(), set()) - {own} for name in _UNIQUE if values.get(name)):
            return False
        if draft.record is None:
            return True
        now = self._by_id.get(own)
        return now is not None and self.state_of(now) == self.state_of(draft.record)

    def create(self, drafts: Sequence[Draft]) -> None:
        """New users, without a password where the table has none."""
        create_users([self._made[id(draft)] for draft in drafts])

    def change(self, drafts: Sequence[Draft]) -> None:
        """Change users."""
        change_users([(self._by_id[draft.record.pk], draft.changes) for draft in drafts])


def _wrong_name(name: str) -> str:
    if not name:
        return _("A user needs a name.")
    return _("A name has no blanks, no control characters and none of ' : \" < > |.")


def _read(numbers: Iterable[int], *, lock: bool = False) -> dict[int, User]:
    """The users by number; locked in the order of numbers if asked."""
    wanted, found = sorted(numbers), dict[int, User]()
    for start in range(0, len(wanted), BATCH):
        rows = User.objects.filter(pk__in=wanted[start : start + BATCH]).order_by("pk")
        found |= {user.pk: user for user in (rows.select_for_update() if lock else rows)}
    return found


class UserTables(Tables):
    """The export and import of users."""

    export_action, import_action = "user.exported", "user.imported"
    import_job = "accounts.import"
    export_left_out = LEFT_OUT

    def may_export(self, request: HttpRequest) -> bool:
        """Whoever may take all of them away: a right of its own."""
        return bool(self.page.allows(request, "export"))

    def table_columns(self, request: HttpRequest) -> list[Column]:
        """The columns that are written; the password is none of them."""
        return user_columns(reading=False)

    def import_columns(self, request: HttpRequest) -> list[Column]:
        """The columns that are read, with the password."""
        return user_columns(reading=True)

    def table_rows(self, records: QuerySet[Any], names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
        """The cells of users."""
        return user_rows(records, names)

    def import_resource(self, request: HttpRequest, choices: Choices) -> UserResource:
        """The resource that reads the rows with the administrator's current rights."""
        return UserResource(lambda act: bool(self.page.allows(request, act)))

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import UNIQUE, User
from accounts.serializers import UserCreationSerializer
from accounts.services import change_users, create_users, make_user
from accounts.uniqueness import claim_all, owners_of
from accounts.validators import why_weak
from core.admin.numbers import read_number
from core.lib.cells import to_text
from core.lib.folding import fold
from core.rest.names import to_wire
from core.tables.columns import Column, MemberReader
from core.tables.preview import SECRET
from core.tables.resource import BATCH, Draft, Reader, TableResource, WrongRow
from core.tables.views import Choices, Tables

# New passwords of one import; hashing each takes about 20 ms.
MAX_PASSWORDS = 500
_READ = (
    *("user_name", "display_name", "email", "mobile", "is_checked", "is_locked_out"),
    *("organization", "department", "position", "gender", "birthday", "education", "graduation", "address"),
    *("wei_xin", "qq", "wei_bo", "interests", "signature", "avatar_url"),
)
_WRITTEN = ("create_date", "last_activity_date", "count_of_login", "count_of_failed_login", "count_of_writing")
# The right that suffices to change the column without the right to change users.
_RIGHTS = {"is_checked": "approve", "is_locked_out": "lock"}
_SERIALIZER = UserCreationSerializer.field_table()
_LABELS = {"id": gettext_lazy("ID"), SECRET: gettext_lazy("password for a new user")}
# Headings of tables that earlier versions exported.
_FORMER = {"id": ("number", "编号"), "email": ("e-mail address",)}


def user_columns(*, reading: bool) -> list[Column]:
    names = ["id", *_READ, *_WRITTEN, *([SECRET] if reading else [])]
    labels = {name: _LABELS.get(name) or User._meta.get_field(name).verbose_name for name in names}  # type: ignore[union-attr]
    return [Column(name, to_wire(name), labels[name], name in _WRITTEN, _FORMER.get(name, ())) for name in names]


class UserResource(TableResource):
    def __init__(self, allows: Callable[[str], bool]) -> None:
        readers: dict[str, Reader] = {name: MemberReader(_SERIALIZER[name], to_wire(name)) for name in (*_READ, SECRET)}
        readers["user_name"] = MemberReader(_SERIALIZER["user_name"], to_wire("user_name"), _wrong_name)
        super().__init__(user_columns(reading=True), readers)
        self._may = {action: allows(action) for action in ("add", "change", "approve", "lock")}
        self._by_id: dict[int, User] = {}
        self._owners: dict[str, set[int]] = {}  # folded name, address or mobile → users that have it
        self._by_name: dict[str, int] = {}
        self._in_file: dict[str, int] = {}  # folded name, address or mobile → id of the draft that has it
        self._seen: set[int] = set()
        self._passwords = 0
        self._made: dict[int, User] = {}  # by the id of the draft, until they are stored

    def load(self, rows: list[dict[str, str]]) -> None:
        self._in_file, self._seen, self._passwords = {}, set(), 0
        numbers = {number for row in rows if (number := read_number(row.get("id", "").strip())) is not None}
        texts = {text for row in rows for name in UNIQUE if (text := row.get(name, "").strip())}
        self._owners = owners_of(User, sorted(texts))
        self._by_id = _read(numbers.union(*self._owners.values()))
        by_age = sorted(self._by_id.values(), key=lambda user: user.pk, reverse=True)
        self._by_name = {fold(user.user_name): user.pk for user in by_age} | {u.user_name: u.pk for u in by_age}

    def find(self, row: dict[str, str]) -> Draft | None:
        text, name = row.get("id", "").strip(), row.get("user_name", "").strip()
        number = read_number(text) if text else self._by_name.get(name, self._by_name.get(fold(name)))
        if text and number is None:
            raise WrongRow(_("Enter a whole number."))
        if number is None:
            return None
        user = self._by_id.get(number)
        if user is None:
            raise WrongRow(_("No user has this ID. To add a user, leave it empty."))
        if user.pk in self._seen:
            raise WrongRow(_("An earlier row is about the same user."))
        self._seen.add(user.pk)
        return Draft(user, {name: getattr(user, name) for name in _READ}, {})

    def read(self, draft: Draft, row: dict[str, str]) -> dict[str, str]:
        problems = super().read(draft, row)
        if not draft.after.get(SECRET):  # empty means no password
            draft.after.pop(SECRET, None)
        if draft.record is not None and draft.after.pop(SECRET, None):
            draft.notes[SECRET] = _("Skipped, because the user already exists. Set the password on the user's page.")
        return problems

    def check(self, draft: Draft) -> dict[str, str]:
        changes, found = draft.changes, dict[str, str]()
        if draft.record is None:
            if not self._may["add"]:
                found["user_name"] = _("You may not add users.")
        elif not self._may["change"]:
            for name, right in _RIGHTS.items():
                if name in changes and not self._may[right]:
                    found[name] = _("You may not change this.")
            if changes.keys() - _RIGHTS.keys():
                found["id"] = _("You may not change users.")
        if not draft.after.get("user_name", draft.before.get("user_name")):
            found["user_name"] = _("A user needs a name.")
        own = draft.record.pk if draft.record is not None else 0
        for name in UNIQUE:
            if text := fold(changes.get(name, "")):
                if self._owners.get(text, set()) - {own}:
                    found[name] = _("Another user already has this as a name, email address or mobile number.")
                elif self._in_file.setdefault(text, id(draft)) != id(draft):
                    found[name] = _("An earlier row already has this as a name, email address or mobile number.")
        if SECRET in changes:
            self._passwords += 1
            if self._passwords > MAX_PASSWORDS:
                told = _("A table can set at most %(count)d passwords; leave the others empty.")
                found[SECRET] = told % {"count": MAX_PASSWORDS}
            elif problem := why_weak(User(), changes[SECRET]):
                found[SECRET] = problem
        return found

    def state_of(self, record: User) -> str:
        text = repr([getattr(record, name) for name in _READ])
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def prepare(self, drafts: Sequence[Draft]) -> None:
        for draft in drafts:
            if draft.record is None:  # hashing is slow
                self._made[id(draft)] = make_user(draft.changes)

    def hold(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Lock the users and the claims on unique values; return the drafts whose user or values others have taken."""
        claim_all(User)
        changes = [(draft, draft.changes) for draft in drafts]
        texts = {text for _draft, values in changes for name in UNIQUE if (text := values.get(name))}
        self._owners = owners_of(User, sorted(texts))
        self._by_id = _read((draft.record.pk for draft in drafts if draft.record is not None), lock=True)
        others = []
        for draft, values in changes:
            own = draft.record.pk if draft.record is not None else 0
            wanted = [fold(values[name]) for name in UNIQUE if values.get(name)]
            is_taken = any(self._owners.get(text, set()) - {own} for text in wanted)
            now = self._by_id.get(own)
            is_other = bool(own) and (now is None or self.state_of(now) != self.state_of(draft.record))
            if is_taken or is_other:
                others.append(draft)
        return others

    def create(self, drafts: Sequence[Draft]) -> None:
        create_users([self._made[id(draft)] for draft in drafts])

    def change(self, drafts: Sequence[Draft]) -> None:
        change_users([(self._by_id[draft.record.pk], draft.changes) for draft in drafts])


def _wrong_name(name: str) -> str:
    if not name:
        return _("A user needs a name.")
    return _("A name must not contain spaces, control characters or any of ' : \" < > |.")


def _read(numbers: Iterable[int], *, lock: bool = False) -> dict[int, User]:
    wanted, found = sorted(numbers), dict[int, User]()
    for start in range(0, len(wanted), BATCH):
        rows = User.objects.filter(pk__in=wanted[start : start + BATCH]).order_by("pk")
        found |= {user.pk: user for user in (rows.select_for_update() if lock else rows)}
    return found


class UserTables(Tables):
    export_action, import_action = "user.exported", "user.imported"
    import_job = "accounts.import"
    export_left_out = ("avatar_url", "count_of_failed_login", "count_of_writing")

    def may_export(self, request: HttpRequest) -> bool:
        return bool(self.page.allows(request, "export"))

    def table_columns(self, request: HttpRequest) -> list[Column]:
        return user_columns(reading=False)

    def import_columns(self, request: HttpRequest) -> list[Column]:
        return user_columns(reading=True)

    def table_rows(self, records: QuerySet[Any], names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
        for row in records.values("id", *(name for name in names if name != "id")):
            yield row["id"], [to_text(row[name]) for name in names]

    def import_resource(self, request: HttpRequest, choices: Choices) -> UserResource:
        return UserResource(lambda action: bool(self.page.allows(request, action)))

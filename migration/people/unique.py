"""Names, e-mail addresses and mobiles of migrated accounts, which are unique here as `fold` compares them."""

from accounts.models import Account, Administrator, User
from accounts.serializers import AdministratorSerializer, UserSerializer
from accounts.uniqueness import owners_of
from core.lib.folding import fold
from core.rest.serializers import WireSerializer
from migration.context import Context
from migration.people.rows import clear_name
from migration.sources.source import Row
from migration.values import number, text

_SERIALIZERS: dict[type[Account], type[WireSerializer]] = {
    Administrator: AdministratorSerializer,
    User: UserSerializer,
}
_LONGEST_NAME = 235  # leaves room for a number behind it


class Claims:
    """Gives each name, address and mobile of a batch of rows to one account, the first."""

    def __init__(self, kind: type[Account], rows: list[Row], context: Context) -> None:
        texts = {wanted for row in rows for wanted in (*_wanted(row).values(), _numbered(row))}
        self._owners = owners_of(kind, sorted(filter(None, texts)))
        self._kind, self._context = kind, context

    def take(self, row: Row, account_id: int | None, place: str) -> dict[str, str]:
        """Return the texts that the account gets; `account_id` is None for a new one."""
        owner = account_id if account_id is not None else -number(row.get("id"))
        name, *others = _wanted(row).items()
        return {name[0]: self._take_name(row, owner, place)} | {
            column: self._take_other(column, wanted, owner, place) for column, wanted in others
        }

    def _take_name(self, row: Row, owner: int, place: str) -> str:
        wanted, name = text(row.get("username")), clear_name(row)[:_LONGEST_NAME]
        if not name or not self._claim(owner, name):
            name = _numbered(row)
            self._claim(owner, name)
        if name != wanted:
            told = "The name of an account is empty, impossible or taken here; the account got another one."
            self._context.report.find(told, place, f"{wanted[:100]} → {name}")
        if not _SERIALIZERS[self._kind].accepts("userName", name):
            told = "The name of an account has letters that new names may not have; it was kept."
            self._context.report.find(told, place, name)
        return name

    def _take_other(self, column: str, wanted: str, owner: int, place: str) -> str:
        if not wanted or self._claim(owner, wanted):
            return wanted
        told = "An e-mail address or mobile number belongs to an earlier account; this one has none."
        self._context.report.find(told, place, f"{column} {wanted[:100]}")
        return ""

    def _claim(self, owner: int, wanted: str) -> bool:
        owners = self._owners.setdefault(fold(wanted), set())
        if owners - {owner}:
            return False
        owners.add(owner)
        return True


def _wanted(row: Row) -> dict[str, str]:
    return {
        "user_name": clear_name(row)[:_LONGEST_NAME],
        "mobile": text(row.get("mobile")).strip()[:50],
        "email": text(row.get("email")).strip()[:255],
    }


def _numbered(row: Row) -> str:
    return f"{clear_name(row)[:_LONGEST_NAME] or 'account'}-{number(row.get('id'))}"

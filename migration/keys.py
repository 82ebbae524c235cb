"""API keys of SiteServer, which keep their access for CMS_LEGACY_KEY_DAYS."""

from django.db import transaction

from accounts.models import Administrator
from apikeys import tokens
from apikeys.models import ApiKey, LegacyToken
from apikeys.scopes import WRITE, Scope, format_scopes
from core.lib.folding import fold, is_blank
from migration import records
from migration.context import Context
from migration.passwords import decrypt
from migration.people.administrators import TABLE as ADMINISTRATORS
from migration.people.rows import clear_name
from migration.records import Migrated
from migration.report import Outcome
from migration.sources.source import Row
from migration.values import names, number, text

_KEYS = "siteserver_accesstoken"
_KIND = "API keys"
_SCOPES = {
    scope.value.casefold(): scope
    for scope in (Scope.CHANNELS, Scope.CONTENTS, Scope.ADMINISTRATORS, Scope.USERS, Scope.STL)
}
_LONGEST_NAME = 180  # leaves room for a number behind it


def migrate_keys(context: Context) -> None:
    """Carry over API keys if requested, and list the others; after ranks, which limit the rights of keys."""
    owners = _Owners(context)
    for row in context.rows(_KEYS, _KIND):
        key = _Key(row, owners, context)
        with transaction.atomic():
            context.report.add(_KIND, key.store())


class _Owners:
    """Administrators here by the names of the source."""

    def __init__(self, context: Context) -> None:
        targets = records.target_ids(ADMINISTRATORS)
        people = Administrator.objects.get_queryset()
        by_id = people.in_bulk(list(targets.values()))
        self._by_name: dict[str, Administrator] = {}
        for row in context.source.rows(ADMINISTRATORS):
            if owner := by_id.get(targets.get(number(row.get("id")), 0)):
                self._by_name.setdefault(fold(clear_name(row)), owner)
        self._otherwise = people.named(context.options.owner).first() if context.options.owner else None

    def find(self, name: str) -> Administrator | None:
        # An administrator without a name owns no keys without an owner.
        return self._otherwise if is_blank(name) else self._by_name.get(fold(name.strip()), self._otherwise)


class _Key:
    def __init__(self, row: Row, owners: _Owners, context: Context) -> None:
        self._row, self._context = row, context
        self._source_id, self._digest = number(row.get("id")), records.digest_of(row)
        self._name = text(row.get("title")).strip()[:_LONGEST_NAME] or f"key {self._source_id}"
        self._owner = owners.find(text(row.get("adminname")))

    def store(self) -> Outcome:
        known = records.find(_KEYS, [self._source_id]).get(self._source_id)
        if known is not None:
            return self._store_again(known)
        digests = self._token_digests()
        problem = self._problem(digests)
        if problem or self._owner is None:
            told = f"An API key has not been carried over: {problem}. Issue a new one."
            self._tell(told, f"{text(self._row.get('scopes'))}; {text(self._row.get('adminname'))}")
            return Outcome.LEFT_OUT
        name = f"{self._name}-{self._source_id}" if ApiKey.objects.filter(name=self._name).exists() else self._name
        key = ApiKey.objects.adopt(name, self._owner, digests, scopes=self._scopes(self._owner))
        self._tell_reach(self._owner)
        self._context.store(_KEYS, [(self._source_id, key.pk, self._digest)])
        return Outcome.NEW

    def _problem(self, digests: list[str]) -> str:
        if not self._context.options.with_keys:
            return "keys were not asked for"
        if not self._context.options.secret_key:
            return "the secret key of the installation is not known"
        if not digests:
            return "the secret key cannot decrypt it"
        if LegacyToken.objects.filter(digest__in=digests).exists():
            return "an earlier key has the same token"
        return "" if self._owner else "it has no owner"

    def _store_again(self, known: Migrated) -> Outcome:
        key = ApiKey.objects.filter(pk=known.target_id).first()
        if key is None:
            self._tell("An API key has been deleted here; it is not created again.")
            return Outcome.LEFT_OUT
        if known.digest == self._digest or key.revoked_at is not None or self._owner is None:
            return Outcome.UNCHANGED
        key.change({"administrator": self._owner, "scopes": self._scopes(self._owner)})
        self._replace_tokens(key)
        self._context.store(_KEYS, [(self._source_id, key.pk, self._digest)])
        return Outcome.UPDATED

    def _replace_tokens(self, key: ApiKey) -> None:
        """Accept the new token of the source, unless its earlier one was ended here."""
        digests, current = self._token_digests(), set(key.legacy_tokens.values_list("digest", flat=True))
        if current and digests and current != set(digests):
            key.replace_legacy(digests)

    def _token_digests(self) -> list[str]:
        """Return the digests of the texts that SiteServer accepted; none if the token cannot be read."""
        encrypted = text(self._row.get("token")).strip()
        plain = decrypt(encrypted, self._context.options.secret_key)
        if plain is None or not tokens.is_of_siteserver(plain):
            return []
        return [tokens.digest(each) for each in (plain, encrypted) if tokens.is_of_siteserver(each)]

    def _scopes(self, owner: Administrator) -> str:
        granted = {}
        for name in names(self._row.get("scopes")):
            scope = _SCOPES.get(name.casefold())
            if scope is None:
                self._tell("A scope of an API key has no counterpart here.", name)
            elif scope.has_sites or owner.is_superuser:
                granted[scope] = WRITE
            else:
                self._tell("An API key lost a scope that needs a superuser as owner.", name)
        return format_scopes(granted)

    def _tell_reach(self, owner: Administrator) -> None:
        if owner.is_locked_out:
            self._tell("An API key is rejected, since its owner is locked.", owner.user_name)
        if not owner.is_superuser and not owner.reachable_site_ids:
            self._tell("An API key reaches no site, since its owner looks after none.", owner.user_name)

    def _tell(self, sentence: str, detail: str = "") -> None:
        self._context.report.find(sentence, self._name, detail)

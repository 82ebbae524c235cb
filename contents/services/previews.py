"""Links to contents as visitors do not see them yet, for people and websites without a key.

A token is signed, and opens nothing once its maker could not make it: the account, the session's stamp or the key has
ended, or no longer has the right. It names a stored content, whose draft it shows if there is one, or unsaved text of
an administrator (`ContentPreview`). A link to hand on lasts an hour and is recorded; a frame's token a minute.
"""

import secrets
from datetime import timedelta
from hashlib import sha256
from itertools import chain
from typing import Any, NamedTuple

import orjson
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import signing
from django.db import transaction
from django.utils.module_loading import import_string

from contents.models import MAX_LEVEL, Content, ContentPreview
from contents.navigation.page_urls import record_of
from contents.services.drafts import find_draft, overlay
from contents.storing.locking import read_whole
from contents.wire.records import Record
from core import audit
from core.admin.places import places_of
from core.lib import clock
from core.lib.errors import NotFound
from sites.attributes import preview_address
from sites.models import Site

SECONDS = 60 * 60  # of a link
FRAME_SECONDS = 60
_SALT = "contents.previews"
_IN_PERSON = "administrator"
_SHARING = (
    *("contents.change_content", "contents.approve_content"),
    *(f"contents.approve{level}_content" for level in range(1, MAX_LEVEL)),
)
_SEEING = (*_SHARING, "contents.view_content", "contents.add_content")


class Maker(NamedTuple):
    """An administrator with the stamp of their sessions, or the token of a key."""

    kind: str
    number: int
    stamp: str = ""

    @classmethod
    def in_person(cls, user: Any) -> "Maker":
        return cls(_IN_PERSON, user.pk, _stamp(user.get_session_auth_hash()))

    def may_show(self, content: Content, *, to_anyone: bool) -> bool:
        if self.kind != _IN_PERSON:
            may_write: bool = import_string(settings.KEY_RIGHTS)(self.kind, self.number, "Contents", content.site_id)
            return may_write
        user = get_user_model()._default_manager.filter(pk=self.number).first()
        if user is None or not user.is_active:
            return False
        hashes = chain([user.get_session_auth_hash()], user.get_session_auth_fallback_hash())
        if self.stamp not in map(_stamp, hashes):
            return False
        places = places_of(user, *(_SHARING if to_anyone else _SEEING))
        return places.covers(content.site_id, content.channel_path())


class Token(NamedTuple):
    maker: Maker
    site_id: int
    content_id: int = 0
    key: str = ""  # of what is typed
    is_public: bool = False  # without the draft
    seconds: int = FRAME_SECONDS

    def sign(self) -> str:
        return signing.dumps(self, salt=_SALT)

    def require(self, content: Content) -> None:
        """Raise NotFound unless the maker may still show the content."""
        if not self.maker.may_show(content, to_anyone=self.seconds > FRAME_SECONDS):
            raise _ended()


def read_token(text: str, *, even_if_late: bool = False) -> Token:
    """Raises NotFound for a token that is wrong or too old; its maker's rights are checked with the content."""
    try:
        maker, *others = signing.loads(text, salt=_SALT)
        token = Token(Maker(*maker), *others)
        if not even_if_late:
            signing.loads(text, salt=_SALT, max_age=token.seconds)
    except (signing.BadSignature, TypeError, ValueError) as error:
        raise _ended() from error
    return token


def stored_content(site_id: int, content_id: int, *, is_public: bool = False) -> Content:
    """Return the content, by default with the values of its draft. Raises NotFound, also if it is in the trash."""
    content = read_whole(site_id, content_id)
    return content if is_public else overlay(content, find_draft(content))


def content_for(token: Token) -> Content:
    """Return the stored content that the token shows. Raises NotFound."""
    try:
        content = stored_content(token.site_id, token.content_id, is_public=token.is_public)
    except NotFound as error:
        raise _ended() from error
    token.require(content)
    return content


def record_for(token: Token) -> Record:
    """Return the content in the form of the API. Raises NotFound."""
    if not token.key:
        return record_of(content_for(token))
    row = ContentPreview.objects.filter(pk=token.key, ends_at__gt=clock.steady()).first()
    if row is None or not Site.objects.filter(pk=token.site_id).exists():
        raise _ended()
    found: Record = orjson.loads(row.record)
    token.require(Content(site_id=token.site_id, channel_id=found["channelId"]))
    return found


@transaction.atomic
def share(content: Content, maker: Maker, *, is_public: bool = False, seconds: int = SECONDS) -> Token:
    """Return the token of a link to the content, and record in the audit log that there is one."""
    audit.record("content.preview_shared", content, site_id=content.site_id, seconds=seconds)
    return Token(maker, content.site_id, content.pk, is_public=is_public, seconds=seconds)


def keep_typed(content: Content, user: Any, former: str) -> Token:
    """Store the unsaved content, replacing that of the former token if it is the administrator's own."""
    key = _own_key(former, user.pk) or secrets.token_urlsafe(24)
    values = {
        "administrator_id": user.pk,
        "record": orjson.dumps(record_of(content)).decode(),
        "ends_at": clock.steady(timedelta(seconds=SECONDS)),
    }
    ContentPreview.objects.update_or_create(pk=key, defaults=values)
    return Token(Maker.in_person(user), content.site_id, key=key)


def website_address(site: Site, content: Content, token: Token) -> str:
    """Return where the website of the site shows the preview; "" if the site's settings name none."""
    address = preview_address(site)
    places = {"siteId": site.pk, "channelId": content.channel_id, "contentId": max(content.pk, 0)}
    for name, value in {"token": token.sign(), **places}.items():
        address = address.replace(f"{{{name}}}", str(value))
    return address


def page_address(site: Site, content: Content, token: Token) -> str:
    """Return where people see the preview: on the website, or on this service."""
    return website_address(site, content, token) or f"/api/v1/previews/{token.sign()}/page"


def purge_ended() -> int:
    return ContentPreview.objects.filter(ends_at__lte=clock.steady()).delete()[0]


def _own_key(token: str, administrator_id: int) -> str:
    try:
        key = read_token(token, even_if_late=True).key
    except NotFound:
        return ""
    return key if ContentPreview.objects.filter(pk=key, administrator_id=administrator_id).exists() else ""


def _stamp(session_hash: str) -> str:
    return sha256(session_hash.encode()).hexdigest()[:16]


def _ended() -> NotFound:
    return NotFound("preview_ended", "The link to this preview is wrong or has ended.")

"""Links to contents as visitors do not see them yet, for people and websites without a key.

A token is signed and ends after an hour. It names a stored content, of which it shows the draft if there is one, or
what an administrator is typing (`ContentPreview`).
"""

import secrets
from datetime import timedelta
from typing import NamedTuple

import orjson
from django.core import signing
from django.db import transaction

from cms_api import audit
from cms_api.lib import clock
from cms_api.lib.errors import NotFound
from contents.lists.one import record_of
from contents.models import Content, ContentPreview
from contents.services.drafts import find_draft, overlay
from contents.storing.locking import read_whole
from contents.wire.records import Record
from sites.attributes import preview_address
from sites.models import Site

SECONDS = 60 * 60
_SALT = "contents.previews"


class Token(NamedTuple):
    site_id: int
    content_id: int = 0
    key: str = ""  # of what is typed
    is_public: bool = False  # without the draft

    def sign(self) -> str:
        return signing.dumps(self, salt=_SALT)


def read_token(text: str) -> Token:
    """Raises NotFound for a token that is wrong or has ended."""
    try:
        return Token(*signing.loads(text, salt=_SALT, max_age=SECONDS))
    except (signing.BadSignature, TypeError, ValueError) as error:
        raise _ended() from error


def stored_content(token: Token) -> Content:
    """Return the content, by default with the values of its draft. Raises NotFound, also if it is in the trash."""
    try:
        content = read_whole(token.site_id, token.content_id)
    except NotFound as error:
        raise _ended() from error
    return content if token.is_public else overlay(content, find_draft(content))


def record_for(token: Token) -> Record:
    """Return the content in the form of the API. Raises NotFound."""
    if not token.key:
        return record_of(stored_content(token))
    row = ContentPreview.objects.filter(pk=token.key, ends_at__gt=clock.now()).first()
    if row is None:
        raise _ended()
    found: Record = orjson.loads(row.record)
    return found


@transaction.atomic
def share(content: Content) -> Token:
    """Return the token of a link to the content, and record in the audit log that there is one."""
    audit.record("content.preview_shared", content, site_id=content.site_id)
    return Token(content.site_id, content.pk)


def keep_typed(content: Content, administrator_id: int, former: str) -> Token:
    """Store the content as it is typed, in place of the former token's if that is the administrator's own."""
    key = _own_key(former, administrator_id) or secrets.token_urlsafe(24)
    values = {
        "administrator_id": administrator_id,
        "record": orjson.dumps(record_of(content)).decode(),
        "ends_at": clock.now() + timedelta(seconds=SECONDS),
    }
    ContentPreview.objects.update_or_create(pk=key, defaults=values)
    return Token(content.site_id, 0, key)


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
    return ContentPreview.objects.filter(ends_at__lte=clock.now()).delete()[0]


def _own_key(token: str, administrator_id: int) -> str:
    try:
        key = read_token(token).key
    except NotFound:
        return ""
    return key if ContentPreview.objects.filter(pk=key, administrator_id=administrator_id).exists() else ""


def _ended() -> NotFound:
    return NotFound("preview_ended", "The link to this preview is wrong or has ended.")

from collections.abc import Callable
from dataclasses import replace

from django.conf import settings

from core.lib.markup import clean_body
from core.rest.serializers import Members


def clean_members(members: Members, read_stored: Callable[[], str | None] | None = None) -> Members:
    """Clean the body if CMS_CLEAN_API_BODIES is set. Raises InvalidInput.

    A body equal to the stored one is dropped: storing it could overwrite a concurrent change.
    """
    body = members.values.get("content")
    if not settings.CMS_CLEAN_API_BODIES or not body:
        return members
    values = dict(members.values)
    if read_stored is not None and body == read_stored():
        del values["content"]
    else:
        values["content"] = clean_body(body).text
    return replace(members, values=values)

"""Bodies of contents that the API writes, cleaned if CMS_CLEAN_API_BODIES says so; editors' bodies always are."""

from collections.abc import Callable
from dataclasses import replace

from django.conf import settings

from cms_api.rest.cleaning import clean_body
from cms_api.rest.serializers import Members


def cleaned(members: Members, read_stored: Callable[[], str] | None = None) -> Members:
    """The members of a request to the API, the body cleaned if the settings want it. Raises InvalidInput.

    A body that is the stored one is left out, and stays as it is: clients send back whole records to change one member
    of them. It is not stored once more, since somebody may be storing another one right now.
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

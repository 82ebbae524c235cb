"""Bodies of contents that the API writes, cleaned if CMS_CLEAN_API_BODIES says so; editors' bodies always are."""

from dataclasses import replace

from django.conf import settings

from cms_api.rest.cleaning import clean_body
from cms_api.rest.serializers import Members


def cleaned(members: Members) -> Members:
    """The members of a request to the API, the body cleaned if the settings want it. Raises BadRequest."""
    if not settings.CMS_CLEAN_API_BODIES or not members.values.get("content"):
        return members
    return replace(members, values=members.values | {"content": clean_body(members.values["content"]).text})

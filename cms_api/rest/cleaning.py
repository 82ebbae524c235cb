"""Texts in HTML that editors write, cleaned by the settings; what cannot be cleaned raises a ServiceError."""

from django.conf import settings

from cms_api.lib import markup
from cms_api.lib.errors import InvalidInput
from cms_api.lib.markup import Cleaned, UnfitMarkup


def clean_body(text: str) -> Cleaned:
    """The text by the list. Raises InvalidInput (`data_picture`, `nested_too_deeply`, `too_much_markup`)."""
    try:
        return markup.clean(text, embed_hosts=settings.CMS_EMBED_HOSTS)
    except UnfitMarkup as error:
        raise InvalidInput(error.code, str(error), member="content") from error

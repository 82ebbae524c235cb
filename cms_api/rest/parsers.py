"""Reads bodies."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser

from cms_api.rest.errors import BadRequest
from cms_api.rest.json import Unreadable, load_object


class ObjectParser(BaseParser):
    """A JSON object, whatever the Content-Type and its charset say; anything else is 400."""

    media_type = "*/*"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The members of the body; raises BadRequest."""
        # Django's body property keeps to CMS_MAX_BODY_BYTES.
        body = stream.body if hasattr(stream, "body") else stream.read()
        try:
            return load_object(body)
        except Unreadable as error:
            raise BadRequest(error.code, str(error)) from error

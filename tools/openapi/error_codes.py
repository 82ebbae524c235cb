"""Collects the error codes of the API, the values of `code` in error responses, with statuses, meaning and remedy.

While /api/v1 exists, a code keeps its meaning and is never removed; new codes may be added. The reference documentation
and the error codes in the OpenAPI document are generated from this table.
"""

from collections.abc import Mapping
from itertools import chain

import accounts.error_codes
import apikeys.error_codes
import channels_app.error_codes
import cms_api.error_codes
import comments.error_codes
import contents.error_codes
import core.openapi.error_codes
import events.error_codes
import forms.error_codes
import media_library.error_codes
import sites.error_codes
import webhooks.error_codes
from core.openapi.error_code import ErrorCode

_LISTS = (
    accounts.error_codes.ERROR_CODES,
    apikeys.error_codes.ERROR_CODES,
    channels_app.error_codes.ERROR_CODES,
    cms_api.error_codes.ERROR_CODES,
    contents.error_codes.ERROR_CODES,
    core.openapi.error_codes.ERROR_CODES,
    events.error_codes.ERROR_CODES,
    comments.error_codes.ERROR_CODES,
    forms.error_codes.ERROR_CODES,
    media_library.error_codes.ERROR_CODES,
    sites.error_codes.ERROR_CODES,
    webhooks.error_codes.ERROR_CODES,
)
ERROR_CODES: Mapping[str, ErrorCode] = {code.word: code for code in sorted(chain.from_iterable(_LISTS))}


def rows() -> list[tuple[str, str, str, str]]:
    """Return the rows of the table in the documentation (code, statuses, meaning, remedy), sorted by code."""
    return [(code.word, ", ".join(map(str, code.statuses)), code.meaning, code.remedy) for code in ERROR_CODES.values()]

"""As in English, except for formats with words and for numbers."""

from cms_api.formats.en.formats import *  # noqa: F403

MONTH_DAY_FORMAT = "j. F"
DECIMAL_SEPARATOR = ","
THOUSAND_SEPARATOR = "."
DATE_INPUT_FORMATS = ["%Y-%m-%d", "%d.%m.%Y"]

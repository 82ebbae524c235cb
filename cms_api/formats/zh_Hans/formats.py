"""As in English, except for formats with words."""

from cms_api.formats.en.formats import *  # noqa: F403

MONTH_DAY_FORMAT = "n月j日"
YEAR_MONTH_FORMAT = "Y年n月"
DATE_INPUT_FORMATS = ["%Y-%m-%d", "%Y/%m/%d", "%Y年%m月%d日"]

"""Parameters that the elements below /stl/ have in common, for the OpenAPI document."""

from cms_api.openapi.describing import Codes, Parameter, Schema, nullable, value_of
from cms_api.stl.order import MAX_COLUMNS
from cms_api.stl.where import MAX_CHARACTERS
from cms_api.stl.words import ELLIPSIS

TAG = "Template values"
_FLAG = "true or false; what is neither counts as"


def flag(name: str, description: str, otherwise: str = "false") -> Parameter:
    """A parameter that is true or false."""
    return Parameter(name, f"{description} {_FLAG} {otherwise}. Default: false.")


SITE_ID = Parameter(
    "siteId", "Number of the site, in digits. Without it siteDir chooses, and else it is the root site."
)
SITE_DIR = Parameter(
    "siteDir", "Folder of the site, in any letter case; a site below another may be given as parent/child."
)
SITE = (SITE_ID, SITE_DIR)
TYPE = "Which value is wanted, as one text; without it the answer is the whole record."

SHAPING = (
    Parameter(
        "wordNum", "How much of the text, in Chinese characters; a Latin letter counts as a half. 0 and default: all."
    ),
    Parameter("ellipsis", f"What is put behind a text that wordNum has cut. Default: {ELLIPSIS}"),
    Parameter("startIndex", "From which character on, counted from 0, the text is taken. Default: 0."),
    Parameter("length", "How many characters of the text are taken. 0 and default: all to the end."),
    Parameter(
        "replace",
        "What is replaced in the text: a text, several with commas between, or a regular expression between slashes.",
    ),
    Parameter("to", "What comes in its place. Default: nothing, so that it is taken away."),
    flag("isClearTags", "Whether markup is taken away and the text inside it kept:"),
    flag("isReturnToBr", "Whether line ends become <br />; of a content's summary the default is true:"),
    flag("isLower", "Whether capital letters become small ones:", "true"),
    flag("isUpper", "Whether small letters become capitals:", "true"),
    Parameter("leftText", "What stands before the text, unless there is none. Default: nothing."),
    Parameter("rightText", "What stands behind the text, unless there is none. Default: nothing."),
)
FORMAT = Parameter(
    "formatString", "How a date is written, such as yyyy-MM-dd HH:mm or yyyy年M月d日. Default: 2026-11-20 09:30:00."
)
WHERE = Parameter(
    "where",
    "A condition on columns, such as hits > 10 AND (title LIKE '%harbour%' OR isTop = TRUE): names, values, "
    f"comparisons, LIKE, IN, IS NULL, AND, OR, NOT. At most {MAX_CHARACTERS:,} characters. Default: no condition.",
)
WINDOW = (
    Parameter("totalNum", "How many records at most. 0 and default: all."),
    Parameter("startNum", "From which record on, counted from 1. Default: 1."),
)
ORDER = f"or up to {MAX_COLUMNS} columns: hits DESC, id."
SCOPE = "Self, Children, SelfAndChildren, Descendant (all below) or All (itself and all below), in any letter case."
SHAPING_CODES = ("bad_pattern", "invalid_value", "pattern_too_slow", "result_too_large", "site_not_found")
LIST_CODES = ("bad_order", "bad_where", "invalid_value", "site_not_found", "unknown_column")
NOT_ALLOWED: Codes = {401: ("site_not_allowed",)}


def value_or_text(schema: Schema) -> Schema:
    """A record, null where there is none, or with `type` a text."""
    whole = nullable(schema)
    whole["anyOf"].append({"type": "string"})
    return value_of(whole, "The record, or null where there is none; with type a text.")

"""Parameters that the elements below /stl/ have in common, for the OpenAPI document."""

from cms_api.openapi.describing import Codes, Parameter, Schema, nullable, value_of
from cms_api.openapi.schemas import COUNT, FLAG, ID, TEXT, one_of
from cms_api.stl.dates import MAX_FORMAT
from cms_api.stl.order import MAX_COLUMNS
from cms_api.stl.where import MAX_CHARACTERS, MAX_DEPTH, MAX_RULES
from cms_api.stl.words import ELLIPSIS

TAG = "Template values"


def flag(name: str, description: str, otherwise: str = "false") -> Parameter:
    """A parameter that is true or false; of what is neither, the original takes one or the other."""
    return Parameter(name, f"{description} true or false; what is neither counts as {otherwise}. Default: false.", FLAG)


SITE_ID = Parameter(
    "siteId",
    "Number of the site; less than 1 counts as not sent. Default: the site of siteDir, and without that the root site.",
    ID,
)
SITE_DIR = Parameter(
    "siteDir",
    "Folder of the site, in any letter case; a site below another may be given as parent/child. Default: the site of "
    "siteId.",
    TEXT,
)
SITE = (SITE_ID, SITE_DIR)
TYPE = "The value to return, as text. Default: the record."


def shaping(*, of_content: bool = False) -> tuple[Parameter, ...]:
    """The parameters of texts; on contents, other words than true and false count otherwise."""
    otherwise = "true" if of_content else "false"
    summary = ", but of a summary true" if of_content else ""
    return (
        Parameter(
            "wordNum",
            "How much of the text, in Chinese characters; a Latin letter counts as a half. 0 is all. Default: 0.",
            COUNT,
        ),
        Parameter("ellipsis", f"What is put behind a text that wordNum has cut. Default: {ELLIPSIS}", TEXT),
        Parameter(
            "startIndex",
            "From which character on the text is taken, counted from 0 in units of UTF-16. Default: 0.",
            COUNT,
        ),
        Parameter(
            "length",
            "How many characters are taken, in units of UTF-16; 0 is all to the end, and so is all of the text where "
            "it has not as many. Default: 0.",
            COUNT,
        ),
        Parameter(
            "replace",
            "What is replaced in the text: a text, several with commas between, or a regular expression between "
            "slashes. Default: nothing.",
            TEXT,
        ),
        Parameter("to", "What comes in its place. Default: nothing, so that it is taken away.", TEXT),
        flag("isClearTags", "Whether markup is taken away and the text inside it kept:", otherwise),
        Parameter(
            "isReturnToBr",
            f"Whether line ends become <br />: true or false; what is neither counts as {otherwise}. Default: "
            f"false{summary}.",
            FLAG,
        ),
        flag("isLower", "Whether capital letters become small ones:", "true"),
        flag("isUpper", "Whether small letters become capitals, after isLower:", "true"),
        Parameter("leftText", "What stands before the text, unless there is none. Default: nothing.", TEXT),
        Parameter("rightText", "What stands behind the text, unless there is none. Default: nothing.", TEXT),
    )


SHAPING = shaping()
FORMAT = Parameter(
    "formatString",
    f"How a date is written, such as yyyy-MM-dd HH:mm or yyyy年M月d日. At most {MAX_FORMAT} characters. Default: "
    "2026-11-20 09:30:00.",
    {"type": "string", "maxLength": MAX_FORMAT},
)
WHERE = Parameter(
    "where",
    "A condition on columns, such as hits > 10 AND (title LIKE '%harbour%' OR isTop = TRUE): names, values, "
    f"comparisons, LIKE, IN, IS NULL, AND, OR, NOT. At most {MAX_CHARACTERS:,} characters, {MAX_RULES} comparisons "
    f"and {MAX_DEPTH} levels. Default: no condition.",
    {"type": "string", "maxLength": MAX_CHARACTERS},
)
WINDOW = (
    Parameter("totalNum", "How many records at most; 0 is all. Default: 0.", COUNT),
    Parameter("startNum", "From which record on, counted from 1; 0 counts as 1. Default: 1.", COUNT),
)
ORDER = f"or up to {MAX_COLUMNS} columns: hits DESC, id."
SCOPE = (
    "Self, Children, SelfAndChildren, Descendant (all below) or All (itself and all below), in any letter case; "
    "anything else counts as Self."
)
SCOPES = one_of("Self", "Children", "SelfAndChildren", "Descendant", "All")
SHAPING_CODES = ("bad_pattern", "invalid_value", "pattern_too_slow", "result_too_large", "site_not_found")
LIST_CODES = ("bad_order", "bad_where", "invalid_value", "site_not_found", "unknown_column")
NOT_ALLOWED: Codes = {401: ("site_not_allowed",)}


def value_or_text(schema: Schema) -> Schema:
    """A record, null where there is none, or with `type` a text."""
    whole = nullable(schema)
    whole["anyOf"].append({"type": "string"})
    return value_of(whole, "The record, or null where there is none; with type a text.")

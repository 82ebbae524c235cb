from core.openapi.describing import Codes, Parameter, Schema, nullable, value_of
from core.openapi.schemas import COUNT, FLAG, ID, TEXT, one_of
from core.stl.dates import MAX_FORMAT
from core.stl.truncation import ELLIPSIS
from core.stl.where import MAX_CHARACTERS, MAX_COLUMNS, MAX_DEPTH, MAX_RULES

TAG = "Template values"
_INVALID = {"false": " (also if invalid)", "true": "; invalid values count as true"}


def flag(name: str, description: str, otherwise: str = "false") -> Parameter:
    """Describe a parameter that is true or false; SiteServer reads any other value as one of them."""
    return Parameter(name, f"{description} Default: false{_INVALID[otherwise]}.", FLAG)


SITE_ID = Parameter(
    "siteId",
    "Id of the site; less than 1 is ignored. Default: the site of siteDir, or the root site.",
    ID,
)
SITE_DIR = Parameter(
    "siteDir",
    "Folder of the site, in any letter case, or parent/child for a child site. Default: the site of siteId.",
    TEXT,
)
SITE = (SITE_ID, SITE_DIR)
TYPE = "Value to return as text:"


def shaping(*, of_content: bool = False) -> tuple[Parameter, ...]:
    """Describe the text parameters; on contents, values other than true and false count as true."""
    otherwise = "true" if of_content else "false"
    summary = ", but true for a summary" if of_content else ""
    return (
        Parameter(
            "wordNum",
            "Maximum length in Chinese characters; Latin letters count half. Default: 0, no limit.",
            COUNT,
        ),
        Parameter("ellipsis", f"Suffix of a text cut by wordNum. Default: {ELLIPSIS}", TEXT),
        Parameter(
            "startIndex",
            "First character, from 0, in UTF-16 units. Default: 0.",
            COUNT,
        ),
        Parameter(
            "length",
            "Number of UTF-16 units from startIndex; a text that is too short is returned whole. Default: 0 "
            "for the rest.",
            COUNT,
        ),
        Parameter(
            "replace",
            "Text, comma-separated texts, or /regular expression/ to replace. Default: none.",
            TEXT,
        ),
        Parameter("to", "Replacement for replace. Default: empty, which removes the match.", TEXT),
        flag("isClearTags", "Removes tags and keeps their text.", otherwise),
        Parameter(
            "isReturnToBr",
            f"Turns line ends into <br />. Default: false{summary}{_INVALID[otherwise]}.",
            FLAG,
        ),
        flag("isLower", "Converts the text to lower case.", "true"),
        flag("isUpper", "Converts the text to upper case, after isLower.", "true"),
        Parameter("leftText", "Prefix of a nonempty text. Default: none.", TEXT),
        Parameter("rightText", "Suffix of a nonempty text. Default: none.", TEXT),
    )


SHAPING = shaping()
FORMAT = Parameter(
    "formatString",
    f"Date format, such as yyyy-MM-dd HH:mm or yyyy年M月d日. At most {MAX_FORMAT} characters. Default: 2026-11-20 "
    "09:30:00.",
    {"type": "string", "maxLength": MAX_FORMAT},
)
WHERE = Parameter(
    "where",
    "Condition on columns, such as hits > 10 AND (title LIKE '%harbour%' OR isTop = TRUE): names, values, "
    f"comparisons, LIKE, IN, IS NULL, AND, OR, NOT. At most {MAX_CHARACTERS:,} characters, {MAX_RULES} "
    f"comparisons, {MAX_DEPTH} levels. Default: none.",
    {"type": "string", "maxLength": MAX_CHARACTERS},
)
WINDOW = (
    Parameter("totalNum", "Maximum number of records. Default: 0 for all.", COUNT),
    Parameter("startNum", "First record, from 1; 0 counts as 1. Default: 1.", COUNT),
)
ORDER = f"or up to {MAX_COLUMNS} columns: hits DESC, id."
SCOPE = "Descendant means all levels below, All adds the channel itself. In any letter case; others count as Self."
SCOPES = one_of("Self", "Children", "SelfAndChildren", "Descendant", "All")
SHAPING_CODES = ("bad_pattern", "invalid_value", "pattern_too_slow", "result_too_large", "site_not_found")
LIST_CODES = ("bad_order", "bad_where", "invalid_value", "site_not_found", "unknown_column")
NOT_ALLOWED: Codes = {401: ("site_not_allowed",)}


def value_or_text(schema: Schema) -> Schema:
    whole = nullable(schema)
    whole["anyOf"].append({"type": "string"})
    return value_of(whole, "The record, null or text.")

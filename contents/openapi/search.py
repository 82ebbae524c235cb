"""OpenAPI of the search."""

from channels_app.openapi.channels import CHANNEL_ID, SITE_ID
from contents.lists.facets import FACETS, MOST_VALUES
from contents.lists.found import SUGGESTIONS
from contents.openapi.get_lists import CUSTOM, NARROWED, OF_SITE, WINDOW, filters_without
from contents.openapi.single import CHOSEN, FIELDS, TAG
from contents.searching import MOST_HIGHLIGHTS
from core.openapi.describing import PAGE_ADDRESSES, Described, Parameter, Schema, list_of, nullable, record, ref
from core.openapi.schemas import ASKED_ID, COUNT, ID, TEXT, in_any_case
from search.ranking import MOST_COUNTED
from search.words import MAX, MAX_QUERY

_FACET = f"({'|'.join(map(in_any_case, FACETS))})"
_QUERY = Parameter(
    "q",
    "Words to find, all of them; a text without words finds nothing. The beginning of a word suffices, in any letter "
    'case and without accents. Chinese, Japanese and Korean need no blanks. A "phrase" stands in quotation marks, '
    "-word leaves out; tag:, author:, in: (a channel with all below it, by name or index name) and site: narrow the "
    f"search. The first {MAX} words of the first {MAX_QUERY} characters count.",
    TEXT | {"minLength": 1},
    is_required=True,
)
_SITE = Parameter("siteId", SITE_ID.description, ID | {"minimum": 1}, is_required=True)
_PLACE = (
    Parameter("channelId", f"{CHANNEL_ID.description} Default: the whole site.", ASKED_ID),
    Parameter(
        "cursor",
        "Replaces skip: empty for the first page, then nextCursor of the previous response. New contents do not "
        "shift later pages. Default: pages by number.",
        TEXT,
    ),
    Parameter(
        "facets",
        f"What to count the matches by, comma-separated: {', '.join(FACETS)}. Default: nothing.",
        {"type": "string", "pattern": rf"^(\s*{_FACET}\s*(,\s*{_FACET}\s*)*)?$"},
    ),
)
_HIGHLIGHT = record(
    {
        "member": {"type": "string", "description": "Name of the content's member."},
        "text": {"type": "string", "description": "A piece of it, without markup."},
        "marked": {"type": "string", "description": "The piece as HTML, with the words in `<mark>`."},
        "positions": {
            "type": "array",
            "description": "Start and end of each word in `text`, in characters (Unicode code points).",
            "items": {
                "type": "array",
                "description": "Start and end of a word.",
                "items": COUNT,
                "minItems": 2,
                "maxItems": 2,
            },
        },
    }
)
_FOUND = record(
    {
        "content": CHOSEN | {"description": "The content, or its members that `fields` names."},
        "highlights": list_of(ref("Highlight"))
        | {"description": f"Up to {MOST_HIGHLIGHTS} members that have any of the words."},
    }
)


def _facet(name: str, value: Schema, meaning: str) -> Schema:
    counted = record(
        {
            "value": value | {"description": "Id, name or year that the matches have."},
            "name": {"type": "string", "description": "Name to show to people."},
            "count": COUNT | {"minimum": 1, "description": "Number of matches that have it."},
        }
    )
    return list_of(counted) | {"description": f"Matches by {name}: {meaning}"}


_MOST = f"the {MOST_VALUES} most frequent first."
_FACETS = record(
    {
        "counted": COUNT | {"description": f"Number of matches that were counted: the newest {MOST_COUNTED:,}."},
        "channel": _facet("channel", ID, f"ids of channels, {_MOST}"),
        "tag": _facet("tag", {"type": "string"}, f"tags, {_MOST}"),
        "group": _facet("group", {"type": "string"}, f"content groups, {_MOST}"),
        "year": _facet("year", COUNT, f"years of addDate, {_MOST}"),
    },
    required=["counted"],
)
_SUGGESTION = record(
    {
        "id": ID | {"description": "Id of the content."},
        "channelId": ID | {"description": "Id of its channel."},
        "title": {"type": "string", "description": "Title of the content."},
    }
)
_CODES = ("channel_not_found", "duplicate_member", "invalid_value", "missing_member", "query_too_slow")

SCHEMAS: dict[str, Schema] = {
    "Highlight": _HIGHLIGHT,
    "FoundContent": _FOUND,
    "Facets": _FACETS,
    "Suggestion": _SUGGESTION,
}
OPERATIONS = (
    Described(
        method="GET",
        path="/search",
        id="searchContents",
        tag=TAG,
        description="Finds contents of a site by the words of their titles, subtitles, summaries, tags, authors, texts "
        "and custom fields, best first: words in the title, then words side by side, then how often a text has them "
        "and how new it is. Only approved contents unless isChecked is sent. Filters are those of GET "
        "/contents/{siteId}; all must match; orderBy and include have no effect. While the index is built, titles "
        "alone are searched, and cursors are refused.",
        success="The contents of the page with marked pieces of their texts, and the total.",
        answer=record(
            {
                "value": list_of(ref("FoundContent")) | {"description": "The contents of the page, best first."},
                "count": ID
                | {
                    "minimum": 0,
                    "maximum": MOST_COUNTED,
                    "description": f"Number of matching contents on all pages, counted up to {MOST_COUNTED:,}.",
                },
                "isCountExact": {"type": "boolean", "description": "False if there are more contents than `count`."},
                **PAGE_ADDRESSES,
                "nextCursor": nullable({"type": "string"})
                | {"description": "Cursor of the next page, null on the last one; only with `cursor`."},
                "didYouMean": {
                    "type": "string",
                    "description": "The query with misspelled words corrected, if nothing was found and this query "
                    "finds something; only on the first page.",
                },
                "facets": ref("Facets") | {"description": "Counts by `facets`; only with that parameter."},
            },
            required=["value", "count", "isCountExact"],
        ),
        parameters=(
            _QUERY,
            _SITE,
            *_PLACE,
            *filters_without({"siteId", "channelId"}),
            *OF_SITE,
            *NARROWED,
            FIELDS,
            *WINDOW,
            *CUSTOM,
        ),
        codes={
            400: (
                *_CODES,
                "invalid_cursor",
                "page_too_large",
                "site_not_found",
                "too_many_entries",
                "unknown_column",
            )
        },
    ),
    Described(
        method="GET",
        path="/search/suggestions",
        id="suggestContents",
        tag=TAG,
        description="Returns approved contents of a site with the words in their titles, to show while someone types.",
        success=f"Up to {SUGGESTIONS} contents, best first, each title once.",
        answer=record({"value": list_of(ref("Suggestion")) | {"description": "The contents, best first."}}),
        parameters=(_QUERY, _SITE),
        codes={400: ("duplicate_member", "invalid_value", "missing_member", "query_too_slow", "site_not_found")},
        headers=("Cache-Control",),
    ),
)

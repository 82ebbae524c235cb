"""One-sentence descriptions of elements, attributes and entities, and the attributes that several elements share."""

from collections.abc import Mapping
from dataclasses import dataclass, field

# Have no effect on pages that the service renders; never become attributes of HTML.
WITHOUT_EFFECT = frozenset({"isdynamic", "maxpage", "autohide", "isloadvalues"})


def _(text: str) -> str:
    """Mark a text for translation, which is up to those who show it."""
    return text


@dataclass(frozen=True)
class AttributeWords:
    summary: str
    values: tuple[str, ...] = ()  # if it is a choice; in any letter case


Attributes = Mapping[str, AttributeWords]


@dataclass(frozen=True)
class ElementWords:
    name: str
    summary: str
    attributes: Attributes = field(default_factory=dict)
    passes_on: bool = False  # other attributes become those of the HTML tag
    filters: bool = False  # attributes with the names of fields of contents choose contents
    parents: tuple[str, ...] = ()  # its parent elements, if it has no meaning elsewhere


@dataclass(frozen=True)
class EntityWords:
    summary: str
    names: Mapping[str, str]


def described(**words: str | tuple[str, ...]) -> dict[str, AttributeWords]:
    """Return attributes with their summaries, or with a tuple of summary and values."""
    return {
        name: AttributeWords(text) if isinstance(text, str) else AttributeWords(text[0], text[1:])
        for name, text in words.items()
    }


def folded(words: ElementWords) -> frozenset[str]:
    """Return the names in lower case of the attributes that are not passed on."""
    return frozenset(map(str.lower, words.attributes)) | WITHOUT_EFFECT


CHANNEL = described(
    channelIndex=_("The channel with this index."),
    channelName=_("The channel with this name; those below the current channel come first."),
    parent=(_("The channel above."), "true", "false"),
    upLevel=_("The channel this many levels up."),
    topLevel=_("The channel above at this depth; 0 is the home channel."),
)
CONTEXT = described(
    context=(
        _("The record that inner elements refer to, instead of that of the page or list around them."),
        *("Content", "Channel", "Each", "SqlContent", "InputContent", "Site", "Undefined"),
    )
)
SHAPE = described(
    leftText=_("Text before the value, unless the value is empty."),
    rightText=_("Text after the value, unless the value is empty."),
    formatString=_("The format of a date, such as `yyyy-MM-dd`."),
    separator=_("The text between several chosen values. Default: a comma."),
    startIndex=_("The number of characters left out at the start."),
    length=_("The number of characters shown from there on."),
    wordNum=_("The maximum length in Chinese characters; Latin letters count half."),
    ellipsis=_("The text after one that `wordNum` cut. Default: `...`."),
    replace=_("The text or regular expression to replace."),
    to=_("The replacement."),
    isClearTags=(_("Remove HTML tags."), "true", "false"),
    isReturnToBr=(_("Show line ends as line breaks."), "true", "false"),
    isLower=(_("Show lower-case letters."), "true", "false"),
    isUpper=(_("Show upper-case letters."), "true", "false"),
)
WINDOW = described(
    startNum=_("The number of the first item, counted from 1."),
    totalNum=_("The maximum number of items; 0 means all."),
)
TABLE = described(
    layout=(_("Show the list as an HTML table."), "Table"),
    columns=_("The number of columns; it also makes the list a table."),
    direction=(
        _("The order of the cells; it also makes the list a table. Default for several columns: `Horizontal`."),
        *("Horizontal", "Vertical"),
    ),
    width=_("The width of the table. Default: `100%`."),
    height=_("The height of the table."),
    align=_("The alignment of the table."),
    cellPadding=_("The space inside the cells."),
    cellSpacing=_("The space between the cells."),
    itemWidth=_("The width of the cells."),
    itemHeight=_("The height of the cells."),
    itemAlign=_("The horizontal alignment in the cells."),
    itemVerticalAlign=_("The vertical alignment in the cells."),
    itemClass=_("The class of the cells."),
) | {"class": AttributeWords(_("The class of the table."))}
SITES = described(
    siteName=_("The site with this name."),
    siteDir=_("The site with this folder."),
    siteIds=_("The sites with these IDs, separated by commas."),
)
PAGES = described(pageNum=_("The number of items on a page; 0 means all."))
_SCOPES = ("Self", "Children", "SelfAndChildren", "Descendant", "All")
SCOPE = described(
    scope=(_("The channels covered, seen from the selected one. Default: `Self`, for `channels` `Children`."), *_SCOPES)
)
LIST = SCOPE | described(
    isAllChildren=(_('All channels below the selected one, as with `scope="Descendant"`.'), "true", "false"),
    isImage=(_("Only items with a picture, or only those without."), "true", "false"),
    where=_("A condition, as in a WHERE clause."),
)
ENTRY_LIST = (
    described(
        inputName=_("The name of the form. Without it, the newest form of the site."),
        isReply=(_("Only entries with a reply, or only those without."), "true", "false"),
        order=(
            _("The order. Default: the newest first."),
            *("Default", "Back", "AddDate", "AddDateBack"),
        ),
    )
    | WINDOW
    | TABLE
)
CONTENT_LIST = (
    CHANNEL
    | LIST
    | described(
        order=(
            _("The order: a keyword, or columns as in an ORDER BY clause. Default: the order in the admin."),
            *("Default", "Back", "AddDate", "AddDateBack", "LastEditDate", "LastEditDateBack"),
            *("Hits", "HitsByDay", "HitsByWeek", "HitsByMonth", "Random"),
        ),
        groupChannel=_("Only content items of channels in this group."),
        groupChannelNot=_("Only content items of channels outside this group."),
        groupContent=_("Only content items in one of these groups, separated by commas."),
        groupContentNot=_("Only content items in none of these groups."),
        group=_("The same as `groupContent`."),
        groupNot=_("The same as `groupContentNot`."),
        tags=_("Only content items with one of these tags, separated by commas or blanks."),
        isTop=(_("Only pinned content items, or only others."), "true", "false"),
        isRecommend=(_("Only recommended content items, or only others."), "true", "false"),
        isHot=(_("Only hot content items, or only others."), "true", "false"),
        isColor=(_("Only highlighted content items, or only others."), "true", "false"),
        isVideo=(_("Only content items with a video, or only those without."), "true", "false"),
        isFile=(_("Only content items with a file, or only those without."), "true", "false"),
        isRelatedContents=(_("Only content items that share a tag with the current one."), "true", "false"),
        isNoDup=(_("Of content items with the same title, only the first stored."), "true", "false"),
    )
    | WINDOW
    | TABLE
)
CHANNEL_LIST = (
    CHANNEL
    | LIST
    | described(
        order=(
            _("The order: a keyword, or columns as in an ORDER BY clause. Default: the order in the admin."),
            *("Default", "Back", "AddDate", "AddDateBack", "Hits", "Random"),
        ),
        groupChannel=_("Only channels in one of these groups, separated by commas."),
        groupChannelNot=_("Only channels in none of these groups."),
        isTotal=(_("All channels of the site."), "true", "false"),
    )
    | WINDOW
    | TABLE
)

"""Members of a channel's settings object, `additional` and `attributes` on the wire."""

from typing import Any

from core.rest.attributes import STORED_ONLY, Attribute, AttributeKind, AttributeRegistry
from core.rest.fields import INT64_MAX
from sites.attributes import COMMENT_WRITERS

# In the order of SiteServer's numbers; packages write the names.
TRANS_TYPES = ("None", "SelfSite", "SpecifiedSite", "ParentSite", "AllParentSite", "AllSite")
TRANS_DONE_TYPES = ("Copy", "Cut", "Reference", "ReferenceContent")
TAXIS_TYPES = (
    "OrderById",
    "OrderByIdDesc",
    "OrderByChannelId",
    "OrderByChannelIdDesc",
    "OrderByAddDate",
    "OrderByAddDateDesc",
    "OrderByLastEditDate",
    "OrderByLastEditDateDesc",
    "OrderByTaxis",
    "OrderByTaxisDesc",
    "OrderByHits",
    "OrderByHitsByDay",
    "OrderByHitsByWeek",
    "OrderByHitsByMonth",
    "OrderByRandom",
)
CHANNELS, CONTENTS, PAGES, TRANSFER = "Child channels", "Contents", "Pages", "Transfer"  # groups in the admin


def _switch(
    name: str, default: bool, group: str, label: str, help_text: str, former_names: tuple[str, ...] = ()
) -> Attribute:
    return Attribute(
        name=name,
        kind=AttributeKind.BOOLEAN,
        default=default,
        group=group,
        label=label,
        help_text=help_text,
        former_names=former_names,
    )


def _text(name: str, group: str, label: str, help_text: str) -> Attribute:
    return Attribute(
        name=name, kind=AttributeKind.TEXT, default="", max_length=20_000, group=group, label=label, help_text=help_text
    )


def _number(name: str, default: int, label: str, help_text: str, **allowed: Any) -> Attribute:
    return Attribute(
        name=name,
        kind=AttributeKind.INTEGER,
        default=default,
        group=TRANSFER,
        label=label,
        help_text=help_text,
        **allowed,
    )


REGISTRY = AttributeRegistry([
    _switch("isChannelAddable", True, CHANNELS, "Channels may be added below", "Channels may be added below this one."),
    _switch("isContentAddable", True, CONTENTS, "Content items may be added",
            "Content items may be added; otherwise, creating one is rejected."),
    _switch("isChannelCreatable", True, PAGES, "The channel has a page",
            "The channel has a page of its own."),
    _switch("isContentCreatable", True, PAGES, "Its content items have pages",
            "The channel's content items have pages of their own."),
    _switch("isCreateChannelIfContentChanged", True, PAGES, "Update its page when a content item changes",
            f"The page is regenerated when a content item changes. {STORED_ONLY}"),
    _text("createChannelIDsIfContentChanged", PAGES, "Further pages to update",
          f"IDs of further channels whose pages are regenerated, comma-separated. {STORED_ONLY}"),
    _text("contentAttributesOfDisplay", CONTENTS, "Further columns in lists",
          f"Further columns in an admin's lists of content items, comma-separated. {STORED_ONLY}"),
    _number("transType", 5, "Content items may go to", f"Where content items may be transferred to. {STORED_ONLY}",
            choices=tuple(enumerate(TRANS_TYPES))),
    _number("transSiteId", 0, "ID of that site", f"The site for transType 2, 0 for none. {STORED_ONLY}",
            minimum=0, maximum=INT64_MAX),
    _text("transChannelIds", TRANSFER, "Channel IDs",
          f"IDs of the channels that content items go to, comma-separated. {STORED_ONLY}"),
    _text("transChannelNames", TRANSFER, "Names of the channels",
          f"Names of the channels that content items go to, comma-separated. {STORED_ONLY}"),
    _switch("transIsAutomatic", False, TRANSFER, "As soon as they are approved",
            f"Content items are transferred when they are approved. {STORED_ONLY}"),
    _number("transDoneType", 0, "How content items go there", f"How content items are transferred. {STORED_ONLY}",
            choices=tuple(enumerate(TRANS_DONE_TYPES))),
    _switch("isPreviewContents", False, CONTENTS, "Previews of content items",
            f"The channel has previews of content items. {STORED_ONLY}", ("isPreviewContentsExists",)),
    Attribute(
        name="comments",
        kind=AttributeKind.TEXT,
        default="",
        group=CONTENTS,
        label="Who may comment",
        help_text="Who may comment on content items of the channel and of those below; empty: as above.",
        choices=(("", "As above"), *COMMENT_WRITERS),
        is_hidden=True,
    ),
    Attribute(
        name="defaultTaxisType",
        kind=AttributeKind.TEXT,
        default="OrderByTaxisDesc",
        group=CONTENTS,
        label="Order of content items",
        help_text="The order of the channel's content items; pinned ones come first, except in the orders by views.",
        choices=tuple((name, name) for name in TAXIS_TYPES),
    ),
])  # fmt: skip

CHANNEL_ATTRIBUTES = REGISTRY.by_folded_name


def channel_attributes(settings: dict[str, Any]) -> dict[str, Any]:
    values = REGISTRY.values(settings)
    del values["comments"]  # unknown to SiteServer
    return values


def comment_writers(settings: dict[str, Any]) -> str:
    """Return who may comment, one of COMMENT_WRITERS; empty if a channel above or the site decides."""
    return str(REGISTRY.values(settings)["comments"])

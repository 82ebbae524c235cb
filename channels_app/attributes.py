"""The members of a channel's settings object, `additional` and `attributes` on the wire."""

from typing import Any

from cms_api.rest.attributes import Attribute, AttributeRegistry, Kind
from cms_api.rest.fields import INT64_MAX

_KEPT = " Kept and answered for clients; nothing here acts on it."
# The numbers of original-behaviour §5.4; packages write the names.
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
CHANNELS, CONTENTS, PAGES, TRANSFER = "Child channels", "Contents", "Pages", "Transfer"


_LABELS = {
    "isChannelAddable": "Channels may be added below",
    "isContentAddable": "Contents may be added",
    "isChannelCreatable": "The channel has a page",
    "isContentCreatable": "Its contents have pages",
    "isCreateChannelIfContentChanged": "Its page follows changes of contents",
    "createChannelIDsIfContentChanged": "Further pages that follow",
    "contentAttributesOfDisplay": "Further columns in lists",
    "transType": "Contents may go to",
    "transSiteId": "Number of that site",
    "transChannelIds": "Numbers of the channels",
    "transChannelNames": "Names of the channels",
    "transIsAutomatic": "As soon as they are approved",
    "transDoneType": "How they go there",
    "isPreviewContents": "Previews of contents",
    "defaultTaxisType": "Order of contents",
}


def _switch(name: str, default: bool, group: str, help_text: str, *former_names: str) -> Attribute:
    return Attribute(
        name=name,
        kind=Kind.BOOLEAN,
        default=default,
        group=group,
        label=_LABELS[name],
        help_text=help_text,
        former_names=former_names,
    )


def _text(name: str, group: str, help_text: str) -> Attribute:
    return Attribute(
        name=name,
        kind=Kind.TEXT,
        default="",
        max_length=20_000,
        group=group,
        label=_LABELS[name],
        help_text=help_text,
    )


def _number(name: str, default: int, names: tuple[str, ...], help_text: str) -> Attribute:
    return Attribute(
        name=name,
        kind=Kind.INTEGER,
        default=default,
        choices=tuple(enumerate(names)),
        group=TRANSFER,
        label=_LABELS[name],
        help_text=help_text,
    )


REGISTRY = AttributeRegistry([
    _switch("isChannelAddable", True, CHANNELS, "Channels may be added below this one."),
    _switch("isContentAddable", True, CONTENTS, "Contents may be added; where not, creating one is refused."),
    _switch("isChannelCreatable", True, PAGES, f"The channel has a page of its own.{_KEPT}"),
    _switch("isContentCreatable", True, PAGES, f"The channel's contents have pages of their own.{_KEPT}"),
    _switch(
        "isCreateChannelIfContentChanged", True, PAGES, f"The page is generated anew when a content changes.{_KEPT}"
    ),
    _text(
        "createChannelIDsIfContentChanged",
        PAGES,
        f"Ids of further channels whose pages are generated anew, comma-separated.{_KEPT}",
    ),
    _text(
        "contentAttributesOfDisplay",
        CONTENTS,
        f"Further columns in lists of contents of a back end, comma-separated.{_KEPT}",
    ),
    _number("transType", 5, TRANS_TYPES, f"Where contents may be transferred to.{_KEPT}"),
    Attribute(
        name="transSiteId",
        kind=Kind.INTEGER,
        default=0,
        minimum=0,
        maximum=INT64_MAX,
        group=TRANSFER,
        label=_LABELS["transSiteId"],
        help_text=f"The site for transType 2, 0 for none.{_KEPT}",
    ),
    _text("transChannelIds", TRANSFER, f"Ids of the channels that contents go to, comma-separated.{_KEPT}"),
    _text("transChannelNames", TRANSFER, f"Names of the channels that contents go to, comma-separated.{_KEPT}"),
    _switch("transIsAutomatic", False, TRANSFER, f"Contents are transferred when they are approved.{_KEPT}"),
    _number("transDoneType", 0, TRANS_DONE_TYPES, f"How contents are transferred.{_KEPT}"),
    _switch(
        "isPreviewContents", False, CONTENTS, f"The channel has previews of contents.{_KEPT}", "isPreviewContentsExists"
    ),
    Attribute(
        name="defaultTaxisType",
        kind=Kind.TEXT,
        default="OrderByTaxisDesc",
        choices=tuple((name, name) for name in TAXIS_TYPES),
        group=CONTENTS,
        label=_LABELS["defaultTaxisType"],
        help_text="The order of the channel's contents; pinned ones come first but in the orders by hits.",
    ),
])  # fmt: skip

# By folded name, for reading bodies.
CHANNEL_ATTRIBUTES = REGISTRY.by_folded_name


def channel_attributes(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings object of a channel for the wire: every member, the default where none is stored."""
    return REGISTRY.values(settings)

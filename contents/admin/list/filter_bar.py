"""The filters of the list of contents as people see them: fields to choose from, and a chip for each choice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Min
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from channels_app.admin.channel_filter import ChannelFilter
from cms_api.admin.picker import FIND, MOST, MOST_UNSEARCHED, words_of_picker
from cms_api.admin.shown import shown_day, shown_number
from contents.admin.field_labels import LABELS
from contents.admin.list.change_list import AS_ON_SITE, ROW_CHOICES, ContentList
from contents.admin.list.params import (
    AUTHOR,
    CHANNEL,
    CHECKED,
    DATES,
    FLAGS,
    GROUP,
    ORDER,
    PENDING,
    QUERY,
    ROWS,
    SITE,
    STATE,
    TAG,
)
from contents.models import Content, ContentGroup
from contents.services.approval import Kind
from sites.admin.site_filter import SiteFilter

_Text = str | Promise
FLAG_LABELS = {
    "is_top__exact": _("pinned"),
    "is_recommend__exact": _("recommended"),
    "is_hot__exact": _("hot"),
    "is_color__exact": LABELS["is_color"],
}
FLAG_MEANINGS = {
    "is_top__exact": _("Stands first in its channel"),
    "is_recommend__exact": _("Templates can show it as recommended"),
    "is_hot__exact": _("Templates can show it as hot"),
    "is_color__exact": _("Its title is highlighted in lists"),
}
_STATES: list[tuple[str, _Text]] = [
    *((str(kind.value), kind.label) for kind in Kind if kind is not Kind.APPROVED),
    (PENDING, _("Not approved")),
    (str(Kind.APPROVED.value), Kind.APPROVED.label),
]
_LABELS = {
    SITE: _("Site"),
    CHANNEL: _("Channel"),
    STATE: _("State"),
    GROUP: pgettext_lazy("of contents", "Group"),
    TAG: _("Tag"),
    AUTHOR: _("Author"),
    "added_from": _("Added from"),
    "added_to": _("Added until"),
    "edited_from": _("Edited from"),
    "edited_to": _("Edited until"),
}


@dataclass(frozen=True)
class Field:
    """One filter of the form: a list to choose from, or a line or a date to write."""

    name: str
    label: _Text
    value: str = ""
    kind: str = "text"
    choices: Sequence[tuple[str, _Text]] = ()
    note: _Text = ""  # below it
    find: _Text = FIND  # above a long list

    @property
    def id(self) -> str:
        return f"filter-{self.name}"

    @property
    def words(self) -> dict[str, str]:
        """What the script needs that makes a long list one to find in."""
        return words_of_picker(self.find, is_optional=True) if len(self.choices) > MOST_UNSEARCHED else {}


@dataclass(frozen=True)
class Chip:
    """A filter that narrows the list, and the address of the list without it."""

    label: _Text
    value: _Text
    without: str


@dataclass
class FilterBar:
    """All that the template of the list needs beside Django's own context."""

    fields: list[Field] = field(default_factory=list)
    chips: list[Chip] = field(default_factory=list)
    kept: list[tuple[str, str]] = field(default_factory=list)  # what a new choice leaves as it is
    orders: list[tuple[str, _Text, bool]] = field(default_factory=list)
    rows: list[tuple[int, str, bool]] = field(default_factory=list)
    pages: list["PageLink"] = field(default_factory=list)
    total: str = ""
    is_open: bool = False

    @property
    def order(self) -> _Text:
        return next((label for _address, label, is_chosen in self.orders if is_chosen), _("by column"))


@dataclass(frozen=True)
class PageLink:
    """A page of the list, or the gap between two."""

    number: int = 0
    address: str = ""
    is_current: bool = False

    @property
    def is_gap(self) -> bool:
        return self.number == 0


def filter_bar(request: HttpRequest, shown: ContentList) -> FilterBar:
    """The bar of the list that is shown. Three statements at most."""
    fields = list(_fields(request, shown))
    labels = {each.name: dict(each.choices) for each in fields}
    chips = list(_chips(request, shown, labels))
    kept = [(name, request.GET[name]) for name in (ORDER, ROWS, "_popup", "_to_field") if name in request.GET]
    return FilterBar(
        fields=fields,
        chips=chips,
        kept=kept,
        orders=list(_orders(shown)),
        rows=[
            (number, shown.get_query_string({ROWS: str(number)}), number == shown.list_per_page)
            for number in ROW_CHOICES
        ],
        pages=list(_pages(shown)),
        total=told_total(shown),
        is_open=any(name in request.GET for name in (GROUP, TAG, AUTHOR, *DATES) if request.GET.get(name)),
    )


def _fields(request: HttpRequest, shown: ContentList) -> Iterator[Field]:
    given = {name: request.GET.get(name, "").strip() for name in [*_LABELS, *FLAGS, CHECKED]}
    admin = shown.model_admin
    sites = _choices(request, admin, SiteFilter, given[SITE])
    if len(sites) > 1 or given[SITE]:
        note = _("These are the first ones. The list of sites leads to the others.") if len(sites) >= MOST else ""
        yield Field(SITE, _LABELS[SITE], given[SITE], "choice", sites, note, _("Find a site"))
    channels = _choices(request, admin, ChannelFilter, given[CHANNEL])
    if channels:
        note = _("These are the first ones. The tree leads to the others.") if len(channels) >= MOST else ""
        yield Field(CHANNEL, _LABELS[CHANNEL], given[CHANNEL], "choice", channels, note, _("Find a channel"))
    state = given[STATE] or {"1": Kind.APPROVED.value, "0": PENDING}.get(given[CHECKED], "")
    yield Field(STATE, _LABELS[STATE], str(state), "choice", _STATES)
    for name, label in FLAG_LABELS.items():
        yield Field(name, label, given[name], "switch")
    yield from _group_fields(shown, given[GROUP])
    yield Field(TAG, _LABELS[TAG], given[TAG])
    yield Field(AUTHOR, _LABELS[AUTHOR], given[AUTHOR])
    for name in DATES:
        yield Field(name, _LABELS[name], given[name], "date")


def _choices(request: HttpRequest, page: Any, kind: type[SiteFilter | ChannelFilter], chosen: str) -> list[Any]:
    """What Django's filter of that kind offers, the chosen one in any case."""
    given = {str(kind.parameter_name): [chosen]} if chosen else {}
    return [(value, str(name)) for value, name in kind(request, given, Content, page).lookup_choices]


def _group_fields(shown: ContentList, chosen: str) -> Iterator[Field]:
    """The groups to choose from; of so many sites that they are not read one by one, a line for the name."""
    if not shown.search.place.is_named:
        yield Field(GROUP, _LABELS[GROUP], chosen)
        return
    groups, has_more = _group_choices(shown, chosen)
    if groups:
        leads = _("These are the first ones. The page of groups leads to the contents of each.")
        note = leads if has_more else ""
        yield Field(GROUP, _LABELS[GROUP], chosen, "choice", groups, note, _("Find a group"))


def _group_choices(shown: ContentList, chosen: str) -> tuple[list[tuple[str, str]], bool]:
    """The groups of the sites in their order, the chosen one in any case, and whether there are more."""
    sites = shown.search.place.sites
    rows = ContentGroup.objects.filter(site__in=sites).values("group_name").annotate(first=Min("taxis"))
    names = list(rows.order_by("first", "group_name").values_list("group_name", flat=True)[: MOST + 2])
    offered, has_more = names[:MOST], any(name != chosen for name in names[MOST:])
    if chosen and chosen not in offered:
        offered.append(chosen)
    return [(name, name) for name in offered], has_more


def _chips(request: HttpRequest, shown: ContentList, labels: dict[str, dict[str, Any]]) -> Iterator[Chip]:
    for name in (QUERY, *_LABELS, CHECKED, *FLAGS):
        value = request.GET.get(name, "").strip()
        if not value:
            continue
        without = _without(request, [name, CHANNEL] if name == SITE else [name])
        if name == QUERY:
            yield Chip(_("Words"), value, without)
        elif name in FLAGS:
            label = FLAG_LABELS[name]
            yield Chip(label, "" if value in {"1", "True"} else _("no"), without)
        elif name == CHECKED:
            yield Chip(_LABELS[STATE], Kind.APPROVED.label if value in {"1", "True"} else _("Not approved"), without)
        elif name in DATES:
            index = 0 if name.endswith("from") else 1
            span = shown.asked.added if name.startswith("added") else shown.asked.edited
            yield Chip(_LABELS[name], shown_day(span[0]) if index == 0 and span[0] else value, without)
        else:
            known = labels.get(name, {})
            yield Chip(_LABELS[name], str(known.get(value, value)).replace("— ", ""), without)
    if shown.search.is_by_hits:
        yield Chip(_("Hits"), _("at least 1"), _without(request, [ORDER]))


def _without(request: HttpRequest, names: Sequence[str]) -> str:
    rest = request.GET.copy()
    for name in [*names, "p", "e"]:
        rest.pop(name, None)
    return f"?{rest.urlencode()}"


def _orders(shown: ContentList) -> Iterator[tuple[str, _Text, bool]]:
    """The orders to choose from, as addresses: those of columns have their numbers."""
    columns = {name: number for number, name in enumerate(shown.list_display)}
    chosen = shown.params.get(ORDER, f"-{columns['edited']}")
    for order, label in (
        (f"-{columns['edited']}", _("Last edited first")),
        (f"-{columns['added']}", _("Newest first")),
        (AS_ON_SITE, _("As on the site, pinned first")),
        (f"-{columns['hits_shown']}", _("Most read first")),
        (str(columns["headline"]), _("By title")),
    ):
        yield shown.get_query_string({ORDER: order}), label, order == chosen


def _pages(shown: ContentList) -> Iterator[PageLink]:
    paginator: Any = shown.paginator
    for number in paginator.get_elided_page_range(shown.page_num, on_each_side=2, on_ends=1):
        if number == paginator.ELLIPSIS:
            yield PageLink()
        else:
            yield PageLink(number, shown.get_query_string({"p": number}), number == shown.page_num)


def told_total(shown: ContentList) -> str:
    """How many match, in words."""
    paginator: Any = shown.paginator
    count = shown_number(paginator.total)
    if paginator.is_estimate:
        return _now("about %(count)s content items") % {"count": count}
    if paginator.is_cut:
        return _now("more than %(count)s content items") % {"count": shown_number(paginator.total - 1)}
    return ngettext("%(count)s content item", "%(count)s content items", paginator.total) % {"count": count}

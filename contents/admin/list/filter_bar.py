"""The filter bar: fields, and a chip for each active filter."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Min
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from channels_app.admin.channel_filter import ChannelFilter
from contents.admin.fields import label_of_field
from contents.admin.list.change_list import AS_ON_SITE, ROW_CHOICES, ContentList
from contents.admin.list.finding import Found
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
from contents.services.approval import DecisionKind
from core.admin.formatting import format_day, format_number
from core.admin.picker import FIND, MAX, MAX_UNSEARCHED, words_of_picker
from sites.admin.site_filter import SiteFilter

_Text = str | Promise
FLAG_WORDS = {  # (label, meaning)
    "is_top": (_("pinned"), _("Listed first in its channel")),
    "is_recommend": (_("recommended"), _("Templates can show it as recommended")),
    "is_hot": (_("hot"), _("Templates can show it as hot")),
    "is_color": (label_of_field("is_color"), _("Its title is highlighted in lists")),
}
_STATES: list[tuple[str, _Text]] = [
    *((str(kind.value), kind.label) for kind in DecisionKind if kind is not DecisionKind.APPROVED),
    (PENDING, _("Not approved")),
    (str(DecisionKind.APPROVED.value), DecisionKind.APPROVED.label),
]
_LABELS: dict[str, _Text] = {
    QUERY: _("Words"),
    SITE: _("Site"),
    CHANNEL: _("Channel"),
    STATE: _("State"),
    GROUP: pgettext_lazy("of contents", "Group"),
    TAG: _("Tag"),
    AUTHOR: _("Author"),
    "added_from": _("Date from"),
    "added_to": _("Date until"),
    "edited_from": _("Edited from"),
    "edited_to": _("Edited until"),
    CHECKED: _("State"),
    **{name: FLAG_WORDS[flag][0] for name, flag in FLAGS.items()},
}


@dataclass(frozen=True)
class Field:
    name: str
    value: str = ""
    kind: str = "text"
    choices: Sequence[tuple[str, _Text]] = ()
    note: _Text = ""  # below it
    find: _Text = FIND  # label of the search field of a long list

    @property
    def id(self) -> str:
        return f"filter-{self.name}"

    @property
    def label(self) -> _Text:
        return _LABELS[self.name]

    @property
    def words(self) -> dict[str, str]:
        return words_of_picker(self.find, is_optional=True) if len(self.choices) > MAX_UNSEARCHED else {}


class Chip(NamedTuple):
    """An active filter, and the address of the list without it."""

    label: _Text
    value: _Text
    without: str


def filter_bar(request: HttpRequest, shown: ContentList) -> dict[str, Any]:
    """The context of filters, orders and pages; at most three statements."""
    fields = list(_fields(request, shown))
    choices = {each.name: dict(each.choices) for each in fields}
    orders = list(_orders(shown))
    paginator: Any = shown.paginator
    return {
        "fields": fields,
        "chips": list(_chips(request, shown, choices)),
        # Parameters that a new filter preserves.
        "kept": [(name, request.GET[name]) for name in (ORDER, ROWS, "_popup", "_to_field") if name in request.GET],
        "orders": orders,
        "order": next((label for _address, label, is_chosen in orders if is_chosen), _("by column")),
        "rows": [
            (number, shown.get_query_string({ROWS: str(number)}), number == shown.list_per_page)
            for number in ROW_CHOICES
        ],
        # (number, address); a gap has a sign instead of a number.
        "pages": [
            (number, shown.get_query_string({"p": number}))
            for number in paginator.get_elided_page_range(shown.page_num, on_each_side=2, on_ends=1)
        ],
        "total": _describe_total(shown.found),
    }


def _fields(request: HttpRequest, shown: ContentList) -> Iterator[Field]:
    given = {name: request.GET.get(name, "").strip() for name in _LABELS}
    admin = shown.model_admin
    sites = _choices(request, admin, SiteFilter, given[SITE])
    if len(sites) > 1 or given[SITE]:
        note = _("Only the first sites are shown. Find the others in the list of sites.") if len(sites) >= MAX else ""
        yield Field(SITE, given[SITE], "choice", sites, note, _("Find a site"))
    channels = _choices(request, admin, ChannelFilter, given[CHANNEL])
    if channels:
        note = _("Only the first channels are shown. Find the others in the tree.") if len(channels) >= MAX else ""
        yield Field(CHANNEL, given[CHANNEL], "choice", channels, note, _("Find a channel"))
    state = given[STATE] or {"1": DecisionKind.APPROVED.value, "0": PENDING}.get(given[CHECKED], "")
    yield Field(STATE, str(state), "choice", _STATES)
    for name in FLAGS:
        yield Field(name, given[name], "switch")
    if not shown.search.place.is_named:  # too many sites to list groups
        yield Field(GROUP, given[GROUP])
    elif groups := _groups(shown, given[GROUP]):
        yield groups
    yield Field(TAG, given[TAG])
    yield Field(AUTHOR, given[AUTHOR])
    for name in DATES:
        yield Field(name, given[name], "date")


def _choices(request: HttpRequest, page: Any, kind: type[SiteFilter | ChannelFilter], chosen: str) -> list[Any]:
    given = {str(kind.parameter_name): [chosen]} if chosen else {}
    return [(value, str(name)) for value, name in kind(request, given, Content, page).lookup_choices]


def _groups(shown: ContentList, chosen: str) -> Field | None:
    rows = ContentGroup.objects.filter(site__in=shown.search.place.sites).values("group_name")
    ordered = rows.annotate(first=Min("taxis")).order_by("first", "group_name")
    names = list(ordered.values_list("group_name", flat=True)[: MAX + 2])
    offered, has_more = names[:MAX], any(name != chosen for name in names[MAX:])
    if chosen and chosen not in offered:
        offered.append(chosen)
    if not offered:
        return None
    note = (
        _("Only the first groups are shown. The page of groups links to the content items of each group.")
        if has_more
        else ""
    )
    choices = [(name, name) for name in offered]
    return Field(GROUP, chosen, "choice", choices, note, _("Find a group"))


def _chips(request: HttpRequest, shown: ContentList, choices: dict[str, dict[str, Any]]) -> Iterator[Chip]:
    for name, label in _LABELS.items():
        value = request.GET.get(name, "").strip()
        if not value:
            continue
        is_on = value in {"1", "True"}
        words: _Text = value
        if name in FLAGS:
            words = "" if is_on else _("no")
        elif name == CHECKED:
            words = DecisionKind.APPROVED.label if is_on else _("Not approved")
        elif name in DATES:
            first, _end = shown.asked.added if name.startswith("added") else shown.asked.edited
            words = format_day(first) if name.endswith("from") and first else value
        elif name != QUERY:
            words = str(choices.get(name, {}).get(value, value)).replace("— ", "")
        yield Chip(label, words, _without(request, [name, CHANNEL] if name == SITE else [name]))
    if shown.search.is_by_hits:
        yield Chip(_("Views"), _("at least 1"), _without(request, [ORDER]))


def _without(request: HttpRequest, names: Sequence[str]) -> str:
    rest = request.GET.copy()
    for name in [*names, "p", "e"]:
        rest.pop(name, None)
    return f"?{rest.urlencode()}"


def _orders(shown: ContentList) -> Iterator[tuple[str, _Text, bool]]:
    """Yield (address, label, is_chosen); orders of columns use their numbers."""
    columns = {name: number for number, name in enumerate(shown.list_display)}
    chosen = shown.params.get(ORDER, f"-{columns['edited']}")
    for order, label in (
        (f"-{columns['edited']}", _("Last edited first")),
        (f"-{columns['added']}", _("Newest first")),
        (AS_ON_SITE, _("As on the site, pinned first")),
        (f"-{columns['hits_shown']}", _("Most viewed first")),
        (str(columns["headline"]), _("By title")),
    ):
        yield shown.get_query_string({ORDER: order}), label, order == chosen


def _describe_total(found: Found) -> str:
    count = format_number(found.total)
    if found.is_estimate:
        return _now("about %(count)s content items") % {"count": count}
    if not found.is_exact:
        return _now("more than %(count)s content items") % {"count": format_number(found.total - 1)}
    return ngettext("%(count)s content item", "%(count)s content items", found.total) % {"count": count}

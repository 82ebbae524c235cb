"""The page “What may this person do?”. It calls the functions of the admin's pages that decide on requests."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from django.apps import apps
from django.conf import settings
from django.contrib.admin import site
from django.db import connection
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.admin.account import account_links
from accounts.admin.branch_choices import branch_choices
from accounts.models import Administrator
from accounts.place_names import site_names
from accounts.roles import shown_name
from channels_app.models import Channel, TrashedChannel
from core.admin.numbers import read_number
from core.admin.pages import AskedRight, BaseModelAdmin
from core.admin.places import Places
from core.admin.ranks import Rank, rank_of
from core.admin.views import page_of, render_page, seen_record
from core.lib.statement_limit import TooSlow, statement_limit
from sites.models import Site

_MOST = 20  # records found by words
# Kinds of records to look up: name in the address → title, and the pages with these records.
_KINDS: dict[str, tuple[Promise, tuple[type[Model] | str, ...]]] = {
    "content": (gettext_lazy("Content"), ("contents.Content", "contents.TrashedContent")),
    "channel": (gettext_lazy("Channel"), (Channel, TrashedChannel)),
    "site": (gettext_lazy("Site"), (Site,)),
}
_RANKS = {Rank.HIGHEST: gettext_lazy("superuser"), Rank.SITES: gettext_lazy("site administrator")}


class Source(NamedTuple):
    name: str
    places: Places


class Given(NamedTuple):
    """A right, and the places that each of its sources covers, as text."""

    words: str
    sources: Sequence[tuple[str, Sequence[str]]]


class Answer(NamedTuple):
    words: str
    is_yes: bool
    reason: str


def permissions_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    person = seen_record(page, request, pk)
    title = _("What may %(name)s do?") % {"name": person}
    return _show(page, request, person, {"title": title, "original": person})


def own_view(request: HttpRequest) -> HttpResponse:
    page = site.get_model_admin(Administrator)
    return _show(page, request, request.user, {"title": _("What may I do?"), "links": account_links()})


def _show(page: Any, request: HttpRequest, person: Any, context: dict[str, Any]) -> TemplateResponse:
    groups = [shown_name(group.name) for group in person.groups.order_by("name")]
    context |= {"person": person, "rank": _RANKS.get(rank_of(person)), "groups": groups}
    if person.is_active:
        given, closed = given_rights(person)
        context |= {"given": given, "closed": closed, "common": _common(given), **_looked_up(request, person)}
    return render_page(page, request, "accounts/permissions.html", context)


# ---- all rights


def given_rights(person: Any) -> tuple[list[tuple[str, list[Given]]], list[str]]:
    """Return the rights of the person by page, and the titles of pages with none."""
    found = [(_title(page), _sources_by_right(page, person)) for page in _pages()]
    names = names_of(source.places for _page, rights in found for _words, sources in rights for source in sources)
    given = [
        (title, [Given(words, [(name, names(places)) for name, places in sources]) for words, sources in rights])
        for title, rights in found
        if rights
    ]
    return given, [title for title, rights in found if not rights]


def _common(given: Sequence[tuple[str, Sequence[Given]]]) -> Sequence[tuple[str, Sequence[str]]]:
    """Return the common source of the rights, if there is one, to show it once."""
    found = {str(right.sources): right.sources for _title, rights in given for right in rights}
    return found.popitem()[1] if len(found) == 1 else ()


def _sources_by_right(page: BaseModelAdmin, person: Any) -> list[tuple[str, list[Source]]]:
    request = _request_of(person)
    if not page.has_view_permission(request):
        return []
    found = ((asked.words, sources_of(page, person, asked)) for asked in page.asked_rights().values())
    return [(words, sources) for words, sources in found if sources]


def sources_of(page: BaseModelAdmin, person: Any, asked: AskedRight) -> list[Source]:
    """Return the sources of the right, with their places."""
    if rank := _RANKS.get(rank_of(person)):
        found = [Source(str(rank), page.places(person, *asked.actions))]
    else:
        names = set(map(page.codename, asked.actions)) if page.by_groups else set()
        found = [
            Source(shown_name(grant.group) or _("the account itself"), page.applicable(grant.places))
            for grant in person.grants
            if not names.isdisjoint(grant.permissions)
        ]
    return [source for source in found if source.places]


def names_of(places: Iterable[Places]) -> Callable[[Places], list[str]]:
    """Return a function that names any of the places: `Harbour`, `Harbour › News`."""
    limited = [each for each in places if not each.everywhere]
    sites = dict(site_names())
    branches = dict(branch_choices({number for each in limited for number in each.branch_ids}))

    def name(places: Places) -> list[str]:
        if places.everywhere:
            return [_("everywhere")]
        of_sites = [
            sites.get(number) or _("deleted site %(number)d") % {"number": number} for number in places.site_ids
        ]
        return sorted([*of_sites, *(branches[number] for number in places.branch_ids)])

    return name


# ---- one record


def _looked_up(request: HttpRequest, person: Any) -> dict[str, Any]:
    """Return the records that the viewer finds; if it is one, with the rights of the person on it."""
    kind, words = request.GET.get("kind", "content"), request.GET.get("q", "").strip()
    kind = kind if kind in _KINDS else "content"
    context: dict[str, Any] = {"kinds": [(key, title) for key, (title, _models) in _KINDS.items()]}
    context |= {"kind": kind, "words": words, "found": [], "is_slow": False}
    if not words:
        return context
    try:
        with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
            found = _find(request, _KINDS[kind][1], words)
    except TooSlow:
        return context | {"is_slow": True}
    if len(found) != 1:
        return context | {"found": [(record, page.place_of(record)) for page, record in found]}
    [(page, record)] = found
    answers = [(_title(each), answers_on(each, person, other)) for each, other in _concerned(page, record)]
    return context | {"record": record, "place": page.place_of(record), "answers": answers}


def _find(request: HttpRequest, models: Sequence[type[Model] | str], words: str) -> list[tuple[Any, Model]]:
    """Return the record with this number, or else those with the words that the viewer sees, the newest first."""
    pages: list[Any] = [page for model in models if (page := page_of(site, request, model))]
    number = read_number(words)
    if number is not None and (found := [(page, page.get_object(request, str(number))) for page in pages]):
        found = [(page, record) for page, record in found if record is not None]
        if found:
            return found
    rows = ((page, page.get_search_results(request, page.get_queryset(request), words)[0]) for page in pages)
    return [(page, record) for page, records in rows for record in records.order_by("-pk")[:_MOST]][:_MOST]


def _concerned(page: BaseModelAdmin, record: Any) -> list[tuple[BaseModelAdmin, Any]]:
    """Return the record with its page, and with further pages an unsaved record that it would contain."""
    contents, templates = _page("contents.Content"), _page("pages.Template")
    if page.model is Channel:
        return [(page, record), (contents, contents.model(site_id=record.site_id, channel=record))]
    if page.model is Site:
        home = Channel.objects.get(pk=record.pk)
        inside = [(site.get_model_admin(Channel), home), (contents, contents.model(site_id=record.pk, channel=home))]
        return [(page, record), *inside, (templates, templates.model(site_id=record.pk))]
    return [(page, record)]


def answers_on(page: BaseModelAdmin, person: Any, record: Any) -> list[Answer]:
    request, found = _request_of(person), []
    for right, asked in page.asked_rights(record).items():
        is_yes = page.has_view_permission(request, record) if right == "view" else page.allows(request, right, record)
        found.append(Answer(asked.words, is_yes, _reason(page, person, asked, record, is_yes=is_yes)))
    return found


def _reason(page: BaseModelAdmin, person: Any, asked: AskedRight, record: Any, *, is_yes: bool) -> str:
    sources = sources_of(page, person, asked)
    is_in = page.is_seen_in if asked.actions[:1] == ("view",) else page.is_in
    here = [name for name, places in sources if is_in(places, record)]
    if is_yes:
        return ", ".join(here)
    if here:
        return _("%(groups)s: not in its current state") % {"groups": ", ".join(here)}
    if sources:
        names = names_of(places for _name, places in sources)
        only = _("%(group)s: only %(places)s")
        return "; ".join(only % {"group": name, "places": ", ".join(names(places))} for name, places in sources)
    return _("site administrators never have this right") if _RANKS.get(rank_of(person)) else _("no group gives it")


# ---- pages of other apps; contents and templates by label, since accounts does not import them


def _pages() -> list[BaseModelAdmin]:
    pages = (site.get_model_admin(model) for model in apps.get_models() if site.is_registered(model))
    return [page for page in pages if isinstance(page, BaseModelAdmin)]


def _page(label: str) -> Any:
    return site.get_model_admin(apps.get_model(label))


def _title(page: BaseModelAdmin) -> str:
    return capfirst(str(page.opts.verbose_name_plural))


def _request_of(person: Any) -> HttpRequest:
    """Return a request as if the person had sent it, for the rules of pages."""
    request = HttpRequest()
    request.user = person
    return request

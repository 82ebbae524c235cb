"""The history of a content: its versions, what differs between two of them, and the way back to one."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.utils.translation import gettext as _

from cms_api.admin.numbers import read_number
from cms_api.admin.ranks import Rank, rank_of
from cms_api.admin.refusals import tell
from cms_api.admin.registered import address_of
from cms_api.admin.views import render_page, route, seen_record
from cms_api.lib.errors import ServiceError
from contents.admin.bodies import body_answer, body_of
from contents.admin.history.comparison import (
    BODY_KEY,
    Version,
    compare_member,
    compare_versions,
    is_long,
    members_page,
    page_numbers,
    whole_member,
)
from contents.admin.history.versions import history_of
from contents.admin.history.words import ChangeWords, is_decision, tell_author
from contents.models import Content
from contents.services.undoing import RESTORED, restored, revert_content
from contents.storing.history import oldest_version, version_of

_SOURCE = "source"


class _NotKept(Exception):
    """The version is not kept any more, or has never been there."""


def history_urls(page: Any) -> list[URLPattern]:
    """The pages of versions, which every page of contents has."""
    return [
        route(page, "<int:pk>/compare/", "compare", compare_view),
        route(page, "<int:pk>/compare/<str:key>/", "compare_member", compare_member_view),
        route(page, "<int:pk>/versions/<int:version>/", "past", past_view),
        route(page, "<int:pk>/versions/<int:version>/body/", "past_body", past_body_view),
        route(page, "<int:pk>/versions/<int:version>/member/<str:key>/", "past_member", past_member_view),
        route(page, "<int:pk>/versions/<int:version>/revert/", "revert", revert_view),
    ]


def _of_content(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the content; without a version that it asks for, lead back to the history."""

    @wraps(view)
    def shown(page: Any, request: HttpRequest, pk: int | str, **options: Any) -> HttpResponse:
        content = seen_record(page, request, pk)
        try:
            return view(page, request, content, **options)
        except _NotKept as error:
            messages.error(request, str(error))
            return HttpResponseRedirect(address_of(page, "history", content.pk))

    return shown


@_of_content
def history_view(page: Any, request: HttpRequest, content: Content) -> HttpResponse:
    """What happened to the content, the newest first."""
    context = {
        "title": _("History: %(name)s") % {"name": content},
        "history": history_of(content, request.GET.get("p")),
        "may_revert": _may_revert(page, request, content),
        "is_highest": rank_of(request.user) is Rank.HIGHEST,
    }
    return _answer(page, request, "versions", content, context)


@_of_content
def compare_view(page: Any, request: HttpRequest, content: Content) -> HttpResponse:
    """What differs between two versions, given as `from` and `to`; by default what the last change did."""
    first, last = _asked_versions(request, content)
    by_source = request.GET.get("view") == _SOURCE
    change = content.changes.filter(version=last).defer("before", "body_before").first()
    comparison = compare_versions(
        ChangeWords(content.site_id),
        _version(content, first),
        _version(content, last),
        by_source=by_source,
        by_decision=first == last - 1 and is_decision(change),
        number=request.GET.get("p"),
    )
    context = {
        "title": _("Version %(first)d and version %(last)d") % {"first": first, "last": last},
        "comparison": comparison,
        "by_source": by_source,
        "first": first,
        "last": last,
        "change": change,
        "author": tell_author(change) if change else "",
        "oldest": oldest_version(content),
        "may_revert": _may_revert(page, request, content),
    }
    return _answer(page, request, "comparison", content, context)


@_of_content
def compare_member_view(page: Any, request: HttpRequest, content: Content, key: str) -> HttpResponse:
    """What differs in one member between two versions, `from` and `to`."""
    first, last = _asked_versions(request, content)
    words = ChangeWords(content.site_id)
    compared = compare_member(words, _version(content, first), _version(content, last), key)
    if compared is None:
        raise Http404
    name, text = compared
    context = {
        "title": _("Version %(first)d and version %(last)d") % {"first": first, "last": last},
        "label": words.member(name).label,
        "key": key,
        "text": text,
        "first": first,
        "last": last,
    }
    return _answer(page, request, "member_comparison", content, context)


@_of_content
def past_view(page: Any, request: HttpRequest, content: Content, version: int) -> HttpResponse:
    """The content as it was at the version."""
    found = _version(content, version)
    members, members_shown = members_page(ChangeWords(content.site_id), found, request.GET.get("p"))
    context = {
        "title": _("Version %(version)d") % {"version": version},
        "version": version,
        "members": members,
        "page": members_shown,
        "page_numbers": page_numbers(members_shown),
        "body_length": len(found[1]),
        "is_long": is_long(found[1]),
        "may_revert": _may_revert(page, request, content),
    }
    return _answer(page, request, "version", content, context)


@_of_content
def past_member_view(page: Any, request: HttpRequest, content: Content, version: int, key: str) -> HttpResponse:
    """One member as it was at the version, or the source of the body, whole: in parts where it is long."""
    whole = whole_member(ChangeWords(content.site_id), _version(content, version), key, request.GET.get("p"))
    if whole is None:
        raise Http404
    context = {
        "title": _("Version %(version)d") % {"version": version},
        "version": version,
        "whole": whole,
        "is_source": key == BODY_KEY,
        "page_numbers": page_numbers(whole.page),
    }
    return _answer(page, request, "member", content, context)


def past_body_view(page: Any, request: HttpRequest, pk: int, version: int) -> HttpResponse:
    """The body as it was at the version, as a page that can do nothing."""
    content = seen_record(page, request, pk)
    try:
        return body_answer(request, content.site_id, version_of(content, version)[1])
    except LookupError as error:
        raise Http404 from error


@_of_content
def revert_view(page: Any, request: HttpRequest, content: Content, version: int) -> HttpResponse:
    """Ask with what would change, and on a POST bring the version back."""
    if not _may_revert(page, request, content):
        raise Http404
    if request.method == "POST":
        seen = read_number(request.POST.get("seen_version")) or 0
        try:
            revert_content(content.site_id, content.pk, version, seen, request.user.get_username())
        except ServiceError as refusal:
            messages.error(request, tell(refusal))
            content = seen_record(page, request, content.pk)  # as it is by now
        else:
            done = _("Version %(version)d was restored. The history is kept in full.")
            messages.success(request, done % {"version": version})
            return HttpResponseRedirect(address_of(page, "change", content.pk))
    try:
        wanted = restored(content, version)
    except ServiceError as refusal:
        raise _NotKept(tell(refusal)) from refusal
    now = {name: getattr(content, name) for name in RESTORED}, body_of(content)
    context = {
        "title": _("Restore version %(version)d") % {"version": version},
        "version": version,
        "comparison": compare_versions(ChangeWords(content.site_id), now, wanted, number=request.GET.get("p")),
        "by_source": False,
        "first": version,
        "last": content.version,
    }
    return _answer(page, request, "revert", content, context)


def _may_revert(page: Any, request: HttpRequest, content: Content) -> bool:
    """Whether the administrator may bring versions back; what is in the trash comes out of it first."""
    return content.trashed_at is None and page.allows(request, "change", content)


def _asked_versions(request: HttpRequest, content: Content) -> tuple[int, int]:
    """The versions that the address names, the older first."""
    last = read_number(request.GET.get("to")) or content.version
    first = read_number(request.GET.get("from")) or max(last - 1, 1)
    return (first, last) if first <= last else (last, first)


def _version(content: Content, version: int) -> Version:
    try:
        return version_of(content, version)
    except LookupError as error:
        told = _("Version %(version)d is not kept any more, or has never been there.") % {"version": version}
        raise _NotKept(told) from error


def _answer(page: Any, request: HttpRequest, name: str, content: Content, context: dict[str, Any]) -> HttpResponse:
    return render_page(page, request, f"contents/history/{name}.html", {"original": content} | context)

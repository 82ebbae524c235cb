from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.utils.translation import gettext as _

from contents.admin.history.comparison import (
    BODY_KEY,
    Version,
    compare_member,
    compare_versions,
    members_page,
    page_numbers,
    whole_member,
)
from contents.admin.history.descriptions import ChangeWords, describe_author, is_decision
from contents.admin.history.versions import history_of
from contents.admin.preview import body_answer, body_of
from contents.models import Content
from contents.services.approval import rule_of_public
from contents.services.undoing import RESTORED, restored, revert_content
from contents.storing.history import version_of
from core.admin.error_messages import tell
from core.admin.numbers import read_number
from core.admin.ranks import Rank, rank_of
from core.admin.views import address_of, render_page, route, seen_record
from core.lib.errors import ServiceError

_SHORT_BODY = 100_000  # longest body that the page of a version includes


class _NotKept(Exception):
    """The version is not stored any more, or never existed."""


def history_urls(page: Any) -> list[URLPattern]:
    return [
        route(page, "<int:pk>/compare/", "compare", compare_view),
        route(page, "<int:pk>/compare/<str:key>/", "compare_member", compare_member_view),
        route(page, "<int:pk>/versions/<int:version>/", "past", past_view),
        route(page, "<int:pk>/versions/<int:version>/body/", "past_body", past_body_view),
        route(page, "<int:pk>/versions/<int:version>/member/<str:key>/", "past_member", past_member_view),
        route(page, "<int:pk>/versions/<int:version>/revert/", "revert", revert_view),
    ]


def _of_content(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
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
    context = {
        "title": _("History: %(name)s") % {"name": content},
        "history": history_of(content, request.GET.get("p")),
        "may_revert": _may_revert(page, request, content),
        "is_highest": rank_of(request.user) is Rank.HIGHEST,
    }
    return _answer(page, request, "versions", content, context)


@_of_content
def compare_view(page: Any, request: HttpRequest, content: Content) -> HttpResponse:
    """Compare the versions `from` and `to`; defaults to the last change."""
    first, last = _asked_versions(request, content)
    by_source = request.GET.get("view") == "source"
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
        "author": describe_author(change) if change else "",
        "may_revert": _may_revert(page, request, content),
    }
    return _answer(page, request, "comparison", content, context)


@_of_content
def compare_member_view(page: Any, request: HttpRequest, content: Content, key: str) -> HttpResponse:
    first, last = _asked_versions(request, content)
    compared = compare_member(ChangeWords(content.site_id), _version(content, first), _version(content, last), key)
    if compared is None:
        raise Http404
    label, text = compared
    context = {
        "title": _("Version %(first)d and version %(last)d") % {"first": first, "last": last},
        "label": label,
        "key": key,
        "text": text,
        "first": first,
        "last": last,
    }
    return _answer(page, request, "member_comparison", content, context)


@_of_content
def past_view(page: Any, request: HttpRequest, content: Content, version: int) -> HttpResponse:
    found = _version(content, version)
    members, members_shown = members_page(ChangeWords(content.site_id), found, request.GET.get("p"))
    context = {
        "title": _("Version %(version)d") % {"version": version},
        "version": version,
        "members": members,
        "page": members_shown,
        "page_numbers": page_numbers(members_shown),
        "body_length": len(found[1]),
        "is_long": len(found[1]) > _SHORT_BODY,
        "may_revert": _may_revert(page, request, content),
    }
    return _answer(page, request, "version", content, context)


@_of_content
def past_member_view(page: Any, request: HttpRequest, content: Content, version: int, key: str) -> HttpResponse:
    """One member, or the source of the body, at the version; long ones in parts."""
    whole = whole_member(ChangeWords(content.site_id), _version(content, version), key, request.GET.get("p"))
    if whole is None:
        raise Http404
    label, part = whole
    context = {
        "title": _("Version %(version)d") % {"version": version},
        "version": version,
        "label": label,
        "page": part,
        "is_source": key == BODY_KEY,
        "page_numbers": page_numbers(part),
    }
    return _answer(page, request, "member", content, context)


def past_body_view(page: Any, request: HttpRequest, pk: int, version: int) -> HttpResponse:
    content = seen_record(page, request, pk)
    try:
        return body_answer(request, content.site_id, version_of(content, version)[1])
    except LookupError as error:
        raise Http404 from error


@_of_content
def revert_view(page: Any, request: HttpRequest, content: Content, version: int) -> HttpResponse:
    if not _may_revert(page, request, content):
        raise Http404
    if request.method == "POST":
        seen = read_number(request.POST.get("seen_version")) or 0
        try:
            user, rule = request.user, rule_of_public(request.user, [content])
            revert_content(content.site_id, content.pk, version, seen, user.get_username(), rule)
        except ServiceError as refusal:
            messages.error(request, tell(refusal))
            content = seen_record(page, request, content.pk)  # the current version
        else:
            done = _("Version %(version)d was restored. The history remains complete.")
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
        "first": version,
        "last": content.version,
    }
    return _answer(page, request, "revert", content, context)


def _may_revert(page: Any, request: HttpRequest, content: Content) -> bool:
    """Contents in the trash must be restored from it first."""
    return content.trashed_at is None and page.allows(request, "change", content)


def _asked_versions(request: HttpRequest, content: Content) -> tuple[int, int]:
    last = read_number(request.GET.get("to")) or content.version
    first = read_number(request.GET.get("from")) or max(last - 1, 1)
    return min(first, last), max(first, last)


def _version(content: Content, version: int) -> Version:
    try:
        return version_of(content, version)
    except LookupError as error:
        told = _("Version %(version)d is no longer stored or never existed.") % {"version": version}
        raise _NotKept(told) from error


def _answer(page: Any, request: HttpRequest, name: str, content: Content, context: dict[str, Any]) -> HttpResponse:
    return render_page(page, request, f"contents/history/{name}.html", {"original": content} | context)

"""The history of a content: its versions, what differs between two of them, and the way back to one."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _

from cms_api.admin.numbers import read_number
from cms_api.admin.pages import RecordPages
from cms_api.admin.ranks import Rank, rank_of
from cms_api.admin.refusals import tell
from cms_api.lib.errors import ServiceError
from contents.admin.bodies import body_answer
from contents.admin.history.comparison import Version, compare_member, compare_versions, page_numbers
from contents.admin.history.past_members import BODY_KEY, is_long, members_page, whole_member
from contents.admin.history.versions import history_of
from contents.admin.history.words import ChangeWords, is_decision, tell_author
from contents.models import Content, ContentBody
from contents.services.undoing import RESTORED, restored, revert_content
from contents.storing.history import oldest_version, version_of

_SOURCE = "source"


class PagesWithHistory(RecordPages):
    """Pages of contents of which every version that is kept can be seen, compared and brought back."""

    def get_urls(self) -> list[URLPattern]:
        """Those of records, and those of versions."""
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        views: list[tuple[str, str, Callable[..., HttpResponse]]] = [
            ("compare", "<int:pk>/compare/", self.compare_view),
            ("past", "<int:pk>/versions/<int:version>/", self.past_view),
            ("past_body", "<int:pk>/versions/<int:version>/body/", self.past_body_view),
            ("past_member", "<int:pk>/versions/<int:version>/member/<str:key>/", self.past_member_view),
            ("compare_member", "<int:pk>/compare/<str:key>/", self.compare_member_view),
            ("revert", "<int:pk>/versions/<int:version>/revert/", self.revert_view),
        ]
        own = [
            path(place, self.admin_site.admin_view(view), name=f"{name}_{view_name}")
            for view_name, place, view in views
        ]
        return [*own, *super().get_urls()]

    def may_revert(self, request: HttpRequest, content: Content) -> bool:
        """Whether the administrator may bring versions back; what is in the trash comes out of it first."""
        return content.trashed_at is None and self.allows(request, "change", content)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """What happened to the content, the newest first."""
        content = self._seen(request, read_number(unquote(object_id)))
        history = history_of(content, request.GET.get("p"))
        context = {
            "title": _("History: %(name)s") % {"name": content},
            "history": history,
            "may_revert": self.may_revert(request, content),
            "is_highest": rank_of(request.user) is Rank.HIGHEST,
        }
        return self._answer(request, "versions", content, context)

    def compare_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """What differs between two versions, given as `from` and `to`; by default what the last change did."""
        content = self._seen(request, pk)
        first, last = _asked_versions(request, content)
        found = self._versions(request, content, first, last)
        if found is None:
            return self._back(content)
        by_source = request.GET.get("view") == _SOURCE
        change = content.changes.filter(version=last).defer("before", "body_before").first()
        comparison = compare_versions(
            ChangeWords(content.site_id),
            *found,
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
            "may_revert": self.may_revert(request, content),
        }
        return self._answer(request, "comparison", content, context)

    def compare_member_view(self, request: HttpRequest, pk: int, key: str) -> HttpResponse:
        """What differs in one member between two versions, `from` and `to`."""
        content = self._seen(request, pk)
        first, last = _asked_versions(request, content)
        found = self._versions(request, content, first, last)
        if found is None:
            return self._back(content)
        words = ChangeWords(content.site_id)
        compared = compare_member(words, *found, key)
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
        return self._answer(request, "member_comparison", content, context)

    def past_view(self, request: HttpRequest, pk: int, version: int) -> HttpResponse:
        """The content as it was at the version."""
        content = self._seen(request, pk)
        found = self._version(request, content, version)
        if found is None:
            return self._back(content)
        members, page = members_page(ChangeWords(content.site_id), found, request.GET.get("p"))
        context = {
            "title": _("Version %(version)d") % {"version": version},
            "version": version,
            "members": members,
            "page": page,
            "page_numbers": page_numbers(page),
            "body_length": len(found[1]),
            "is_long": is_long(found[1]),
            "may_revert": self.may_revert(request, content),
        }
        return self._answer(request, "version", content, context)

    def past_member_view(self, request: HttpRequest, pk: int, version: int, key: str) -> HttpResponse:
        """One member as it was at the version, or the source of the body, whole: in parts where it is long."""
        content = self._seen(request, pk)
        found = self._version(request, content, version)
        if found is None:
            return self._back(content)
        whole = whole_member(ChangeWords(content.site_id), found, key, request.GET.get("p"))
        if whole is None:
            raise Http404
        context = {
            "title": _("Version %(version)d") % {"version": version},
            "version": version,
            "whole": whole,
            "is_source": key == BODY_KEY,
            "page_numbers": page_numbers(whole.page),
        }
        return self._answer(request, "member", content, context)

    def past_body_view(self, request: HttpRequest, pk: int, version: int) -> HttpResponse:
        """The body as it was at the version, as a page that can do nothing."""
        content = self._seen(request, pk)
        try:
            return body_answer(request, content.site_id, version_of(content, version)[1])
        except LookupError as error:
            raise Http404 from error

    def revert_view(self, request: HttpRequest, pk: int, version: int) -> HttpResponse:
        """Ask with what would change, and on a POST bring the version back."""
        content = self._seen(request, pk)
        if not self.may_revert(request, content):
            raise Http404
        if request.method == "POST" and self._revert(request, content, version):
            return HttpResponseRedirect(self._address("change", content.pk))
        content = self._seen(request, pk)  # after a refusal: as it is by now
        try:
            wanted = restored(content, version)
        except ServiceError as refusal:
            messages.error(request, tell(refusal))
            return self._back(content)
        now = {name: getattr(content, name) for name in RESTORED}, _body_of(content)
        context = {
            "title": _("Restore version %(version)d") % {"version": version},
            "version": version,
            "comparison": compare_versions(ChangeWords(content.site_id), now, wanted, number=request.GET.get("p")),
            "by_source": False,
            "first": version,
            "last": content.version,
        }
        return self._answer(request, "revert", content, context)

    def _revert(self, request: HttpRequest, content: Content, version: int) -> bool:
        seen = read_number(request.POST.get("seen_version")) or 0
        try:
            revert_content(content.site_id, content.pk, version, seen, request.user.get_username())
        except ServiceError as refusal:
            messages.error(request, tell(refusal))
            return False
        done = _("Version %(version)d was restored. The history is kept in full.")
        messages.success(request, done % {"version": version})
        return True

    def _seen(self, request: HttpRequest, pk: int | None) -> Content:
        """The content, for whoever may see it; others learn nothing of there being one."""
        content = None if pk is None else self.get_object(request, str(pk))
        if content is None or not self.has_view_permission(request, content):
            raise Http404
        return content  # type: ignore[no-any-return]

    def _version(self, request: HttpRequest, content: Content, version: int) -> Version | None:
        try:
            return version_of(content, version)
        except LookupError:
            told = _("Version %(version)d is not kept any more, or has never been there.") % {"version": version}
            messages.error(request, told)
            return None

    def _versions(
        self, request: HttpRequest, content: Content, first: int, last: int
    ) -> tuple[Version, Version] | None:
        """Both versions, or None if one is not kept."""
        before, after = (self._version(request, content, number) for number in (first, last))
        return None if before is None or after is None else (before, after)

    def _back(self, content: Content) -> HttpResponse:
        return HttpResponseRedirect(self._address("history", content.pk))

    def _answer(self, request: HttpRequest, name: str, content: Content, context: dict[str, Any]) -> HttpResponse:
        shared = self.admin_site.each_context(request) | {"opts": self.opts, "original": content}
        return TemplateResponse(request, f"contents/history/{name}.html", shared | context)


def _asked_versions(request: HttpRequest, content: Content) -> tuple[int, int]:
    """The versions that the address names, the older first."""
    last = read_number(request.GET.get("to")) or content.version
    first = read_number(request.GET.get("from")) or max(last - 1, 1)
    return (first, last) if first <= last else (last, first)


def _body_of(content: Content) -> str:
    return ContentBody.objects.filter(content=content).values_list("text", flat=True).first() or ""

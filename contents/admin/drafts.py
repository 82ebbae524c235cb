"""The page of a draft: its differences from the public version, and the possible decisions."""

from collections.abc import Callable, Iterator
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from contents.admin import approval
from contents.admin.actions.schedule import SCHEDULE
from contents.admin.fields import label_of_field
from contents.admin.history.comparison import Version, compare_versions
from contents.admin.history.descriptions import ChangeWords
from contents.admin.preview import allow_frames, body_of, frames_context
from contents.admin.writing.schedule import PublicationForm, describe_state, describe_stored, time_form
from contents.models import Content, ContentDraft, ContentSchedule
from contents.services import drafts
from contents.services.approval import levels_of, reach_of, state_of
from contents.services.schedules import schedule_draft, schedules_of
from contents.services.undoing import RESTORED
from core.admin.action_views import undo_button
from core.admin.admin_actions import Changed
from core.admin.error_messages import tell
from core.admin.numbers import read_number
from core.admin.views import address_of, render_page, seen_record
from core.lib.errors import ServiceError

DRAFT = "draft"  # name of the page


def draft_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Compare the draft with the public version, and approve, reject, submit or discard it (POST)."""
    content = seen_record(page, request, pk)
    draft = drafts.find_draft(content)
    if draft is None:
        messages.warning(request, _("The content item has no draft; it may have been published or discarded."))
        return HttpResponseRedirect(address_of(page, "change", pk))
    if request.method == "POST":
        return _decide(page, request, content, draft)
    content.text = body_of(content)
    shown = drafts.overlay(content, draft)
    view = request.GET.get("view", "")
    by_source = view == "source"
    words = ChangeWords(content.site_id)
    after = _version(shown)
    request.menu_entry = address_of(page, approval.WAITING.view)  # type: ignore[attr-defined]  # for the menu
    context = {
        "title": _("Draft: %(title)s") % {"title": shown.title},
        "original": content,
        "content_record": content,
        "draft": draft,
        "state": (state := state_of(drafts.as_content(draft))),
        "state_words": describe_state(state, schedules_of([pk]).get(pk)),
        "comparison": compare_versions(
            words, _version(content), after, by_source=by_source, number=request.GET.get("p")
        ),
        "by_source": by_source,
        "in_layout": view == approval.LAYOUT,
        "contested": list(_labels(drafts.conflicts_of(content, draft))),
        "may_decide": _may_decide(page, request, draft),
        "is_waiting": draft.checked_level >= 0,
        "may_change": page.allows(request, "change", content),
        "approve_label": _approve_label(request.user, draft),
        "time": time_form(request.user, content),
        "list_query": request.GET.get("list", ""),
        **(frames := frames_context(request, content.site)),
    }
    return allow_frames(render_page(page, request, "contents/draft.html", context), frames)


def _decide(page: Any, request: HttpRequest, content: Content, draft: ContentDraft) -> HttpResponse:
    sent, user = request.POST, request.user
    version, reasons = read_number(sent.get("version")) or 0, sent.get("reasons", "").strip()
    place, name = (content.site_id, content.pk), sent.get("act", "")
    time = PublicationForm(sent)
    if name == "schedule" and not time.is_valid():
        messages.error(request, _("Enter the time of publication."))
        return HttpResponseRedirect(draft_address(page, content.pk, sent.get("list", "")))
    acts: dict[str, tuple[str, Callable[[], Any]]] = {
        "approve": ("approve", lambda: drafts.approve_draft(*place, user, version, reasons=reasons)),
        "schedule": (
            "approve",
            lambda: schedule_draft(*place, user, version, time.cleaned_data["publish_at"], reasons),
        ),
        "reject": ("approve", lambda: drafts.reject_draft(*place, user, version, reasons)),
        "submit": ("change", lambda: drafts.submit_draft(*place, version)),
        "discard": ("change", lambda: drafts.discard_draft(*place, drafts.if_draft(version))),
    }
    right, act = acts.get(name, ("", None))
    is_allowed = (right == "approve" and bool(reach_of(user))) or bool(right and page.allows(request, right, content))
    if act is None or not is_allowed:
        raise Http404
    try:
        done = act()
    except ServiceError as refusal:
        messages.error(request, tell(refusal))
        if reasons:
            messages.warning(request, _("Your reasons were: %(reasons)s") % {"reasons": reasons})
        return HttpResponseRedirect(draft_address(page, content.pk, sent.get("list", "")))
    title = drafts.title_of(content, draft)
    told: str = _told(name, title, done)
    if isinstance(done, ContentSchedule):
        changed, back = [Changed(content.pk, done.version)], draft_address(page, content.pk, sent.get("list", ""))
        undo = undo_button(page, request, SCHEDULE, changed, back)
        told = format_html("{}{}", describe_stored(title, done), undo)
    messages.success(request, told)
    return HttpResponseRedirect(_following(page, request, content, name))


def _told(name: str, title: str, done: Any) -> str:
    if name == "approve" and done is not None:
        level = done.checked_level
        return _("The draft of “%(title)s” was approved up to level %(level)d.") % {"title": title, "level": level}
    words = {
        "approve": _("The draft of “%(title)s” was published."),
        "schedule": _("The draft of “%(title)s” was published."),
        "reject": _("The draft of “%(title)s” was rejected."),
        "submit": _("The draft of “%(title)s” was submitted for approval."),
        "discard": _("The draft of “%(title)s” was discarded. The public version stays."),
    }
    return words[name] % {"title": title}


def _following(page: Any, request: HttpRequest, content: Content, name: str) -> str:
    """After a decision, the next waiting draft or content; otherwise the content."""
    if name in {"submit", "discard"}:
        return address_of(page, "change", content.pk)
    return approval.following_address(page, request, request.POST.get("list", ""))


def draft_address(page: Any, content_id: int, list_query: str) -> str:
    return approval.with_list(address_of(page, DRAFT, content_id), list_query)


def _may_decide(page: Any, request: HttpRequest, draft: ContentDraft) -> bool:
    return bool(page.allows(request, "approve", drafts.as_content(draft)))


def _approve_label(user: Any, draft: ContentDraft) -> str:
    levels, reach = levels_of([draft.site_id])[draft.site_id], reach_of(user).at(drafts.as_content(draft))
    if reach >= levels:
        return _("Approve and publish")
    return _("Approve up to level %(level)d") % {"level": reach}


def _version(content: Content) -> Version:
    return {name: getattr(content, name) for name in RESTORED}, content.text


def _labels(names: list[str]) -> Iterator[str]:
    for name in names:
        if name == "content":
            yield _("Body")
        else:
            yield capfirst(str(label_of_field(name))) if name in RESTORED else name

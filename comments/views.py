"""Answers to visitors who comment: JSON for the script of the page, else pages."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.module_loading import import_string
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _

from channels_app.record_links import CONTENT
from comments.models import Comment
from comments.receiving import receive
from comments.records import rules_of
from contents.models import Content
from core.lib.errors import InvalidInput, LimitReached
from forms.receiving import Sent
from forms.rules import Problems
from forms.views import HEADERS, Outcome, as_json, local_path, read_values, wants_json
from pages.engine.elements.comments import PATH, form_of, own_form
from pages.engine.elements.forms import PAGE
from pages.engine.source import CommentRules
from pages.resolver import Addresses
from pages.site_lookup import Place

_LAST_ID = 2**63 - 1


def comments(request: HttpRequest, place: Place, addresses: Addresses, content_id: int) -> HttpResponse:
    """Store a comment, or show the form for one, with `to` for a reply to the comment with this id."""
    if request.method == "OPTIONS":
        return HttpResponse(status=HTTPStatus.NO_CONTENT, headers=HEADERS)
    shown = Content.objects.filter(site_id=place.site.pk, is_checked=True, trashed_at=None)
    content = shown.filter(pk=content_id).first() if content_id <= _LAST_ID else None
    if content is None or content.channel_id not in addresses.tree.channels:
        raise Http404
    rules = rules_of(addresses.tree, addresses.tree.find(content.channel_id))
    if rules.who == "Off":
        raise Http404
    member = _member(request, place)
    with translation.override(translation.get_language_from_request(request)):
        if request.method != "POST":
            values = {"parent": [request.GET["to"]]} if "to" in request.GET else {}
            return _show(place, content, rules, member, values)
        sent = read_values(request)
        outcome = _store(content, rules, sent, member, request)
        if wants_json(request):
            return as_json(outcome.body, outcome)
        return _show(place, content, rules, member, sent or {}, outcome)


comments.takes_posts = True  # type: ignore[attr-defined]


def _member(request: HttpRequest, place: Place) -> Any:
    """Return the user who is signed in to the site, unless another page has made the browser send the request."""
    origin = request.headers.get("Origin", "")
    if not place.has_own_host or (origin and origin != f"{request.scheme}://{request.get_host()}"):
        return None
    return import_string(settings.SITE_MEMBER)(request, place.site.pk)


def _store(content: Content, rules: CommentRules, sent: Sent | None, member: Any, request: HttpRequest) -> Outcome:
    try:
        if sent is None:
            raise InvalidInput("form_unreadable", _("The form could not be read, or is too large."))
        if rules.who == "Members" and member is None:
            told = _("Sign in to comment.")
            return Outcome(HTTPStatus.FORBIDDEN, told, "sign_in_first")
        comment = receive(content, rules, sent, member, request)
    except LimitReached as error:
        return Outcome(HTTPStatus.TOO_MANY_REQUESTS, error.message, error.code, wait=error.wait)
    except InvalidInput as error:
        errors = error.texts if isinstance(error, Problems) else {}
        return Outcome(HTTPStatus.BAD_REQUEST, error.message, error.code, errors)
    # Spam looks like any other comment.
    is_shown = comment.state != Comment.State.NEW and not rules.are_checked
    told = _("Thank you for your comment.") if is_shown else _("Thank you. Your comment appears after approval.")
    return Outcome(HTTPStatus.OK, told, token=comment.token)


def _show(
    place: Place,
    content: Content,
    rules: CommentRules,
    member: Any,
    values: Mapping[str, Any],
    outcome: Outcome | None = None,
) -> HttpResponse:
    """Show the form with what was typed, or the thanks."""
    page = local_path(next(iter(values.get(PAGE, ())), ""))
    context: dict[str, Any] = {
        "title": content.title,
        "language": translation.get_language(),
        "told": outcome.told if outcome else "",
        "back": page or f"{place.folder}/{CONTENT}/{content.pk}",
        "is_done": bool(outcome and outcome.token),
    }
    here = f"{place.folder}/{PATH}{content.pk}"
    if rules.who == "Members" and member is None:
        context["sign_in"] = f"{place.folder}/_account/sign-in?next={quote(context['back'])}"
    if not context["is_done"]:
        form = form_of(content.pk, content.title, is_named=member is None and rules.who == "Everybody")
        given = (values, dict(outcome.errors)) if outcome else (None, None)
        written = own_form(form, here, page, next(iter(values.get("parent", ())), ""), given)
        # own_form has escaped it.
        context["form"] = mark_safe(written)  # noqa: S308 # nosec B308 B703
    response = HttpResponse(render_to_string("comments/comment.html", context), headers={"X-Robots-Tag": "noindex"})
    if outcome:
        response.status_code = outcome.status
        for name, value in outcome.headers.items():
            response.headers[name] = value
    return response

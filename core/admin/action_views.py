from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from django.contrib import messages
from django.core import signing
from django.db.models import QuerySet
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.admin import admin_actions
from core.admin.admin_actions import AdminAction, Changed, Outcome
from core.admin.views import render_page
from core.lib.errors import InvalidInput

# Upper bound on filtered records scanned for suitable ones.
_LOOKED_THROUGH = 5000
SECONDS = 60 * 60  # of undo for an action
_SALT = "cms_api.admin.undo"  # of buttons that another release of the service showed, too


def ask(
    page: Any,
    request: HttpRequest,
    action: AdminAction,
    records: list[Any],
    sent: QueryDict,
    form: Form | None = None,
    seen: Mapping[int, int | None] | None = None,
) -> HttpResponse | None:
    """Return the confirmation page, or None after a message if there is nothing to do. `seen`: versions shown."""
    suited = [record for record in records if action.suits(record)]
    if not suited:
        messages.warning(request, str(action.nothing_to_do))
        return None
    action = action.worded(action, request, suited)
    places = Counter(map(page.place_of, suited))
    context = {
        "title": action.label,
        "action": action,
        "action_address": page._address("action", action.name),
        "question": action.question % {"count": len(suited)},
        "consequence": action.consequence(suited),
        "chosen": len(records),
        "others": [record for record in records if not action.suits(record)],
        "places": places.most_common(10) if len(places) > 1 else [],
        "records": [(record, page.about(record)) for record in suited[:20]],
        "more": max(0, len(suited) - 20),
        "ids": ",".join(identify(record, seen or {}) for record in suited),
        "list_query": sent.get("list", ""),
        "origin": sent.get("from", ""),
        "back": page._back_address(sent, records),
        "form": form or action.make_form(request, suited),
    }
    return render_page(page, request, "cms_admin/action.html", context)


def undo_view(page: Any, request: HttpRequest) -> HttpResponse:
    """Undo an action for its author, on the records that have not changed since."""
    if request.method != "POST":  # reloaded, or opened by its address
        messages.warning(request, _("Nothing was undone. Use the “Undo” button."))
        return HttpResponseRedirect(page._address("changelist"))
    try:
        sealed = signing.loads(request.POST.get("undo", ""), salt=_SALT, max_age=SECONDS)
        user, label, name, numbers, version_numbers, *formers, back = sealed
        versions: dict[int, int] = dict(zip(numbers, version_numbers, strict=True))
        former = {number: [value] for number, value in zip(numbers, formers[0], strict=True)} if formers else {}
        is_own = (user, label) == (request.user.pk, page.opts.label_lower)
    except (signing.BadSignature, TypeError, ValueError):
        is_own = False
    if not is_own:
        messages.error(request, _("This can no longer be undone: an hour has passed, or another administrator did it."))
        return HttpResponseRedirect(page._address("changelist"))
    action = next((action for action in page.actions_for(request) if action.name == name and action.take_back), None)
    if action is None:
        raise Http404
    # The action may have removed the records from the list.
    everywhere = page.in_seen_places(request, page.model._default_manager.all())
    records = list(page._in_order(everywhere.filter(pk__in=versions)))
    allowed = page.may_take_back(request, action, records)
    outcome = Outcome()

    def take_back(changed: Any) -> Any:
        if action.at_once:
            return action.take_back(request, [(record, versions[record.pk]) for record in changed])
        return action.take_back(request, changed, versions[changed.pk], *former.get(changed.pk, ()))

    def refuse(record: Any) -> InvalidInput | None:
        return None if record.pk in allowed else InvalidInput("right_gone", "You no longer have the right to do this.")

    try:
        admin_actions.run(take_back, records, outcome, at_once=action.at_once, refuse=refuse)
    finally:
        _report_taken_back(request, outcome, len(versions) - len(records))
    return HttpResponseRedirect(back)


def undo_button(
    page: Any, request: HttpRequest, action: AdminAction, changed: Sequence[Changed], back: str
) -> SafeString | str:
    """Return a button that undoes the action; it holds the signed list of changes: the server stores nothing."""
    if action.take_back is None or not changed:
        return ""
    # Lists compress better than pairs: messages travel in a cookie as long as they fit.
    lists = [values for values in zip(*changed, strict=True) if set(values) != {None}]
    undone = [request.user.pk, page.opts.label_lower, action.name, *lists, back]
    sealed = signing.dumps(undone, salt=_SALT, compress=True)
    attributes = 'class="undo" form="undo" formaction="{}" name="undo" value="{}" aria-keyshortcuts="Control+Z"'
    return format_html(f" <button {attributes}>{{}}</button>", page._address("undo"), sealed, _("Undo"))


def ask_of_chosen(action: AdminAction, page: Any, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
    """An action as an action of the list: confirm it for the records chosen there, or do it if it is harmless."""
    queryset = page.in_places(request, queryset, action.permission)
    sent = QueryDict(mutable=True)
    sent["list"] = request.GET.urlencode()
    if request.POST.get("select_across", "0") == "0":
        records = list(page._in_order(queryset)[: admin_actions.MAX + 1])
        if len(records) > admin_actions.MAX:
            messages.error(request, _("Choose at most %(count)d records at a time.") % {"count": admin_actions.MAX})
            return None
        if action.is_harmless and records:
            return HttpResponseRedirect(page._perform(request, action, records, {}, {}, sent))
    else:
        # In list order, skipping records the action does not suit, so that it can be repeated for the rest.
        found = filter(action.suits, queryset[:_LOOKED_THROUGH].iterator(chunk_size=admin_actions.MAX))
        records = list(islice(found, admin_actions.MAX))
        if next(found, None) is not None:
            told = _(
                "Too many records match to process at once. These are the first %(count)d; repeat the action for the "
                "others."
            )
            messages.info(request, told % {"count": admin_actions.MAX})
    return ask(page, request, action, records, sent)


def identify(record: Any, seen: Mapping[int, int | None]) -> str:
    version = seen.get(record.pk) or getattr(record, "version", None)
    return f"{record.pk}:{version}" if version is not None else str(record.pk)


def _report_taken_back(request: HttpRequest, outcome: Outcome, gone: int) -> None:
    if count := len(outcome.done):
        told = ngettext("%(count)d change was undone.", "%(count)d changes were undone.", count)
        messages.success(request, told % {"count": count})
    admin_actions.report_errors(request, outcome)
    if gone:
        told = ngettext("%(count)d no longer exists.", "%(count)d no longer exist.", gone)
        messages.error(request, told % {"count": gone})

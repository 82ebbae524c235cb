"""The page that asks before an act, and the way back from one."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cms_api.admin import acts, undo
from cms_api.admin.acts import Act, Outcome
from cms_api.admin.views import render_page
from cms_api.lib.errors import InvalidInput

# Records of a filter that are looked through for those which an act suits: 500 at a time, one gets to all of them.
_LOOKED_THROUGH = 5000
_PLACES = 10


@dataclass(frozen=True)
class Effect:
    """The records that an act would be done to, and those that it leaves as they are."""

    records: list[Any]
    others: list[Any]
    # The places of the records with how many stand there, the fullest first; empty where all stand in one.
    places: list[tuple[str, int]] = field(default_factory=list)

    @property
    def chosen(page) -> int:
        """How many were chosen."""
        return len(page.records) + len(page.others)


def ask(
    page: Any,
    request: HttpRequest,
    act: Act,
    records: list[Any],
    sent: QueryDict,
    form: Form | None = None,
    seen: Mapping[int, int | None] | None = None,
) -> HttpResponse | None:
    """The page that tells what the act would do, with the button that does it; None where it would do nothing.

    `sent` holds where it began (`from`, `list`), `seen` the versions that were looked at before.
    """
    suited = [record for record in records if act.suits(record)]
    places = Counter(map(page.place_of, suited))
    others = [record for record in records if not act.suits(record)]
    effect = Effect(suited, others, places.most_common(_PLACES) if len(places) > 1 else [])
    if not effect.records:
        messages.warning(request, str(act.nothing_to_do))
        return None
    act = act.worded(act, request, effect.records)
    context = {
        "title": act.label,
        "act": act,
        "action_address": page._address("act", act.name),
        "question": act.question % {"count": len(effect.records)},
        "consequence": act.consequence(effect.records),
        "effect": effect,
        "records": [(record, page.about(record)) for record in effect.records[:20]],
        "more": max(0, len(effect.records) - 20),
        "ids": ",".join(identify(record, seen or {}) for record in effect.records),
        "list_query": sent.get("list", ""),
        "origin": sent.get("from", ""),
        "back": page._back_address(sent, records),
        "form": form or act.make_form(request, effect.records),
    }
    return render_page(page, request, "cms_admin/act.html", context)


def undo_view(page: Any, request: HttpRequest) -> HttpResponse:
    """Take back what an act changed and nobody has changed since, at once, for who did it."""
    if request.method != "POST":  # somebody has reloaded the page, or typed its address
        messages.warning(request, _("Nothing was taken back: that needs a click on the button “Undo”."))
        return HttpResponseRedirect(page._address("changelist"))
    try:
        undone = undo.read(request, page.opts.label_lower)
    except undo.NotToBeTakenBack:
        messages.error(request, _("This cannot be taken back any more: an hour has passed, or it was another's."))
        return HttpResponseRedirect(page._address("changelist"))
    act = next((act for act in page.acts_for(request) if act.name == undone.act and act.take_back), None)
    if act is None:
        raise Http404
    versions: dict[int, int] = dict(undone.changed)
    # An act may have taken them away from the list.
    everywhere = page.of_own_sites(request, page.model._default_manager.all())
    records = list(page._in_order(everywhere.filter(pk__in=versions)))
    allowed = page.may_take_back(request, act, records)
    outcome = Outcome()
    step = acts.leaving_out(
        lambda record: record.pk not in allowed,
        lambda: InvalidInput("right_gone", "The right to do this is gone."),
        acts.step_back(act, request, versions),
    )
    try:
        acts.run(step, records, outcome)
    finally:
        _report_taken_back(request, outcome, len(versions) - len(records))
    return HttpResponseRedirect(undone.back)


def ask_of_chosen(act: Act, page: Any, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
    """The act as an action of the list: the page that asks, of the records that were chosen there."""
    is_all = request.POST.get("select_across", "0") != "0"
    records = list(islice(_suited(act, queryset) if is_all else queryset.order_by("pk"), acts.MOST + 1))
    if len(records) > acts.MOST:
        if not is_all:
            messages.error(request, _("Choose at most %(count)d records at a time.") % {"count": acts.MOST})
            return None
        records.pop()
        told = _("More match than can be acted on at once: these are the first %(count)d. Repeat it for the others.")
        messages.info(request, told % {"count": acts.MOST})
    sent = QueryDict(mutable=True)
    sent["list"] = request.GET.urlencode()
    return ask(page, request, act, records, sent)


def _suited(act: Act, queryset: QuerySet[Any]) -> Iterator[Any]:
    # In the order of the list; without those that the act has been done to already, so that it can be repeated.
    found = queryset[:_LOOKED_THROUGH].iterator(chunk_size=acts.MOST)
    return filter(act.suits, found)


def identify(record: Any, seen: Mapping[int, int | None]) -> str:
    """The record's number, with the version in which it was seen where its kind has versions."""
    version = seen.get(record.pk) or getattr(record, "version", None)
    return f"{record.pk}:{version}" if version is not None else str(record.pk)


def _report_taken_back(request: HttpRequest, outcome: Outcome, gone: int) -> None:
    if count := len(outcome.done):
        told = ngettext("%(count)d change was taken back.", "%(count)d changes were taken back.", count)
        messages.success(request, told % {"count": count})
    acts.tell_refusals(request, outcome)
    if gone:
        told = ngettext("%(count)d is not there any more.", "%(count)d are not there any more.", gone)
        messages.error(request, told % {"count": gone})

"""The half of all pages of records that acts on them: buttons, the page that asks, and the way back."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IS_POPUP_VAR
from django.db.models import Model, QuerySet
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_post_parameters

from cms_api.admin import acts, undo
from cms_api.admin.acts import Act, Outcome
from cms_api.admin.effects import effect_of
from cms_api.admin.numbers import read_chosen
from cms_api.admin.undo import Undo
from cms_api.lib.errors import InvalidInput

# Records of a filter that are looked through for those which an act suits: 500 at a time, one gets to all of them.
_LOOKED_THROUGH = 5000


class PagesWithActs(admin.ModelAdmin):  # type: ignore[type-arg]
    """Pages of records to which acts may be done, one at a time or many."""

    # What may be done to records.
    acts: Sequence[Act] = ()
    # How a record leads to the number of its site; None: records of no site, not for site administrators.
    site_lookup: str | None = None
    # Views besides the list from which acts are begun and to which they lead back: name in the address → view.
    origins: Mapping[str, str] = {}
    change_form_template = "cms_admin/record.html"

    def allows(self, request: HttpRequest, act: str, record: Model | None = None) -> bool:
        """Whether the administrator may do the act, to that record if given."""
        raise NotImplementedError

    def acts_for(self, request: HttpRequest, record: Model | None = None) -> list[Act]:
        """The acts that the administrator may do, to that record if given."""
        return [
            act
            for act in self.acts
            if self.allows(request, act.permission, record) and (record is None or act.suits(record))
        ]

    def of_own_sites(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Those of the records that belong to the sites of the administrator."""
        raise NotImplementedError

    def may_take_back(self, request: HttpRequest, act: Act, records: Sequence[Any]) -> set[int]:
        """The numbers of those to which whoever did the act may still undo it, if nobody has changed them since."""
        return {record.pk for record in records if self.allows(request, act.permission, record)}

    def place_of(self, record: Any) -> str:
        """Where the record stands, as a summary of an act names it; records of pages without places are not told."""
        return ""

    def about(self, record: Any) -> list[str]:
        """What the page that asks tells of a record beside its name."""
        place = self.place_of(record)
        return [place] if place else []

    def get_urls(self) -> list[URLPattern]:
        """Django's, the page that asks before an act, and the address of the way back."""
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        asking = path("acts/<slug:name>/", self.admin_site.admin_view(self.act_view), name=f"{name}_act")
        taking_back = path("undo/", self.admin_site.admin_view(self.undo_view), name=f"{name}_undo")
        return [asking, taking_back, *super().get_urls()]

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """The acts as actions of the list."""
        if self.actions is None or IS_POPUP_VAR in request.GET:
            return {}
        own = {act.name: (partial(_ask, act), act.name, act.label) for act in self.acts_for(request)}
        return {**super().get_actions(request), **own}

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list, with its acts: those done often as buttons, the others in a menu."""
        if "action" in request.POST and not request.POST.getlist(ACTION_CHECKBOX_NAME):
            messages.warning(request, _("Nothing is chosen."))
            return HttpResponseRedirect(request.get_full_path())
        found = self.acts_for(request)
        quick = [act for act in found if act.is_quick]
        context = {"acts": quick or found, "more_acts": [act for act in found if quick and act not in quick]}
        return super().changelist_view(request, context | {"most": acts.MOST} | (extra_context or {}))

    @method_decorator(sensitive_post_parameters("own_password"))
    def act_view(self, request: HttpRequest, name: str) -> HttpResponse:
        """Ask, and on a POST do it. Records that are not to be seen are as if they did not exist."""
        act = next((act for act in self.acts_for(request) if act.name == name), None)
        sent = request.POST if request.method == "POST" else request.GET
        chosen = dict(islice(read_chosen(",".join(sent.getlist("ids"))).items(), acts.MOST))
        found = self.get_queryset(request).select_related(*(self.list_select_related or ()))  # type: ignore[misc]
        records = list(self._in_order(found.filter(pk__in=chosen)))
        if act is None or not records:
            raise Http404
        form = act.make_form(request, records, sent) if request.method == "POST" else None
        if request.method != "POST" or (form is not None and not form.is_valid()):
            return self.ask(request, act, records, sent, form, chosen) or self._lead_back(sent, records)
        back = self._perform(request, act, records, chosen, form.cleaned_data if form else {}, sent)
        return HttpResponseRedirect(back)

    def ask(
        self,
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
        effect = effect_of(act, records, self.place_of)
        if not effect.records:
            messages.warning(request, str(act.nothing_to_do))
            return None
        act = act.worded(act, request, effect.records)
        context = {
            **self.admin_site.each_context(request),
            "title": act.label,
            "opts": self.opts,
            "act": act,
            "action_address": self._address("act", act.name),
            "question": act.question % {"count": len(effect.records)},
            "consequence": act.consequence(effect.records),
            "effect": effect,
            "records": [(record, self.about(record)) for record in effect.records[:20]],
            "more": max(0, len(effect.records) - 20),
            "ids": ",".join(_identify(record, seen or {}) for record in effect.records),
            "list_query": sent.get("list", ""),
            "origin": sent.get("from", ""),
            "back": self._back_address(sent, records),
            "form": form or act.make_form(request, effect.records),
        }
        return TemplateResponse(request, "cms_admin/act.html", context)

    def undo_view(self, request: HttpRequest) -> HttpResponse:
        """Take back what an act changed and nobody has changed since, at once, for who did it."""
        if request.method != "POST":  # somebody has reloaded the page, or typed its address
            messages.warning(request, _("Nothing was taken back: that needs a click on the button “Undo”."))
            return self._back_to_list()
        try:
            undone = undo.read(request, self.opts.label_lower)
        except undo.NotToBeTakenBack:
            messages.error(request, _("This cannot be taken back any more: an hour has passed, or it was another's."))
            return HttpResponseRedirect(self._address("changelist"))
        act = next((act for act in self.acts_for(request) if act.name == undone.act and act.take_back), None)
        if act is None:
            raise Http404
        self._take_back(request, act, undone)
        return HttpResponseRedirect(undone.back)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        """The page of a record, with its acts."""
        context |= self.acts_context(request, options.get("obj"))
        return super().render_change_form(request, context, *args, **options)

    def acts_context(self, request: HttpRequest, record: Any) -> dict[str, Any]:
        """What `cms_admin/record_acts.html` shows: the acts for the record, those done often apart from the others."""
        if record is None:
            return {}
        found = self.acts_for(request, record)
        quick = [act for act in found if act.is_quick] or found
        more = [act for act in found if act not in quick]
        return {"acts": quick, "more_acts": more, "chosen": _identify(record, {})}

    def _perform(
        self,
        request: HttpRequest,
        act: Act,
        records: list[Any],
        seen: Mapping[int, int | None],
        values: Mapping[str, Any],
        sent: QueryDict,
    ) -> str:
        """Do the act and tell of it; the answer is the address of the page that follows."""
        outcome, suited = Outcome(), list(filter(act.suits, records))
        if not suited:  # somebody was quicker, or clicked twice
            messages.warning(request, str(act.nothing_to_do))
        try:
            acts.run(acts.step_of(act, request, seen, values), suited, outcome)
        finally:
            # Also after an error: what has been done until then stays done.
            back = self._back_address(sent, self.get_queryset(request).filter(pk__in=[one.pk for one in records]))
            acts.report(act, request, outcome, self._undo_button(request, act, outcome, back))
        return back

    def _undo_button(self, request: HttpRequest, act: Act, outcome: Outcome, back: str) -> str:
        if act.take_back is None or not outcome.changed:
            return ""
        made = Undo(act.name, outcome.changed, back)
        return made.button(request, self.opts.label_lower, self._address("undo"))

    def _take_back(self, request: HttpRequest, act: Act, undone: Undo) -> None:
        versions: dict[int, int] = dict(undone.changed)
        records = list(self._in_order(self._wherever(request).filter(pk__in=versions)))
        outcome = Outcome()
        gone = len(versions) - len(records)
        allowed = self.may_take_back(request, act, records)
        step = acts.step_back(act, request, versions)
        try:
            acts.run(acts.leaving_out(lambda record: record.pk not in allowed, _right_gone, step), records, outcome)
        finally:
            _report_taken_back(request, outcome, gone)

    def _wherever(self, request: HttpRequest) -> QuerySet[Any]:
        # An act may have taken them away from the list.
        return self.of_own_sites(request, self.model._default_manager.all())

    def _in_order(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        # Acts take locks of a site until the portion ends: in one order, so that two of them, on contents or on
        # channels, cannot wait for each other in a circle.
        return queryset.order_by(*filter(None, [self.site_lookup, "pk"]))

    def _lead_back(self, sent: QueryDict, records: Sequence[Any]) -> HttpResponse:
        return HttpResponseRedirect(self._back_address(sent, records))

    def _back_to_list(self, query: str = "") -> HttpResponse:
        address = self._address("changelist")
        return HttpResponseRedirect(f"{address}?{query}" if query else address)

    def _back_address(self, sent: QueryDict, records: Any) -> str:
        """The page from which the act was begun: that of the record while it is there, the list as it was."""
        origin, query = sent.get("from", ""), sent.get("list", "")
        if origin == "record" and (record := next(iter(records), None)) is not None:
            return self._address("change", record.pk)
        address = self._address(self.origins.get(origin, "changelist"))
        return f"{address}?{query}" if query else address

    def _address(self, view: str, *arguments: Any) -> str:
        name = f"{self.admin_site.name}:{self.opts.app_label}_{self.opts.model_name}_{view}"
        return reverse(name, args=arguments)


def _ask(act: Act, pages: PagesWithActs, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
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
    return pages.ask(request, act, records, sent)


def _suited(act: Act, queryset: QuerySet[Any]) -> Iterator[Any]:
    # In the order of the list; without those that the act has been done to already, so that it can be repeated.
    found = queryset[:_LOOKED_THROUGH].iterator(chunk_size=acts.MOST)
    return filter(act.suits, found)


def _identify(record: Any, seen: Mapping[int, int | None]) -> str:
    """The record's number, with the version in which it was seen where its kind has versions."""
    version = seen.get(record.pk) or getattr(record, "version", None)
    return f"{record.pk}:{version}" if version is not None else str(record.pk)


def _right_gone() -> InvalidInput:
    return InvalidInput("right_gone", "The right to do this is gone.")


def _report_taken_back(request: HttpRequest, outcome: Outcome, gone: int) -> None:
    if count := len(outcome.done):
        told = ngettext("%(count)d change was taken back.", "%(count)d changes were taken back.", count)
        messages.success(request, told % {"count": count})
    acts.tell_refusals(request, outcome)
    if gone:
        told = ngettext("%(count)d is not there any more.", "%(count)d are not there any more.", gone)
        messages.error(request, told % {"count": gone})

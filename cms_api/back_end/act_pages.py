"""The half of all pages of records that acts on them: buttons, actions of the list, and the page that asks."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from cms_api.back_end import acts
from cms_api.back_end.acts import Act, Outcome
from cms_api.back_end.confirmation import ConfirmedForm
from cms_api.back_end.numbers import read_numbers


class PagesWithActs(admin.ModelAdmin):  # type: ignore[type-arg]
    """Pages of records to which acts may be done, one at a time or many."""

    # What may be done to records.
    acts: Sequence[Act] = ()
    # How a record leads to the number of its site; None: records of no site, not for site administrators.
    site_lookup: str | None = None
    change_form_template = "back_end/record.html"

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

    def get_urls(self) -> list[URLPattern]:
        """Django's, and the page that asks before an act."""
        name = f"{self.opts.app_label}_{self.opts.model_name}_act"
        asking = path("acts/<slug:name>/", self.admin_site.admin_view(self.act_view), name=name)
        return [asking, *super().get_urls()]

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """The acts as actions of the list."""
        if self.actions is None or IS_POPUP_VAR in request.GET:
            return {}
        own = {act.name: (partial(_ask, act), act.name, act.label) for act in self.acts_for(request)}
        return {**super().get_actions(request), **own}

    @method_decorator(sensitive_post_parameters("own_password"))
    def act_view(self, request: HttpRequest, name: str) -> HttpResponse:
        """Ask, and on a POST do it. Records that are not to be seen are as if they did not exist."""
        act = next((act for act in self.acts_for(request) if act.name == name), None)
        records = self._chosen(request)
        if act is None or not records:
            raise Http404
        query = request.POST.get("list", "")
        form = ConfirmedForm(request, request.POST or None) if act.asks_password else None
        if request.method != "POST" or (form is not None and not form.is_valid()):
            return self.ask(request, act, records, query, form) or self._back_to_list()
        self._perform(request, act, records)
        return self._back_to_list(query)

    def ask(
        self, request: HttpRequest, act: Act, records: list[Any], query: str = "", form: ConfirmedForm | None = None
    ) -> HttpResponse | None:
        """The page that tells what the act would do, with the button that does it; None where it would do nothing.

        `query` leads back to the list as it was.
        """
        records = list(filter(act.suits, records))
        if not records:
            messages.warning(request, _("There is nothing to do: it has been done to all of them already."))
            return None
        context = {
            **self.admin_site.each_context(request),
            "title": act.label,
            "opts": self.opts,
            "act": act,
            "action_address": self._address("act", act.name),
            "question": act.question % {"count": len(records)},
            "consequence": act.consequence(records),
            "records": records[:20],
            "more": max(0, len(records) - 20),
            "ids": ",".join(str(record.pk) for record in records),
            "list_query": query,
            "form": form or (ConfirmedForm(request) if act.asks_password else None),
        }
        return TemplateResponse(request, "back_end/act.html", context)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        """The page of a record, with its acts."""
        record = options.get("obj")
        context["acts"] = self.acts_for(request, record) if record is not None else []
        return super().render_change_form(request, context, *args, **options)

    def _perform(self, request: HttpRequest, act: Act, records: list[Any]) -> None:
        outcome = Outcome()
        try:
            acts.perform(act, request, list(filter(act.suits, records)), outcome)
        finally:
            # Also after an error: what has been done until then stays done.
            acts.report(act, request, outcome)

    def _chosen(self, request: HttpRequest) -> list[Any]:
        sent = request.POST if request.method == "POST" else request.GET
        numbers = read_numbers(sent.get("ids", ""))[: acts.MOST]
        return list(self._in_order(self.get_queryset(request).filter(pk__in=numbers)))

    def _in_order(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        # Acts take locks of a site until the portion ends: in one order, so that two of them, on contents or on
        # channels, cannot wait for each other in a circle.
        return queryset.order_by(*filter(None, [self.site_lookup, "pk"]))

    def _back_to_list(self, query: str = "") -> HttpResponse:
        address = self._address("changelist")
        return HttpResponseRedirect(f"{address}?{query}" if query else address)

    def _address(self, view: str, *arguments: Any) -> str:
        name = f"{self.admin_site.name}:{self.opts.app_label}_{self.opts.model_name}_{view}"
        return reverse(name, args=arguments)


def _ask(act: Act, pages: PagesWithActs, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
    records = list(queryset.order_by("pk")[: acts.MOST + 1])
    if len(records) > acts.MOST:
        messages.error(request, _("Choose at most %(count)d records at a time.") % {"count": acts.MOST})
        return None
    return pages.ask(request, act, records, request.GET.urlencode())

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, ngettext_lazy
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from core.admin.admin_actions import AdminAction
from core.admin.pages import BaseModelAdmin
from core.admin.sent_forms import once, shown_once
from core.admin.start import Figure, Panel, Row, add_panel
from core.admin.views import address_of, page_of, render_page, route, seen_record
from core.lib.errors import LimitReached
from webhooks.admin.forms import PeriodForm, RotationForm, WebhookForm
from webhooks.admin.sites import SiteFilter, site_name
from webhooks.deliveries import between, last_position, replay
from webhooks.event_names import EVENT_NAMES
from webhooks.models import Delivery, Webhook, WebhookChanged
from webhooks.services import delete, test

_CHANGED = _("Someone else has changed this webhook. Nothing was done; review it and try again.")
_ROWS = 5  # of the panel
hide_password = method_decorator(sensitive_post_parameters("own_password"))


DELETE = AdminAction(
    "delete",
    _("Delete"),
    ngettext_lazy("Delete %(count)d webhook?", "Delete %(count)d webhooks?", "count"),
    ngettext_lazy("%(count)d webhook was deleted.", "%(count)d webhooks were deleted.", "count"),
    lambda request, hook: delete(hook.pk, None),
    consequence=lambda hooks: _("Their deliveries are deleted, too."),
    is_grave=True,
    asks_password=True,
)


@admin.register(Webhook)
class WebhookAdmin(BaseModelAdmin):
    """Webhooks of all sites for the highest rank, and of their own sites for site administrators."""

    by_groups = False
    site_lookup = "site_id"
    change_list_template = "webhooks/list.html"
    list_display = ["name", "url", "site_text", "events_text", "state_text"]
    list_filter = ["is_on", SiteFilter]
    search_fields = ["name", "url"]
    ordering = ["name", "pk"]
    admin_actions = [DELETE]

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return self.allows(request, "add")

    def get_urls(self) -> list[URLPattern]:
        return [
            route(self, "<int:pk>/edit/", "edit", edit_view),
            route(self, "<int:pk>/rotate/", "rotate", rotate_view),
            route(self, "<int:pk>/test/", "test", test_view),
            route(self, "<int:pk>/replay/", "replay", replay_view),
            *super().get_urls(),
        ]

    @admin.display(description=_("site"), ordering="site_id")
    def site_text(self, hook: Webhook) -> str:
        return site_name(hook)

    @admin.display(description=_("events"))
    def events_text(self, hook: Webhook) -> str:
        names = sorted(hook.parse_event_names())
        return ", ".join(str(EVENT_NAMES.get(name, name)) for name in names) or str(_("all"))

    @admin.display(description=_("state"), ordering="is_on")
    def state_text(self, hook: Webhook) -> str:
        return state_of(hook)

    @hide_password
    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = WebhookForm(request, request.POST or None)
        if request.method == "POST" and form.is_valid():
            hook = Webhook.create(form.values, last_position())
            return _show_secret(self, request, hook, _("The webhook has been created."))
        return _answer(self, request, "form", None, _("Add webhook"), form=form)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if request.method == "POST":
            raise PermissionDenied
        return _show(self, request, seen_record(self, request, object_id))


def state_of(hook: Webhook) -> str:
    if hook.reason:
        return _now("off: %(reason)s") % {"reason": hook.get_reason_display()}
    if not hook.is_on:
        return _now("off")
    return _now("on, but fails") if hook.failing_since else _now("on")


def _show(page: WebhookAdmin, request: HttpRequest, hook: Webhook, **context: Any) -> HttpResponse:
    waiting = hook.deliveries.filter(state=Delivery.State.WAITING).count()
    return _answer(
        page,
        request,
        "hook",
        hook,
        hook.name,
        state=state_of(hook),
        site=site_name(hook),
        events=page.events_text(hook),
        waiting=waiting,
        deliveries=f"{reverse('admin:webhooks_delivery_changelist')}?webhook__id__exact={hook.pk}",
        **page.actions_context(request, hook),
        **context,
    )


@hide_password
def edit_view(page: WebhookAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    hook = seen_record(page, request, pk)
    form = WebhookForm(request, request.POST or None, hook=hook)
    if request.method == "POST" and form.is_valid():
        try:
            hook.change(form.values, seen=form.cleaned_data["seen"])
        except WebhookChanged:
            return _back(request, hook, _CHANGED, messages.ERROR)
        return _back(request, hook, _("The webhook has been changed."))
    return _answer(page, request, "form", hook, _("Change webhook"), form=form)


@hide_password
@once
def rotate_view(page: WebhookAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    hook = seen_record(page, request, pk)
    form = RotationForm(request, request.POST or None, initial={"seen": hook.stamp})
    if request.method == "POST" and form.is_valid():
        try:
            hook.rotate(seen=form.cleaned_data["seen"])
        except WebhookChanged:
            return _back(request, hook, _CHANGED, messages.ERROR)
        return _show_secret(page, request, hook, _("The webhook has a new secret."))
    explanation = _("The webhook gets a new secret. For 24 hours the old one signs, too, so that no event is refused.")
    return _answer(page, request, "action", hook, _("Rotate the secret"), form=form, explanation=explanation)


def test_view(page: WebhookAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    hook = seen_record(page, request, pk)
    if request.method != "POST":
        return HttpResponseRedirect(address_of(page, "change", pk))
    try:
        return _show(page, request, hook, outcome=test(hook))
    except LimitReached:
        return _back(request, hook, _("Another test waits for its receiver; try again in a moment."), messages.ERROR)


@once
def replay_view(page: WebhookAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    hook = seen_record(page, request, pk)
    form = PeriodForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        number = replay(hook, between(hook, form.cleaned_data["first"], form.cleaned_data["last"]))
        told = ngettext("%(count)d event will be delivered again.", "%(count)d events will be delivered again.", number)
        return _back(request, hook, told % {"count": number})
    explanation = _("Events of this period that were delivered or given up are sent again, with the same messages.")
    return _answer(page, request, "action", hook, _("Deliver again"), form=form, explanation=explanation)


@sensitive_variables("hook")
def _show_secret(page: WebhookAdmin, request: HttpRequest, hook: Webhook, done: Any) -> HttpResponse:
    # Rendered in response to the POST, so that the secret passes through no session, message or address.
    return shown_once(_answer(page, request, "secret", hook, done, secret=hook.secret))


def _back(request: HttpRequest, hook: Webhook, text: Any, level: int = messages.SUCCESS) -> HttpResponse:
    messages.add_message(request, level, text)
    is_there = Webhook.objects.filter(pk=hook.pk).exists()
    view, arguments = ("change", [hook.pk]) if is_there else ("changelist", [])
    return HttpResponseRedirect(reverse(f"admin:webhooks_webhook_{view}", args=arguments))


def _answer(
    page: WebhookAdmin, request: HttpRequest, template: str, hook: Webhook | None, title: Any, **context: Any
) -> HttpResponse:
    return render_page(page, request, f"webhooks/{template}.html", context | {"hook": hook, "title": title})


def _panel(site: AdminSite, request: HttpRequest) -> Panel | None:
    page = page_of(site, request, Webhook)
    if page is None:
        return None
    hooks: QuerySet[Webhook] = page.get_queryset(request)
    worrying = hooks.exclude(reason="") | hooks.filter(is_on=True, failing_since__isnull=False)
    if not worrying.exists():
        return None
    rows = [Row(hook.name, address_of(page, "change", hook.pk), state_of(hook), True) for hook in worrying[:_ROWS]]
    figures = [Figure(_("webhooks that fail"), str(worrying.count()), address_of(page), is_worrying=True)]
    return Panel("webhooks", _("Webhooks"), address_of(page), figures=figures, rows=rows)


add_panel(75, "webhooks", _("Webhooks"), _panel)

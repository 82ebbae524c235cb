"""The pages of the signed-in administrator's own notifications, and their choices."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from core.admin.numbers import read_number
from core.lib import clock
from core.mail.messages import is_set_up
from core.notifications.kinds import NotificationKind, kinds
from core.notifications.mailing import DIGEST_HOUR
from core.notifications.models import Email, Notification, NotificationChoice
from core.notifications.words import headline, lines, note_of, page_of

_PAGE = 50
_MAX_COUNTED = 99


def unread_text(user: Any) -> str:
    """Return the number of unread notifications, `12` or `99+`; empty for none."""
    number = Notification.objects.unread_of(user)[: _MAX_COUNTED + 1].count()
    return f"{_MAX_COUNTED}+" if number > _MAX_COUNTED else str(number or "")


def unread_view(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"unread": unread_text(request.user)})


def list_view(request: HttpRequest) -> HttpResponse:
    own = _own(request.user)
    if request.method == "POST":
        # Those that came after the page was shown stay unread.
        last, number = read_number(request.POST.get("until")), read_number(request.POST.get("read"))
        chosen = own.filter(pk=number or 0) if last is None else own.filter(pk__lte=last)
        chosen.filter(read_at=None).update(read_at=clock.now())
        return HttpResponseRedirect(request.get_full_path())
    is_read = ExpressionWrapper(Q(read_at__isnull=False), output_field=BooleanField())
    page = Paginator(own.annotate(is_read=is_read).order_by("is_read", "-pk"), _PAGE).get_page(request.GET.get("page"))
    rows = [
        {
            "row": row,
            "headline": headline([row]),
            "lines": lines([row]) if row.params["count"] > 1 else [],
            "note": note_of(row),
            "has_page": bool(page_of(row)),
        }
        for row in page
    ]
    newest = own.order_by("-pk").values_list("pk", flat=True).first() if any(not row.read_at for row in page) else None
    context = {"title": _("Notifications"), "page": page, "rows": rows, "newest": newest}
    return _render(request, "notifications/list.html", context)


def open_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Mark the notification as read and redirect to its record."""
    row = get_object_or_404(Notification, administrator_id=request.user.pk, kind__in=kinds(), pk=pk)
    Notification.objects.filter(pk=pk, read_at=None).update(read_at=clock.now())
    return HttpResponseRedirect(page_of(row) or reverse("admin:notifications"))


class _ChoicesForm(forms.Form):
    def __init__(self, user: Any, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._user = user
        for name, kind in self._kinds.items():
            stored = self._stored.get(name) or NotificationChoice()
            bell = forms.BooleanField(required=False, initial=stored.in_bell)
            email = forms.ChoiceField(choices=Email, initial=stored.email)
            for field, words in ((bell, _("in the admin")), (email, _("by email"))):
                field.widget.attrs["aria-label"] = f"{kind.label}: {words}"
            self.fields |= {f"bell-{name}": bell, f"email-{name}": email}

    @cached_property
    def _kinds(self) -> dict[str, NotificationKind]:
        return {name: kind for name, kind in kinds().items() if kind.concerns(self._user)}

    @cached_property
    def _stored(self) -> dict[str, NotificationChoice]:
        return {choice.kind: choice for choice in NotificationChoice.objects.filter(administrator=self._user)}

    def rows(self) -> list[tuple[Any, Any, Any]]:
        return [(kind.label, self[f"bell-{name}"], self[f"email-{name}"]) for name, kind in self._kinds.items()]

    def save(self) -> None:
        """Store the choices; those for e-mail also apply to unsent messages."""
        values = self.cleaned_data
        NotificationChoice.objects.bulk_create(
            [
                NotificationChoice(
                    administrator=self._user, kind=name, in_bell=values[f"bell-{name}"], email=values[f"email-{name}"]
                )
                for name in self._kinds
            ],
            update_conflicts=True,
            unique_fields=["administrator", "kind"],
            update_fields=["in_bell", "email"],
        )
        for email in Email:
            names = [name for name in self._kinds if values[f"email-{name}"] == email]
            waiting = Notification.objects.filter(administrator=self._user, kind__in=names, mailed_at=None)
            waiting.exclude(email=Email.NEVER).update(email=email)


def choices_view(request: HttpRequest) -> HttpResponse:
    form = _ChoicesForm(request.user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Your choices were saved."))
        return HttpResponseRedirect(request.get_full_path())
    context = {
        "title": _("Choose notifications"),
        "form": form,
        "has_mail": is_set_up(),
        "has_address": bool(getattr(request.user, "email", "")),
        "hour": f"{DIGEST_HOUR}:00",
    }
    return _render(request, "notifications/choices.html", context)


def _own(user: Any) -> QuerySet[Notification]:
    return Notification.objects.filter(administrator=user, in_bell=True, kind__in=kinds())


def _render(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    return TemplateResponse(request, template, {**admin.site.each_context(request), **context})

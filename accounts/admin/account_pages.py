from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path
from django.utils.decorators import method_decorator
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext
from django.views.decorators.debug import sensitive_post_parameters

from accounts.admin.forms import NewPasswordForm
from accounts.models import Account, Administrator
from core.admin.formatting import moment_markup
from core.admin.pages import ActionModelAdmin
from core.admin.sent_forms import once, shown_once
from core.admin.views import address_of, render_page
from core.audit.models import AuditEntry

RECENT = 10  # entries of a list on the page of an account
_SIGN_INS = ("administrator.signed_in", "administrator.sign_in_failed", "administrator.identity_not_confirmed")


class AccountAdmin(ActionModelAdmin):
    def get_urls(self) -> list[Any]:
        page, name = self.admin_site.admin_view(self.password_view), f"accounts_{self.opts.model_name}_password"
        return [path("<int:pk>/password/", page, name=name), *super().get_urls()]

    # Keep passwords out of error reports.
    @method_decorator(sensitive_post_parameters("password", "own_password"))
    def changeform_view(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        return super().changeform_view(request, *args, **options)

    @method_decorator(sensitive_post_parameters("password", "again", "own_password"))
    @once
    def password_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        account = self.get_object(request, str(pk))
        if account is None or not self.allows(request, "reset", account):
            raise Http404
        form = NewPasswordForm(request, account, request.POST or None)
        if request.method == "POST" and form.is_valid():
            if form.drawn:
                return self.show_password(request, account, form.drawn)
            messages.success(request, _("The password was changed."))
            return HttpResponseRedirect(address_of(self, "change", account.pk))
        context = {"title": _("New password for %(name)s") % {"name": account}, "form": form, "original": account}
        return render_page(self, request, "accounts/password.html", context)

    def show_password(self, request: HttpRequest, account: Account, password: str) -> HttpResponse:
        context = {
            "title": _("Password for %(name)s") % {"name": account},
            "password": password,
            "original": account,
            "address": address_of(self, "change", account.pk),
        }
        return shown_once(render_page(self, request, "accounts/drawn_password.html", context))

    @admin.display(description=gettext_lazy("last activity"), ordering="last_activity_date")
    def last_activity(self, account: Account) -> str:
        return moment_markup(account.last_activity) if account.last_activity else pgettext("last activity", "never")


def sign_ins_of(administrator: Administrator) -> QuerySet[AuditEntry]:
    """Return successful and failed ones, newest first. Failed ones have no actor, so the object identifies them."""
    own = AuditEntry.objects.filter(object_type=administrator._meta.label_lower, object_id=str(administrator.pk))
    return own.filter(action__in=_SIGN_INS).order_by("-id")


def recent_list(rows: Iterable[tuple[str, str, str]]) -> SafeString | str:
    items = format_html_join("", "<li>{} {} {}</li>", rows)
    return format_html('<ul class="recent flush">{}</ul>', items) if items else _("There are no entries yet.")

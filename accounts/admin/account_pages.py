"""Shared by the pages of users and administrators: setting a password, and the column of the last activity."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from accounts.admin.forms import NewPasswordForm
from accounts.models import Account
from cms_api.admin.registered import address_of
from cms_api.admin.shown import shown_moment
from cms_api.admin.views import render_page


def password_page(pages: Any, request: HttpRequest, account: Account) -> HttpResponse:
    """The form, and what follows it."""
    form = NewPasswordForm(request, type(account), int(account.pk), request.POST or None)
    if request.method == "POST" and form.is_valid():
        if form.drawn:
            return show_password(pages, request, account, form.drawn)
        messages.success(request, _("The password was changed."))
        return HttpResponseRedirect(address_of(pages, "change", account.pk))
    context = {"title": _("New password of %(name)s") % {"name": account}, "form": form, "original": account}
    return render_page(pages, request, "accounts/password.html", context)


def show_password(pages: Any, request: HttpRequest, account: Account, password: str) -> HttpResponse:
    """The page that shows a password, this once."""
    context = {
        "title": _("Password of %(name)s") % {"name": account},
        "password": password,
        "original": account,
        "address": address_of(pages, "change", account.pk),
    }
    return render_page(pages, request, "accounts/drawn_password.html", context)


@admin.display(description=gettext_lazy("last activity"), ordering="last_activity_date")
def last_activity(page: Any, account: Account) -> str:
    """When something was last heard of the account, or that nothing ever was."""
    return shown_moment(account.last_activity) or pgettext("last activity", "never")

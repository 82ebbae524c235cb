"""The pages that give an account another password, and show a drawn one once."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.admin.forms import NewPasswordForm
from accounts.models import Account


def password_page(pages: Any, request: HttpRequest, account: Account) -> HttpResponse:
    """The form, and what follows it."""
    form = NewPasswordForm(request, type(account), int(account.pk), request.POST or None)
    if request.method == "POST" and form.is_valid():
        if form.drawn:
            return show_password(pages, request, account, form.drawn)
        messages.success(request, _("The password was changed."))
        return HttpResponseRedirect(_address(pages, account))
    context = {"title": _("New password of %(name)s") % {"name": account}, "form": form}
    return _page(pages, request, account, "accounts/password.html", context)


def show_password(pages: Any, request: HttpRequest, account: Account, password: str) -> HttpResponse:
    """The page that shows a password, this once."""
    context = {"title": _("Password of %(name)s") % {"name": account}, "password": password}
    context["address"] = _address(pages, account)
    return _page(pages, request, account, "accounts/drawn_password.html", context)


def _page(pages: Any, request: HttpRequest, account: Account, template: str, context: dict[str, Any]) -> HttpResponse:
    own = {"opts": pages.opts, "original": account}
    return TemplateResponse(request, template, pages.admin_site.each_context(request) | own | context)


def _address(pages: Any, account: Account) -> str:
    return reverse(f"admin:{pages.opts.app_label}_{pages.opts.model_name}_change", args=[account.pk])

"""The second step of a sign-in: the code of the second factor. The session begins only after it."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth import login
from django.contrib.auth.views import redirect_to_login
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from accounts.admin.account_forms import SecondStepForm, tell_of_code
from accounts.models import Administrator
from accounts.sign_in import finish_sign_in
from cms_api.admin.middleware import use_language
from cms_api.lib.client_address import client_address
from cms_api.lib.errors import ServiceError

SECONDS = 5 * 60  # between the password and the code
_SALT = "accounts.second_step"


def ask_for_code(request: HttpRequest, administrator: Administrator, form: Any = None) -> HttpResponse:
    """Return the page, with a signed note that this administrator's password was right."""
    state = request.POST.get("state") or signing.dumps(
        [administrator.pk, administrator.get_session_auth_hash()], salt=_SALT
    )
    context = {"title": _("Second factor"), "form": form or SecondStepForm(), "state": state, "next": _target(request)}
    return TemplateResponse(request, "accounts/second_step.html", admin.site.each_context(request) | context)


@never_cache
@sensitive_post_parameters("code", "state")
def second_step(request: HttpRequest) -> HttpResponse:
    administrator = _waiting(request.POST.get("state", ""))
    if administrator is None:
        if request.method == "POST":
            messages.info(request, _("The sign-in took too long. Enter your password again."))
        return redirect_to_login(_target(request), reverse("admin:login"))
    form = SecondStepForm(request.POST)
    if form.is_valid():
        try:
            finish_sign_in(administrator, form.cleaned_data["code"], client_address(request))
        except ServiceError as refusal:
            form.add_error("code", tell_of_code(refusal))
        else:
            login(request, administrator)
            response = HttpResponseRedirect(_target(request))
            use_language(response, administrator.language)
            return response
    return ask_for_code(request, administrator, form)


def _waiting(state: str) -> Administrator | None:
    """Return the administrator of the note, unless it has expired or the password or the lock has changed since."""
    try:
        number, stamp = signing.loads(state, salt=_SALT, max_age=SECONDS)
    except signing.BadSignature:
        return None
    administrator = Administrator.objects.filter(pk=number, is_locked_out=False).first()
    return administrator if administrator and administrator.get_session_auth_hash() == stamp else None


def _target(request: HttpRequest) -> str:
    address = request.POST.get("next", "")
    is_own = url_has_allowed_host_and_scheme(address, {request.get_host()}, request.is_secure())
    return address if is_own else reverse("admin:index")

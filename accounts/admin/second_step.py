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

from accounts import second_factor
from accounts.admin.account_forms import SecondStepForm, tell_of_code
from accounts.models import Administrator
from accounts.sign_in import finish_sign_in
from core.admin.middleware import use_language
from core.lib.client_address import client_address
from core.lib.errors import ServiceError

SECONDS = 5 * 60  # between the password and the code
_SALT = "accounts.second_step"


def ask_for_code(request: HttpRequest, administrator: Administrator, form: Any = None) -> HttpResponse:
    """Return the page, with a signed note that this administrator's password was right."""
    state = request.POST.get("state") or _note(administrator)
    context = {"title": _("Second factor"), "form": form or SecondStepForm(), "state": state, "next": _target(request)}
    return TemplateResponse(request, "accounts/second_step.html", admin.site.each_context(request) | context)


@never_cache
@sensitive_post_parameters("code", "state")
def second_step(request: HttpRequest) -> HttpResponse:
    administrator = _waiting(request.POST.get("state", ""))
    if administrator is None:
        return _ask_for_password(request)
    form = SecondStepForm(request.POST)
    if form.is_valid():
        try:
            finish_sign_in(administrator, form.cleaned_data["code"], client_address(request))
        except ServiceError as refusal:
            if _waiting(request.POST["state"]) is None:
                return _ask_for_password(request)
            form.add_error("code", tell_of_code(refusal))
        else:
            login(request, administrator)
            response = HttpResponseRedirect(_target(request))
            use_language(response, administrator.language)
            return response
    return ask_for_code(request, administrator, form)


def _ask_for_password(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        told = _("The sign-in took too long, or too many codes were wrong. Enter your password again.")
        messages.info(request, told)
    return redirect_to_login(_target(request), reverse("admin:login"))


def _note(administrator: Administrator) -> str:
    wrong = second_factor.recent_wrong_codes(administrator)
    return signing.dumps([administrator.pk, administrator.get_session_auth_hash(), wrong], salt=_SALT)


def _waiting(state: str) -> Administrator | None:
    """Return the administrator of the note; None if it is expired or used up, or password or lock have changed."""
    try:
        number, stamp, wrong = signing.loads(state, salt=_SALT, max_age=SECONDS)
    except (signing.BadSignature, ValueError):  # the last release noted no wrong codes
        return None
    administrator = Administrator.objects.filter(pk=number, is_locked_out=False).first()
    if administrator is None or administrator.get_session_auth_hash() != stamp:
        return None
    since = second_factor.recent_wrong_codes(administrator) - wrong
    return administrator if 0 <= since < second_factor.ASK_AGAIN else None


def _target(request: HttpRequest) -> str:
    address = request.POST.get("next", "")
    is_own = url_has_allowed_host_and_scheme(address, {request.get_host()}, request.is_secure())
    return address if is_own else reverse("admin:index")

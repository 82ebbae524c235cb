"""My account: pages of every signed-in administrator about the own account."""

from datetime import timedelta
from typing import Any

import segno
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import update_session_auth_hash
from django.core.exceptions import NON_FIELD_ERRORS
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.translation import get_language, gettext_lazy, override, pgettext, pgettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.i18n import set_language

from accounts import second_factor, services, sessions
from accounts.admin.account_forms import ChangeSecondFactorForm, ProfileForm, SetUpForm
from accounts.admin.account_pages import sign_ins_of
from accounts.admin.forms import PictureForm
from accounts.admin.second_step import second_step
from accounts.models import Administrator
from core.admin.large_forms import takes_files
from core.admin.middleware import use_language
from core.admin.numbers import read_number
from core.admin.sent_forms import once, shown_once
from core.audit.actions import label_of
from core.audit.admin.descriptions import describe_reason
from core.lib import clock

_SHOWN_FOR = timedelta(days=90)
_PER_PAGE = 50
_SECRET = "_second_factor_secret"  # noqa: S105 - its name in the session, until a code confirms it
_LINKS = (
    ("admin:account", gettext_lazy("Profile")),
    ("admin:account_picture", pgettext_lazy("of a person", "Picture")),
    ("admin:password_change", gettext_lazy("Password")),
    ("admin:account_second_factor", gettext_lazy("Second factor")),
    ("admin:account_sessions", gettext_lazy("Sessions")),
    ("admin:account_sign_ins", gettext_lazy("Sign-ins")),
    ("admin:account_permissions", gettext_lazy("Permissions")),
    ("admin:notifications", gettext_lazy("Notifications")),
    ("admin:notification_choices", gettext_lazy("Notification settings")),
)


def account_links() -> list[tuple[str, Any]]:
    """Return address and title of each page of one's own account."""
    return [(reverse(name), words) for name, words in _LINKS]


def _own(request: HttpRequest) -> Administrator:
    return Administrator.objects.get(pk=request.user.pk or 0)


def _page(request: HttpRequest, template: str, title: str, **context: Any) -> HttpResponse:
    shared = admin.site.each_context(request) | {"title": title, "links": account_links()}
    return TemplateResponse(request, f"accounts/account/{template}.html", shared | context)


def _again(request: HttpRequest, name: str, told: str) -> HttpResponse:
    messages.success(request, told)
    return HttpResponseRedirect(reverse(name))


@sensitive_post_parameters("own_password")
def profile(request: HttpRequest) -> HttpResponse:
    form = ProfileForm(request, request.POST or None, instance=_own(request))
    if request.method == "POST" and form.is_valid():
        language = form.cleaned_data["language"]
        with override(language or get_language()):
            response = _again(request, "admin:account", _("Your account was changed."))
        if language:
            use_language(response, language)
        else:
            response.delete_cookie(settings.LANGUAGE_COOKIE_NAME, samesite="Lax")
        return response
    if form.has_error(NON_FIELD_ERRORS, "changed_meanwhile"):
        told = _("Your account has changed since you opened the page. Check the values and enter your changes again.")
        messages.warning(request, told)
        return HttpResponseRedirect(reverse("admin:account"))
    return _page(request, "profile", _("My account"), form=form)


@takes_files("CMS_AVATAR_MAX_BYTES")
def picture(request: HttpRequest) -> HttpResponse:
    administrator = _own(request)
    form = PictureForm(administrator, *((request.POST, request.FILES) if request.method == "POST" else ()))
    if request.method == "POST" and form.is_valid():
        return _again(request, "admin:account_picture", _("The picture was changed."))
    return _page(request, "picture", pgettext("of a person", "Picture"), form=form, picture=administrator.picture_url)


@sensitive_post_parameters("own_password", "code")
@once
def second_factor_page(request: HttpRequest) -> HttpResponse:
    administrator = _own(request)
    if not second_factor.has(administrator):
        return _set_up(request, administrator)
    form = ChangeSecondFactorForm(request, request.POST or None)
    if request.method == "POST" and form.is_valid():
        if "off" not in request.POST:
            return _show_codes(request, second_factor.renew_codes(administrator.pk))
        second_factor.turn_off(administrator.pk)
        return _again(request, "admin:account_second_factor", _("The second factor was turned off."))
    left = administrator.recovery_codes.count()
    return _page(request, "second_factor", _("Second factor"), form=form, left=left)


def _set_up(request: HttpRequest, administrator: Administrator) -> HttpResponse:
    secret = request.session.get(_SECRET) or second_factor.draw_secret()
    request.session[_SECRET] = secret
    form = SetUpForm(request, secret, request.POST or None)
    if request.method == "POST" and form.is_valid():
        del request.session[_SECRET]
        return _show_codes(request, form.recovery_codes)
    address = second_factor.address_for_app(administrator, secret, str(admin.site.site_title))
    code = segno.make(address, error="m", micro=False)
    groups = " ".join(secret[start : start + 4] for start in range(0, len(secret), 4))
    return _page(
        request,
        "set_up",
        _("Second factor"),
        form=form,
        secret=groups,
        address=address,
        qr_code=code.svg_data_uri(scale=4, border=4, dark="#000", light="#fff"),
        is_required=second_factor.must_set_up(administrator),
    )


def _show_codes(request: HttpRequest, codes: list[str]) -> HttpResponse:
    address = reverse("admin:account_second_factor")
    return shown_once(_page(request, "recovery_codes", _("Recovery codes"), codes=codes, address=address))


def sessions_page(request: HttpRequest) -> HttpResponse:
    administrator = _own(request)
    if request.method == "POST":
        if (number := read_number(request.POST.get("end"))) is not None:
            sessions.end_one(administrator, number)
            return _again(request, "admin:account_sessions", _("The session was ended."))
        if "others" in request.POST:
            # Also ends access tokens, so that the own session needs a new stamp.
            update_session_auth_hash(request, sessions.end_all(administrator.pk, but=request.session.session_key or ""))
            return _again(request, "admin:account_sessions", _("All other sessions were ended."))
    sessions.note(request, administrator)
    shown = [
        (each, sessions.describe_browser(each.user_agent), each.session_id == request.session.session_key)
        for each in sessions.sessions_of(administrator)
    ]
    return _page(request, "sessions", _("Sessions"), sessions=shown)


def sign_ins(request: HttpRequest) -> HttpResponse:
    entries = sign_ins_of(_own(request)).filter(at__gte=clock.now() - _SHOWN_FOR)
    paginator = Paginator(entries, _PER_PAGE)
    shown = paginator.get_page(request.GET.get("p"))
    rows = [(each, label_of(each.action), describe_reason(each)) for each in shown]
    numbers = paginator.get_elided_page_range(shown.number)
    return _page(request, "sign_ins", _("Sign-ins"), rows=rows, shown=shown, page_numbers=list(numbers))


def language(request: HttpRequest) -> HttpResponse:
    """Switch the language, and store it as the administrator's."""
    chosen = request.POST.get("language", "")
    if request.method == "POST" and request.user.is_authenticated and chosen in dict(settings.LANGUAGES):
        services.update_administrator(request.user.pk, {"language": chosen})
    response: HttpResponse = set_language(request)
    return response


urlpatterns = [
    path("second-step/", second_step, name="second_step"),
    path("language/", language, name="set_language"),
]

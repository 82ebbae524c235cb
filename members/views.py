"""Pages where users of the service sign in to a site, register, and look after their account.

They exist on hosts of sites only: elsewhere pages have no cookies, and share their host with the admin.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.conf import settings
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.middleware.csrf import CsrfViewMiddleware, get_token
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts import password_reset
from accounts.models import User
from core.mail.messages import is_set_up
from forms.views import local_path
from members import sessions
from members.account_forms import (
    ForgottenForm,
    NewPasswordForm,
    PasswordForm,
    ProfileForm,
    RegistrationForm,
    SignInForm,
)
from pages import rendering
from pages.engine.elements.parts import ACCOUNT
from pages.resolver import Addresses, Page
from pages.site_lookup import Place

PATH = "_account/"  # below the web address of the site
FRAME = "/account.html"  # the page of the site that shows ours, in its element `stl:account`
_HEADERS = {
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
    "Referrer-Policy": "same-origin",
    "Vary": "Cookie, Accept-Language",
}
_MAX_BYTES = 65_536  # of a request
Shown = Mapping[str, Any]


class _CsrfCheck(CsrfViewMiddleware):
    def _reject(self, request: HttpRequest, reason: str) -> Any:
        return reason


class Visit:
    """A request for a page of a member."""

    def __init__(self, request: HttpRequest, place: Place, addresses: Addresses) -> None:
        self.request, self.place, self.addresses = request, place, addresses
        self.user = sessions.member_of(request, place.site.pk)
        self.is_stale = False  # sent from a page that is too old, or from elsewhere

    @property
    def is_sent(self) -> bool:
        return self.request.method == "POST" and not self.is_stale

    @property
    def next(self) -> str:
        """The path of this host where the visitor came from."""
        return local_path(self.request.POST.get("next") or self.request.GET.get("next") or "")

    def address(self, name: str) -> str:
        return f"{self.place.folder}/{PATH}{name}"

    def fill(self, kind: Callable[..., Any], **options: Any) -> Any:
        """Return the form, with what was sent if it was."""
        sent = {"data": self.request.POST} if self.request.method == "POST" else {}
        form = kind(**sent, **options)
        form.request = self.request
        return form

    def go(self, address: str) -> HttpResponse:
        return HttpResponseRedirect(address, status=303)

    def done(self, title: str, text: str) -> HttpResponse:
        response = self.show(title, text=text)
        response.status_code = 200
        return response

    def show(self, title: str, form: BaseForm | None = None, *, is_framed: bool = True, **shown: Any) -> HttpResponse:
        """Show our page, in the site's own page for it if there is one."""
        context = {
            "title": title,
            "form": form,
            "user": self.user,
            "next": self.next,
            "folder": f"{self.place.folder}/{PATH}",
            "home": f"{self.place.folder}/",
            "has_mail": is_set_up(),
            "may_register": settings.CMS_REGISTRATION != "off",
            "is_stale": self.is_stale,
            "csrf_token": get_token(self.request),
            "language": translation.get_language(),
            **shown,
        }
        status = 400 if self.request.method == "POST" else 200
        return HttpResponse(self._written(context, is_framed), "text/html; charset=utf-8", status)

    def _written(self, context: Shown, is_framed: bool) -> str:
        found = self.addresses.find(f"{self.place.folder}{FRAME}") if is_framed else None
        if isinstance(found, Page):
            html = rendering.render(rendering.request_of(self.addresses, found, {})).html
            if ACCOUNT in html:
                return html.replace(ACCOUNT, render_to_string("members/account.html", context), 1)
        return render_to_string("members/page.html", context)


def _view(answer: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    @wraps(answer)
    def view(request: HttpRequest, place: Place, addresses: Addresses, **given: str) -> HttpResponse:
        if not place.has_own_host or request.method == "OPTIONS":
            raise Http404
        if int(request.META.get("CONTENT_LENGTH") or 0) > _MAX_BYTES:
            return HttpResponse(status=413)
        check = _CsrfCheck(lambda request: HttpResponse())
        check.process_request(request)
        visit = Visit(request, place, addresses)
        visit.is_stale = check.process_view(request, None, (), {}) is not None  # type: ignore[arg-type]
        with translation.override(translation.get_language_from_request(request)):
            response = answer(visit, **given)
        for name, value in _HEADERS.items():
            response.headers[name] = value
        return check.process_response(request, response)  # type: ignore[return-value]

    view.takes_posts = True  # type: ignore[attr-defined]
    return view


@_view
def sign_in(visit: Visit) -> HttpResponse:
    form = visit.fill(SignInForm)
    if visit.is_sent and form.is_valid():
        response = visit.go(visit.next or visit.address("profile"))
        sessions.begin(response, form.user, visit.place.site.pk)
        return response
    return visit.show(_("Sign in"), form, button=_("Sign in"))


@_view
def sign_out(visit: Visit) -> HttpResponse:
    if not visit.is_sent:
        return visit.show(_("Sign out"), button=_("Sign out"))
    response = visit.go(visit.next or f"{visit.place.folder}/")
    sessions.end(visit.request, response, visit.place.site.pk)
    return response


@_view
def register(visit: Visit) -> HttpResponse:
    if settings.CMS_REGISTRATION == "off":
        raise Http404
    form, title = visit.fill(RegistrationForm), pgettext("by a visitor", "Register")
    if visit.is_sent and form.is_valid():
        user: User = form.user
        if not user.may_sign_in:
            return visit.done(title, _("Thank you. You can sign in as soon as we have approved your account."))
        response = visit.go(visit.next or visit.address("profile"))
        sessions.begin(response, user, visit.place.site.pk)
        return response
    return visit.show(title, form, button=title)


@_view
def profile(visit: Visit) -> HttpResponse:
    if visit.user is None:
        return visit.go(visit.address("sign-in"))
    form = visit.fill(ProfileForm, instance=visit.user)
    if visit.is_sent and form.is_valid():
        return visit.go(f"{visit.address('profile')}?saved=1")
    saved: dict[str, Any] = (
        {"text": _("Your profile was saved.")} if "saved" in visit.request.GET and not visit.is_stale else {}
    )
    return visit.show(_("Your profile"), form, button=_("Save"), **saved)


@_view
def password(visit: Visit) -> HttpResponse:
    if visit.user is None:
        return visit.go(visit.address("sign-in"))
    form = visit.fill(PasswordForm)
    form.user = visit.user
    if visit.is_sent and form.is_valid():
        response = visit.go(visit.address("profile"))
        sessions.begin(response, form.user, visit.place.site.pk)  # the others have ended
        return response
    return visit.show(_("Change the password"), form, button=_("Change the password"))


@_view
def forgotten(visit: Visit) -> HttpResponse:
    if not is_set_up():
        raise Http404
    form, title = visit.fill(ForgottenForm), _("Forgotten password")
    # The host is one of CMS_SITE_HOSTS, so that nobody can have another one sent.
    form.new_password_url = visit.request.build_absolute_uri(visit.address("new-password/"))
    if visit.is_sent and form.is_valid():
        return visit.done(title, _("If an account has this address, an email is on its way to it."))
    return visit.show(title, form, button=pgettext("an email", "Send"))


@_view
def new_password(visit: Visit, number: str, token: str) -> HttpResponse:
    """Set a password with the address of the email, in no frame: scripts of a theme could read the address."""
    form, title = visit.fill(NewPasswordForm), _("New password")
    if (user := password_reset.user_with(number, token)) is None:
        return visit.done(title, _("This address is no longer valid. Ask for a new email."))
    form.user = user
    if visit.is_sent and form.is_valid():
        return visit.go(visit.address("sign-in"))
    return visit.show(title, form, button=_("Change the password"), is_framed=False)


def me(request: HttpRequest, place: Place, _addresses: Addresses) -> HttpResponse:
    """Tell the scripts of a page, which is the same for all visitors, who is signed in."""
    if not place.has_own_host:
        raise Http404
    user = sessions.member_of(request, place.site.pk)
    shown = {"userName": user.user_name, "displayName": user.display_name or user.user_name} if user else None
    return JsonResponse({"user": shown}, headers={"Vary": "Cookie"})

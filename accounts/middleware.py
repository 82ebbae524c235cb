from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from accounts.models import Administrator
from accounts.second_factor import must_set_up

_OPEN = ("admin:account_second_factor", "set_language", "admin:logout", "admin:jsi18n")


class SecondFactorFirst:
    """Redirects administrators who must set up a second factor to that page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.CMS_REQUIRE_SECOND_FACTOR != "off" and request.path_info.startswith("/admin/"):
            user = request.user
            is_open = request.path_info in {reverse(name) for name in _OPEN}
            if isinstance(user, Administrator) and not is_open and must_set_up(user):
                return HttpResponseRedirect(reverse("admin:account_second_factor"))
        return self.get_response(request)

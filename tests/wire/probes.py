"""Addresses that exist for tests only, beside those of the project."""

from datetime import date

from django.urls import include, path
from rest_framework.response import Response

from accounts.models import User
from apikeys.scopes import Scope
from core.lib.errors import InvalidInput
from core.rest.deprecation import deprecated
from core.rest.pagination import PagedList
from core.rest.views import ApiView, OpenView

SECRET = "a detail that only the log may hold"


class FailingView(OpenView):
    def get(self, request):
        raise RuntimeError(SECRET)


class UnwritableView(OpenView):
    """Answers what no JSON can say, which is noticed only after the view has ended."""

    def get(self, request):
        return Response({"value": object()})


class ValueView(OpenView):
    values = {"text": "中文", "list": [], "null": None, "boolean": True, "number": 0, "object": {"value": 1}}

    def get(self, request, name):
        return Response(self.values[name])


class WithdrawnView(OpenView):
    @deprecated(date(2027, 1, 31), date(2029, 1, 31), "https://cms.example/docs/compatibility/")
    def get(self, request):
        return Response({"value": True})

    @deprecated(date(2027, 1, 31), date(2029, 1, 31), "https://cms.example/docs/compatibility/")
    def post(self, request):
        raise InvalidInput("body_not_object", "No.")

    def put(self, request):
        return Response({"value": True})


class UserListView(ApiView):
    required_scope = "Users"
    newest_first = False

    def get(self, request):
        rows = User.objects.values_list("pk", "user_name")
        return PagedList(request, rows, self.show, newest_first=self.newest_first).answer()

    @staticmethod
    def show(row):
        return {"id": row[0], "userName": row[1]}


class ScopeView(ApiView):
    """Reads by GET, writes by the other verbs; the scope is chosen below."""

    required_scope = ""

    def get(self, request, **place):
        return Response(request.auth.user_name)

    post = put = delete = get


class SearchView(ScopeView):
    """Reads by POST as well."""

    read_methods = frozenset({"GET", "POST"})


def _scoped(view, scope):
    return view.as_view(required_scope=scope.value)


urlpatterns = [
    path("api/v1/probe/failing", FailingView.as_view()),
    path("api/v1/probe/unwritable", UnwritableView.as_view()),
    path("api/v1/probe/withdrawn", WithdrawnView.as_view()),
    path("api/v1/probe/value/<name>", ValueView.as_view()),
    path("api/v1/probe/users", UserListView.as_view()),
    path("api/v1/probe/newest-users", UserListView.as_view(newest_first=True)),
    *(path(f"api/v1/probe/scope/{scope.value}", _scoped(ScopeView, scope)) for scope in Scope),
    *(path(f"api/v1/probe/search/{scope.value}", _scoped(SearchView, scope)) for scope in Scope),
    *(path(f"api/v1/probe/site/<int:site_id>/{scope.value}", _scoped(ScopeView, scope)) for scope in Scope),
    path("", include("cms_api.urls")),
]

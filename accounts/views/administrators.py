"""The endpoints of administrators."""

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import services
from accounts.filters import AdministratorFilters
from accounts.models import Administrator
from accounts.records import (
    Record,
    administrator_record,
    administrator_rows,
    show_administrator,
    tag_of_account,
)
from accounts.serializers import AdministratorCreationSerializer, AdministratorSerializer
from cms_api.rest.conditional import keep, use
from cms_api.rest.pagination import PagedList
from cms_api.rest.views import ApiView


class AdministratorsView(ApiView):
    """`/administrators`: those who look after the system and its sites."""

    required_scope = "Administrators"
    filterset_class = AdministratorFilters

    def get(self, request: Request) -> HttpResponseBase:
        chosen = self.filter_queryset(Administrator.objects.all())
        return PagedList(request, administrator_rows(chosen), show_administrator).answer()

    def post(self, request: Request) -> Response:
        members = AdministratorCreationSerializer.read(self.body, require=("user_name", "password"))
        return Response(administrator_record(services.create_administrator(members.values)))


class AdministratorView(ApiView):
    """`/administrators/{id}`: one administrator."""

    required_scope = "Administrators"

    def get(self, request: Request, administrator_id: int) -> Response:
        record = administrator_record(services.find(Administrator, administrator_id))
        use(request, tag_of_account(record))
        return Response(record)

    def put(self, request: Request, administrator_id: int) -> Response:
        """The administrator after the change of what was sent; a password is never changed here."""
        services.find(Administrator, administrator_id)  # 404 comes before the body
        members = AdministratorSerializer.read(self.body)
        precondition = self.if_match(_represent)
        record = administrator_record(services.update_administrator(administrator_id, members.values, precondition))
        keep(request, tag_of_account(record))
        return Response(record)

    def delete(self, request: Request, administrator_id: int) -> Response:
        """The administrator as it was; the API keys go as well."""
        precondition = self.if_match(_represent)
        return Response(administrator_record(services.delete_administrator(administrator_id, precondition)))


def _represent(administrator: Administrator) -> tuple[str, Record]:
    record = administrator_record(administrator)
    return tag_of_account(record), record

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from cms_api.operation.restarts.asking import is_possible, record_order
from cms_api.rest.views import ApiView


class RestartView(ApiView):
    required_scope = "System"
    stores_by_itself = True  # an order, and no answer that nothing was ordered: that may be otherwise the next time

    def post(self, request: Request) -> Any:
        """Whether the restart will come; the answer is given before it begins."""
        return self.store(self._order) if is_possible() else Response(False)

    @staticmethod
    def _order() -> Response:
        record_order()
        return Response(True)

"""Writes answers: the `value` envelope around what a view returns."""

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import BaseRenderer

from cms_api.rest.envelope import Body
from cms_api.rest.json import dump


class ValueRenderer(BaseRenderer):
    """`{"value": …}` around every success; a Body and an error are sent as they are."""

    media_type = "application/json"
    format = "json"
    charset = "utf-8"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """The bytes of the answer."""
        failed = renderer_context is not None and renderer_context["response"].status_code >= 400
        return dump(data if failed or isinstance(data, Body) else {"value": data})

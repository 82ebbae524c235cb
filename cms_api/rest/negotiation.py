"""Chooses how to answer: always JSON, whatever the client says it accepts (design §4)."""

from collections.abc import Iterable

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class AlwaysJson(BaseContentNegotiation):
    """Takes the view's first parser and first renderer; nothing is ever 406 or 415."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        """The only parser, whatever the Content-Type claims."""
        return next(iter(parsers), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """The only renderer, whatever the Accept header asks for."""
        renderer = next(iter(renderers))
        return renderer, renderer.media_type

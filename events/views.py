from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from core.lib.errors import NotPermitted
from core.rest.fields import invalid, read_integer
from core.rest.json import Body
from core.rest.names import raise_if_two_spellings
from core.rest.views import ApiView
from core.rest.waiting import Waiting, waiting_of
from events.feed import SUBJECTS, Page, Visibility, last_position, read_cursor, read_page

MAX_WAIT = 30  # seconds
MAX_LIMIT, DEFAULT_LIMIT = 1000, 100
_PARAMETERS = {"siteid", "after", "wait", "limit"}


class ChangesView(ApiView):
    """Changes after a cursor, of the subjects and sites that the key may read; with `wait` a long poll."""

    permission_classes = ()
    any_scope = tuple(SUBJECTS)  # each shows a part
    reads_replicas = False  # it numbers events

    def check_throttles(self, request: Request) -> None:
        if not waiting_of(request._request).is_again:
            super().check_throttles(request)

    def get(self, request: Request) -> Response:
        visibility = self._require_scope()
        asked = self._read_query(request)
        if (site_id := _integer(asked, "siteid", 0, None)) is not None and site_id:
            self.grant.require_site(site_id)
            visibility = Visibility(visibility.subjects, {site_id})
        seconds = _integer(asked, "wait", 0, MAX_WAIT) or 0
        limit = _integer(asked, "limit", 1, MAX_LIMIT) or DEFAULT_LIMIT
        cursor = asked["after"][1] if "after" in asked else ""
        waiting = waiting_of(request._request)
        page = self._look(waiting, cursor, visibility, limit)
        if cursor and seconds and not page.changes and not page.has_more:
            waiting.give_back(seconds, page.next_cursor, last_position)
        return Response(Body(changes=page.changes, nextCursor=str(page.next_cursor), hasMore=page.has_more))

    def _require_scope(self) -> Visibility:
        subjects = {SUBJECTS[scope.value] for scope in self.grant.scopes if scope.value in SUBJECTS}
        if not subjects:
            needed = ", ".join(f"{scope}:read" for scope in SUBJECTS)
            raise NotPermitted("scope_missing", f"The API key has none of the scopes {needed}.", scope=needed)
        return Visibility(subjects, self.grant.site_ids)

    def _read_query(self, request: Request) -> dict[str, tuple[str, str]]:
        """Return the parameters by folded name, each with its name as sent."""
        sent = [name for name in request.query_params if name.casefold() in _PARAMETERS]
        raise_if_two_spellings(sent)
        return {name.casefold(): (name, text) for name in sent if (text := request.query_params[name].strip())}

    def _look(self, waiting: Waiting, cursor: str, visibility: Visibility, limit: int) -> Page:
        # Later searches continue after the last position, unless it is no longer stored.
        position = read_cursor(str(waiting.seen) if waiting.is_again else cursor)
        return read_page(position, visibility, limit) if cursor else Page([], position, has_more=False)


def _integer(asked: dict[str, tuple[str, str]], folded: str, least: int, most: int | None) -> int | None:
    """Return the parameter, or None if it was not sent. Raises InvalidInput."""
    if folded not in asked:
        return None
    name, text = asked[folded]
    number: Any = read_integer(text, name)
    if number < least or (most is not None and number > most):
        raise invalid(name, f"at least {least}" if most is None else f"from {least} to {most}")
    return int(number)

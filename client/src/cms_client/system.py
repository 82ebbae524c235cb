"""Operations that belong to no resource: ping, health, changes and restart."""

from dataclasses import replace
from typing import Any

from cms_client import operations
from cms_client.answers import body_of, change_page_of, pong_of, value_of
from cms_client.binding import D, Resource, operation, walk
from cms_client.exchange import Known
from cms_client.operations import Operation, Reader, Repeats
from cms_client.records import Change, Health, Page
from cms_client.walking import Plan, Walk, changes_plan
from cms_client.wire import Members, query_of


class System(Resource[D]):
    """Operations of the client itself, such as `client.ping()`."""

    @operation
    def ping(self) -> Operation[bool]:
        """Return whether the service responds to a ping. Needs no API key."""
        return operations.get("ping", read=pong_of).open_to_all()

    @operation
    def health(self) -> Operation[Health]:
        """Return the server's readiness. Raises Unavailable, without a retry, if the server is not ready."""
        read: Reader[Any] = value_of
        return replace(operations.get("health", "ready", read=read), repeats=Repeats.NEVER)

    @walk
    def changes(
        self, site_id: int | None = None, *, after: str | int | None = None, wait: int = 30, per_page: int = 100
    ) -> Walk[Change]:
        """Iterate over changes as they happen: from now on, or those after a cursor or an earlier change's `id`.

        `after="start"` begins with the oldest change that the server has. `wait` is the number of seconds that the
        server waits for a change before it responds without one; with 0, the iteration ends after the last change.
        """

        def ask(cursor: str | None) -> Operation[Page[Change]]:
            query = {"siteId": site_id, "after": cursor, "wait": wait or None, "limit": per_page}
            return operations.get("changes", read=change_page_of, query=query)

        def plan(known: Known) -> Plan[Change]:
            return changes_plan(ask, None if after is None else str(after), wait)

        return Walk(plan, None, per_page)

    @operation
    def request(
        self,
        method: str,
        path: str,
        *,
        query: Members | None = None,
        body: Members | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> Operation[dict[str, Any]]:
        """Send a request that has no method here to a path below `/api/v1`, and return the JSON object of its response.

        Keys, retries, errors and Idempotency-Keys are those of the other methods. Raises ValueError for methods other
        than GET, POST, PUT and DELETE.
        """
        parts = path.strip("/").split("/")
        match method.upper():
            case "GET":
                made = operations.get(*parts, read=body_of)
            case "POST":
                made = operations.post(*parts, read=body_of, body=body or {}, key=idempotency_key)
            case "PUT":
                made = operations.put(*parts, read=body_of, body=body or {}, if_match=if_match)
            case "DELETE":
                made = operations.delete(*parts, read=body_of, if_match=if_match)
            case _:
                raise ValueError(f"The method is GET, POST, PUT or DELETE, not {method!r}.")
        return replace(made, query=query_of(query or {}))

    @operation
    def restart(self, *, idempotency_key: str | None = None) -> Operation[bool]:
        """Request a restart; return whether the service will restart shortly."""
        return operations.post("actions", "restart", read=value_of, body={}, key=idempotency_key)

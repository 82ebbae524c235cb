"""Asks the API for some of everything, out of the database of this process.

    python -m cms_api.operation.backup.answering

For a database that nobody else uses: it makes an administrator and a key. Prints a line for each answer that is not as
it should be, the summary last, and ends with 1 if there was one.
"""

import json
import secrets
import sys
from collections.abc import Iterator
from typing import Any

import django

_CONTENTS = 20  # of a site that are asked for one by one


def main() -> int:
    """Ask, and say what was wrong. Returns the exit code."""
    django.setup()
    asking = _Asking()
    problems = list(asking.problems())
    for problem in problems:
        sys.stdout.write(f"{problem}\n")
    sys.stdout.write(f"requests={asking.requests} problems={len(problems)}\n")
    return 1 if problems else 0


class _Asking:
    def __init__(self) -> None:
        # There is a Django only now.
        from django.test import Client

        self._client = Client(
            headers={"X-SS-API-KEY": _make_key()}, SERVER_NAME="localhost", raise_request_exception=False
        )
        self.requests = 0

    def problems(self) -> Iterator[str]:
        """A sentence for each wrong answer."""
        from accounts.models import Administrator, User
        from contents.models import Content
        from sites.models import Site

        for name, model in (("users", User), ("administrators", Administrator)):
            answer, problem = self._ask(f"{name}?top=20")
            yield from problem or _wrong_count(name, answer["count"], model._default_manager.count())
        for site_id in Site.objects.order_by("pk").values_list("pk", flat=True):
            for path in (f"channels/{site_id}", f"stl/site?siteId={site_id}", f"stl/channels?siteId={site_id}"):
                yield from self._ask(path)[1]
            yield from self._ask(f"stl/contents?siteId={site_id}&totalNum={_CONTENTS}&scope=All")[1]
            contents = Content.objects.in_site(site_id).order_by("pk")
            count = contents.count()
            last_page = max(1, -(-count // _CONTENTS))
            for page in sorted({1, last_page}):
                body = {"siteId": site_id, "page": page, "perPage": _CONTENTS}
                answer, problem = self._ask("contents", body)
                yield from problem or _wrong_count(f"contents of site {site_id}", answer["totalCount"], count)
            for channel_id, content_id in _some(contents.values_list("channel_id", "pk"), count):
                yield from self._ask(f"contents/{site_id}/{channel_id}/{content_id}")[1]

    def _ask(self, path: str, body: Any = None) -> tuple[Any, list[str]]:
        self.requests += 1
        address = f"/api/v1/{path}"
        if body is None:
            response: Any = self._client.get(address)
        else:
            response = self._client.post(address, json.dumps(body), content_type="application/json")
        if response.status_code != 200:
            return None, [f"{address} is answered with {response.status_code}: {response.content.decode()[:200]}"]
        return json.loads(b"".join(response) if response.streaming else response.content), []


def _make_key() -> str:
    from accounts.models import Administrator
    from apikeys.models import ApiKey
    from apikeys.scopes import Scope

    name = f"verify-{secrets.token_hex(8)}"
    administrator = Administrator.objects.create_superuser(name)
    scopes = ",".join(f"{scope.value}:read" for scope in Scope)
    return ApiKey.objects.issue(name, administrator, scopes=scopes)[1]


def _wrong_count(what: str, told: int, actual: int) -> list[str]:
    return [] if told == actual else [f"The API tells of {told} {what}; the database has {actual}."]


def _some(rows: Any, count: int) -> Iterator[tuple[int, int]]:
    """Some of the rows, from the first to the last."""
    for place in sorted(
        {number * (count - 1) // max(1, _CONTENTS - 1) for number in range(_CONTENTS)} if count else ()
    ):
        yield rows[place]


if __name__ == "__main__":
    sys.exit(main())

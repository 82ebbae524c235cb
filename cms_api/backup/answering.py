"""Exercise the API over a private database, after creating an administrator and a key there.

`python -m cms_api.backup.answering` prints unexpected responses and a summary; exits with 1 if there was any.
"""

import json
import secrets
import sys
from typing import Any

import django

_CONTENTS = 20  # contents per page, and contents requested individually per site


class _Asking:
    def __init__(self, token: str) -> None:
        # Django is set up only at this point.
        from django.test import Client

        self._client = Client(headers={"X-SS-API-KEY": token}, SERVER_NAME="localhost", raise_request_exception=False)
        self.requests = 0
        self.problems: list[str] = []

    def ask(self, path: str, body: Any = None, *, what: str = "", count: int = 0) -> None:
        """Record a problem unless the status is 200 and, with `what`, the reported total equals `count`."""
        self.requests += 1
        address = f"/api/v1/{path}"
        if body is None:
            response: Any = self._client.get(address)
        else:
            response = self._client.post(address, json.dumps(body), content_type="application/json")
        if response.status_code != 200:
            told = f"{address} returned {response.status_code}: {response.content.decode()[:200]}"
            self.problems.append(told)
        elif what:
            answer = json.loads(b"".join(response) if response.streaming else response.content)
            if (count_text := answer["totalCount" if body else "count"]) != count:
                self.problems.append(f"The API reports {count_text} {what}; the database has {count}.")


def main() -> int:
    django.setup()
    from accounts.models import Administrator, User
    from apikeys.models import ApiKey
    from apikeys.scopes import Scope
    from contents.models import Content
    from sites.models import Site

    name = f"verify-{secrets.token_hex(8)}"
    scopes = ",".join(f"{scope.value}:read" for scope in Scope)
    asking = _Asking(ApiKey.objects.issue(name, Administrator.objects.create_superuser(name), scopes=scopes)[1])
    asking.ask("users?top=20", what="users", count=User.objects.count())
    asking.ask("administrators?top=20", what="administrators", count=Administrator.objects.count())
    for site_id in Site.objects.order_by("pk").values_list("pk", flat=True):
        for path in (f"channels/{site_id}", f"stl/site?siteId={site_id}", f"stl/channels?siteId={site_id}"):
            asking.ask(path)
        asking.ask(f"stl/contents?siteId={site_id}&totalNum={_CONTENTS}&scope=All")
        contents = Content.objects.in_site(site_id).order_by("pk")
        count = contents.count()
        for page in sorted({1, max(1, -(-count // _CONTENTS))}):
            body = {"siteId": site_id, "page": page, "perPage": _CONTENTS}
            asking.ask("contents", body, what=f"contents of site {site_id}", count=count)
        places = {number * (count - 1) // (_CONTENTS - 1) for number in range(_CONTENTS)} if count else set()
        for place in sorted(places):
            channel_id, content_id = contents.values_list("channel_id", "pk")[place]
            asking.ask(f"contents/{site_id}/{channel_id}/{content_id}")
    for problem in asking.problems:
        sys.stdout.write(f"{problem}\n")
    sys.stdout.write(f"requests={asking.requests} problems={len(asking.problems)}\n")
    return 1 if asking.problems else 0


if __name__ == "__main__":
    sys.exit(main())

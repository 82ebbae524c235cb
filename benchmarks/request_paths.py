"""Counts the code that a request runs: product files, functions, calls, changes of file, statements.

    .venv/bin/python benchmarks/request_paths.py
    .venv/bin/python benchmarks/request_paths.py --files "list, Where and Order"     (also the files of one request)

Django's test client sends each request twice, a PUT with a different title each time, to a service with its own SQLite
database of one site, one channel and 20 contents. The script counts the second request, because the first fills the
caches. It counts a call if its code is in one of the product's packages. A change of file is a call in a different file
from the previous call. Unlike times, the counts are the same on every machine, so they show even small changes of the
code.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import compare
import databases

CONTENTS = 20
PACKAGES = {path.parent.name for path in databases.ROOT.glob("*/__init__.py")} - {"benchmarks", "tests", "tools"}
HEADS = ("request", "product files", "functions", "calls", "changes of file", "statements")


class Counts(NamedTuple):
    """The calls of one request, in order, as pairs of file and function, and its number of SQL statements."""

    calls: list[tuple[str, str]]
    statements: int

    @property
    def files(self) -> Counter[str]:
        """The number of calls by file."""
        return Counter(file for file, _ in self.calls)

    @property
    def row(self) -> tuple[int, ...]:
        """The figures of a row of the table."""
        changes = sum(one[0] != other[0] for one, other in zip(self.calls, self.calls[1:], strict=False))
        return len(self.files), len(set(self.calls)), len(self.calls), changes, self.statements


def main() -> None:
    """Create the database, count, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", metavar="REQUEST", help="print the files of this request with their calls")
    databases.add_folder_option(parser)
    options = parser.parse_args()
    url = f"sqlite:///{options.folder / databases.PREFIX}_paths.sqlite3"
    databases.create(url, replace=True)
    databases.open_service(url, options.folder)
    print(f"| {' | '.join(HEADS)} |\n|---|" + "---:|" * (len(HEADS) - 1))
    for name, request in requests().items():
        counts = count(request)
        print(f"| {name} | {' | '.join(map(str, counts.row))} |")
        if name == options.files:
            print(*(f"{calls:6} {file}" for file, calls in counts.files.items()), sep="\n")
    databases.drop(url)


def count(request: Callable[[], Any]) -> Counts:
    """Make the request twice and return the counts of the second. Raises ValueError unless both succeed."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    calls: list[tuple[str, str]] = []
    folders = tuple(f"{databases.ROOT / package}/" for package in PACKAGES)

    def note(frame: Any, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(folders):
            calls.append((str(Path(code.co_filename).relative_to(databases.ROOT)), code.co_qualname))

    responses = [request()]
    with CaptureQueriesContext(connection) as statements:
        sys.setprofile(note)
        try:
            responses.append(request())
        finally:
            sys.setprofile(None)
    for response in responses:
        if response.status_code != 200:
            raise ValueError(response.content)
    # Savepoints do not count, and a transaction counts only by its BEGIN.
    told = [one["sql"].split()[0].upper() for one in statements]
    return Counts(calls, sum(word not in {"SAVEPOINT", "RELEASE", "COMMIT"} for word in told))


def requests() -> dict[str, Callable[[], Any]]:
    """Return calls that make the requests, by name."""
    site, channel, content = make_contents()
    paths = {"content": f"/api/v1/contents/{site}/{channel}/{content}", "list": "/api/v1/contents"}
    where = {"column": "author", "operator": "=", "value": "Ada"}
    custom = {"column": "mood", "operator": "=", "value": "good"}
    rules = {"wheres": [where], "orders": [{"column": "hits", "desc": True}]}
    custom_rules = {"wheres": [custom], "orders": [{"column": "mood", "desc": True}]}
    ask = asker()
    return {
        "GET content": ask("GET", paths["content"]),
        "list, plain": ask("POST", paths["list"], {"siteId": site}),
        "list, Where and Order": ask("POST", paths["list"], {"siteId": site, **rules}),
        "list, Where and Order on a custom field": ask("POST", paths["list"], {"siteId": site, **custom_rules}),
        "PUT content": ask("PUT", paths["content"], *({"title": f"Title {number}"} for number in "AB")),
        "create content": ask("POST", paths["content"].rpartition("/")[0], {"title": "New", "author": "Ada"}),
        "GET users": ask("GET", "/api/v1/users"),
        "stl contents": ask("GET", f"/api/v1/stl/contents?siteId={site}&channelId={channel}&totalNum=10"),
    }


def asker() -> Callable[..., Callable[[], Any]]:
    """Return a function that builds a request from a method, a path and bodies, which the request sends in turn."""
    from django.test import Client

    key, client = compare.issue_key(), Client()

    def ask(verb: str, path: str, *bodies: Any) -> Callable[[], Any]:
        texts = cycle([json.dumps(body) for body in bodies] or [""])
        headers = {"X-SS-API-KEY": key, "Host": "localhost"}
        return lambda: client.generic(verb, path, next(texts), "application/json", headers=headers)

    return ask


def make_contents() -> tuple[int, int, int]:
    """Create a site, a channel and contents; return the ids of site, channel and first content.

    Only the first content has an author and a mood, so that the rules match one content.
    """
    from django.core.management import call_command

    from accounts.models import User
    from channels_app.models import Channel
    from channels_app.services import create_channel, create_site
    from contents.services.single import create_content
    from contents.wire.serializers import ContentSerializer

    call_command("migrate", verbosity=0)
    site = create_site("Site", site_dir="site")
    channel = create_channel(Channel.objects.get(pk=site.pk), "News")
    User.objects.create(user_name="ada")
    first = {"author": "Ada", "mood": "good"}
    bodies = [{"title": f"Title {number}", "content": "<p>Body</p>", "isChecked": True} for number in range(CONTENTS)]
    made = [
        create_content(site.pk, channel.pk, ContentSerializer.read(body | (first if not number else {})), "ada")
        for number, body in enumerate(bodies)
    ]
    return site.pk, channel.pk, made[0].pk


if __name__ == "__main__":
    main()

"""Asks every address that can be read, for every record: `python -m tests.backup.answers TOKEN`. Prints the answers."""

import json
import re
import sys

import django


def main(token):
    django.setup()
    from django.test import Client
    from django.urls import URLResolver, get_resolver

    from tests.routes import path_of

    def paths(patterns, prefix=""):
        for pattern in patterns:
            path = prefix + path_of(pattern)
            if isinstance(pattern, URLResolver):
                yield from paths(pattern.url_patterns, path)
            elif path.startswith("api/v1/") and hasattr(getattr(pattern.callback, "view_class", None), "get"):
                yield path

    client = Client(headers={"X-SS-API-KEY": token}, SERVER_NAME="localhost", raise_request_exception=False)
    answers = {}

    def ask(address, body=None):
        if body is None:
            answer = client.get(address)
        else:
            answer = client.post(address, json.dumps(body), content_type="application/json")
        content = b"".join(answer) if answer.streaming else answer.content
        answers[f"{address} {body or ''}"] = [answer.status_code, content.decode()]

    for path in sorted(set(paths(get_resolver().url_patterns))):
        # Another picture, and other times, with each answer; and on PostgreSQL an account of its own. A restore empties
        # the tables of events and deliveries.
        if any(part in path for part in ("captcha", "/health", "/stl/sql", "/changes", "/deliveries")):
            continue
        for address in filled(f"/{path}"):
            ask(address)
    for address, body in lists():
        ask(address, body)
    print(json.dumps(answers))


def filled(path):
    """The address with the numbers of every record that it can be of, and with the parameters that it needs."""
    from accounts.models import Administrator, User
    from channels_app.models import Channel
    from contents.models import Content
    from sites.models import Site
    from webhooks.models import Webhook

    names = set(re.findall(r"<(?:\w+:)?(\w+)>", path))
    if names & {"content_id"}:
        rows = Content.objects.values("site_id", "channel_id", "pk")
        found = [{"site_id": r["site_id"], "channel_id": r["channel_id"], "content_id": r["pk"]} for r in rows]
    elif "channel_id" in names:
        found = [{"site_id": r.site_id, "channel_id": r.pk} for r in Channel.objects.all()]
    elif "site_id" in names:
        found = [{"site_id": r.pk} for r in Site.objects.all()]
    elif "webhook_id" in names:
        found = [{"webhook_id": r.pk} for r in Webhook.objects.all()]
    elif "user_id" in names:
        found = [{"user_id": r.pk} for r in User.objects.all()]
    elif "administrator_id" in names:
        found = [{"administrator_id": r.pk} for r in Administrator.objects.all()]
    else:
        found = [{}]
    for numbers in found:
        address = path
        for name, number in numbers.items():
            address = re.sub(rf"<(?:\w+:)?{name}>", str(number), address)
        if "/stl/" not in path:
            yield address
            continue
        for query in ("", "?siteId=1", "?siteId=1&channelIndex=news&scope=All&contentId=3", "?siteId=1&type=title"):
            yield address + query


def lists():
    """Lists of contents in several orders and by several filters."""
    from channels_app.models import Channel
    from sites.models import Site

    for site in Site.objects.all():
        for extra in (
            {},
            {"perPage": 7, "page": 3},
            {"checked": True, "orders": [{"column": "addDate", "desc": True}]},
            {"groupNames": ["甲"], "tagNames": ["sea"]},
            {"wheres": [{"column": "title", "operator": "Like", "value": "%题%"}]},
            {"wheres": [{"column": "colour", "operator": "!=", "value": ""}]},
        ):
            yield "/api/v1/contents", {"siteId": site.pk} | extra
        for channel in Channel.objects.filter(site=site):
            yield "/api/v1/contents", {"siteId": site.pk, "channelId": channel.pk}


if __name__ == "__main__":
    main(sys.argv[1])

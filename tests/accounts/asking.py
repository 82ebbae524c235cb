"""Accounts through HTTP, as tests of both kinds ask for them."""

import json

from accounts.models import FOLDED
from core.lib.folding import fold

USERS, ADMINISTRATORS = "/api/v1/users", "/api/v1/administrators"
PASSWORD = "harbour-27"


def listed(client, path):
    """The records of a list."""
    response = client.get(path)
    assert response.status_code == 200, response.getvalue()
    return json.loads(response.getvalue())["value"]


def names(client, path):
    """The user names of a list, in its order."""
    return [record["userName"] for record in listed(client, path)]


def value(response):
    """The record of a good answer."""
    assert response.status_code == 200, response.content
    body = response.json()
    assert list(body) == ["value"]
    return body["value"]


def fields(account):
    """All stored values, for comparison, without the stamps that change with each lock and the folded names.

    Checks that the folded names match the names.
    """
    values = type(account).objects.filter(pk=account.pk).values().get()
    del values["token_stamp"], values["folding_stamp"]
    for column in FOLDED:
        assert values.pop(f"folded_{column}") == fold(values[column])
    return values

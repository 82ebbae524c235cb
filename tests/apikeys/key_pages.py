"""The pages of keys, as a browser uses them."""

import re

from django.test import Client
from django.urls import reverse

from tests.accounts.signing_in import PASSWORD, account_of

TOKEN = re.compile(r"ssk1_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}")
ACTIONS = ["rotate", "end", "end_legacy", "reset", "revoke", "delete"]
LIST, ADD = reverse("admin:apikeys_apikey_changelist"), reverse("admin:apikeys_apikey_add")


class Browser(Client):
    """A browser in which an administrator has signed in, of the highest rank unless the fields say otherwise."""

    def __init__(self, administrator=None, **fields):
        super().__init__()
        self.administrator = administrator or account_of("administrators", **fields)
        self.force_login(self.administrator)

    def issue(self, **sent):
        """The answer to the filled-in form for a new key."""
        form = {
            "name": "news robot",
            "administrator": self.administrator.pk,
            "scope_Contents": "write",
            "reach": "every",
            "expiry": "never",
            "own_password": PASSWORD,
        }
        return self.post(ADD, form | sent)

    def edit(self, key, **sent):
        """The answer to the form of the key as it is now, with what is sent instead."""
        form = self.get(place("edit", key)).context["form"]
        shown = {name: form[name].value() for name in form.fields if form[name].value() is not None}
        return self.post(place("edit", key), shown | {"own_password": PASSWORD} | sent)

    def act(self, name, key, **sent):
        """The answer to the act on the key as it is now."""
        form = {"seen": type(key).objects.get(pk=key.pk).stamp, "own_password": PASSWORD, "overlap": 3600}
        return self.post(place(name, key), form | sent)


def place(name, key):
    """The address of a page of the key."""
    return reverse(f"admin:apikeys_apikey_{name}", args=[key.pk])


def shown_token(response):
    """The one token that the page shows."""
    (token,) = set(TOKEN.findall(response.content.decode()))
    return token


def errors(response):
    """The errors of the form by field."""
    return {name: [str(error) for error in each] for name, each in response.context["form"].errors.items()}

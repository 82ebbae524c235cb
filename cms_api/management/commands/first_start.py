"""Makes an empty installation usable; what `make run` does before it serves."""

import io
import secrets
from typing import Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.management import BaseCommand, call_command

from cms_api.operation import server

_NAME = "admin"
_KEY = "first key"
_MANAGE = ".venv/bin/python manage.py"  # as `make run` has made it


class Command(BaseCommand):
    help = (
        "Migrates the database; into an empty one it loads the sample site and makes an administrator and "
        "an API key. Prints where to go. Passwords and keys are shown once, when they are made."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        call_command("load_sample_site", stdout=io.StringIO())
        sign_in = self._sign_in()
        key = self._key()
        address = f"http://{server.bind}"
        for name, text in (
            ("Address", f"{address}/"),
            ("Back end", f"{address}/admin/"),
            ("Sign-in", sign_in),
            ("API key", key),
        ):
            self.stdout.write(f"{name + ':':<10}{text}")
        self.stdout.write("", ending="\n")

    def _sign_in(self) -> str:
        administrators = get_user_model().objects
        if administrators.exists():
            return f"as before; `{_MANAGE} changepassword {_NAME}` sets a new password"
        password = f"{secrets.token_urlsafe(9)}-7a"  # a letter and a digit, as the rule asks
        administrators.create_superuser(_NAME, password)
        return f"{_NAME} / {password}"

    def _key(self) -> str:
        if apps.get_model("apikeys", "ApiKey").objects.exists():
            return f'as before; `{_MANAGE} rotate_api_key "{_KEY}"` makes a new one'
        token = io.StringIO()
        call_command("create_api_key", _KEY, all_scopes=True, stdout=token)
        return token.getvalue().strip()

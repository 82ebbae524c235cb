import io
import secrets
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.management import BaseCommand, call_command

from apikeys.models import ApiKey
from server import configuration as server
from sites.models import Site

_NAME = "admin"
_KEY = "first key"
_MANAGE = ".venv/bin/python manage.py"  # as created by `make run`


class Command(BaseCommand):
    help = (
        "Prepares a new installation: migrates the database, loads the sample site if there is no site, and creates "
        "an administrator and an API key if there are none, and the ready-made roles if there is no group. "
        "Prints the URLs. A new password or key is shown only this once."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        call_command("load_sample_site", stdout=io.StringIO())
        sign_in = self._sign_in()
        key = self._key()
        address = f"http://{server.bind}"
        lines = {"Admin": f"{address}/admin/", "Start page": f"{address}/start/", "Sign-in": sign_in, "API key": key}
        if Site.objects.filter(is_root=True, templates__isnull=False).exists():
            lines = {"Website": f"{address}/"} | lines
        for name, text in lines.items():
            self.stdout.write(f"{name + ':':<12}{text}")
        self.stdout.write("", ending="\n")

    def _sign_in(self) -> str:
        administrators = get_user_model().objects
        if administrators.exists():
            return f"unchanged; `{_MANAGE} changepassword {_NAME}` sets a new password"
        if not Group.objects.exists():
            call_command("create_roles", stdout=io.StringIO())
        password = f"{secrets.token_urlsafe(9)}-7a"  # a letter and a digit, as the password rules require
        administrators.create_superuser(_NAME, password)
        return f"{_NAME} / {password}"

    def _key(self) -> str:
        if ApiKey.objects.exists():
            return f'unchanged; `{_MANAGE} rotate_api_key "{_KEY}"` creates a new one'
        token = io.StringIO()
        call_command("create_api_key", _KEY, all_scopes=True, stdout=token)
        return token.getvalue().strip()

"""The measured products: how each starts, and its requests for the same contents."""

import getpass
import hashlib
import json
import os
import re
import secrets
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import compare
from servers import Server, free_port

FILES = Path(__file__).with_name("peers")
SOCKET = "/var/run/postgresql"
TOKEN = SECRET = "only-for-measurements"
PROCESSES = 2


class Ours(Server):
    """The service as `make run` starts it, with its access log."""

    name = "ours"

    def __init__(self, _: Path) -> None:
        from sites.models import Site

        super().__init__("cms_api.wsgi", workers=PROCESSES, is_deployed=True)
        self.key, self._site = compare.issue_key(), Site.objects.get().pk

    def get(self, channel: int, number: int) -> str:
        return f"GET\t/api/v1/contents/{self._site}/{channel}/{number}\t"

    def list(self, channel: int | None, size: int) -> str:
        of_channel = {"channelId": channel} if channel else {}
        newest = [{"column": "addDate", "desc": True}]
        members = {"siteId": self._site, **of_channel, "checked": True, "orders": newest, "perPage": size}
        return f"POST\t/api/v1/contents\t{json.dumps(members)}"

    def create(self, channel: int, members: dict[str, Any]) -> str:
        return f"POST\t/api/v1/contents/{self._site}/{channel}\t{json.dumps(members)}"

    def read(self, answer: dict[str, Any]) -> Any:
        """Return the total count, and title and body of each content."""
        found = answer["contents"] if "contents" in answer else [answer["value"]]
        return answer.get("totalCount"), [(content["title"], content["content"]) for content in found]


class Peer(Server):
    """Another product, in the folder where it is installed."""

    name: str
    header, key = "Authorization", f"Bearer {TOKEN}"

    def __init__(self, folder: Path, *command: str, **settings: str) -> None:
        self.port = free_port()
        self.address, self._folder = f"http://127.0.0.1:{self.port}", folder / self.name
        own = {"HOST": "127.0.0.1", "PORT": str(self.port), "SECRET": SECRET, "NODE_ENV": "production"}
        own |= {
            "DB_CLIENT": "pg",
            "DB_HOST": SOCKET,
            "DB_PORT": "5432",
            "DB_USER": getpass.getuser(),
            "DB_PASSWORD": "",
        }
        self._settings = own | {"PROCESSES": str(PROCESSES), "DB_DATABASE": f"peers_{self.name}_copy"} | settings
        self._command = [*command]

    def run(self, *command: str) -> None:
        """Run a command of the product on the database that is set up."""
        settings = self._settings | {"DB_DATABASE": f"peers_{self.name}"}
        subprocess.run(command, env=os.environ | settings, cwd=self._folder, check=True, stdout=subprocess.DEVNULL)

    def read(self, answer: dict[str, Any]) -> Any:
        meta = answer.get("meta", {})
        total = meta.get("total_count", meta.get("filter_count", meta.get("pagination", {}).get("total")))
        found = answer.get("items", answer.get("data", answer))
        return total, [
            (content["title"], content["body"]) for content in (found if isinstance(found, list) else [found])
        ]


class Wagtail(Peer):
    """Wagtail with gunicorn; its stable API (v2) reads, only the preview of the next one (v3) writes."""

    name = "wagtail"

    def __init__(self, folder: Path) -> None:
        # Of 1, 2 and 4 threads, 2 need the least processor time.
        command = f"bin/gunicorn django.core.wsgi:get_wsgi_application() --workers={PROCESSES} --threads=2"
        path = os.pathsep.join(map(str, (FILES, folder)))
        settings = {"DJANGO_SETTINGS_MODULE": "wagtail_site.settings", "PYTHONPATH": path}
        super().__init__(folder, *command.split(), **settings)
        self._command += ["--log-level=error", f"--bind=127.0.0.1:{self.port}"]

    def make_schema(self) -> None:
        (self._folder.parent / "wagtail_migrations").mkdir(exist_ok=True)
        (self._folder.parent / "wagtail_migrations" / "__init__.py").touch()
        for command in ("makemigrations wagtail_site", "migrate"):
            self.run("bin/python", "-m", "django", *command.split())
        issue = (
            "import django; django.setup(); from django.contrib.auth.models import User;"
            "from wagtail.models import APIToken; user = User.objects.create_superuser('admin');"
            f"APIToken.objects.create(user=user, name='peers', key_hash=APIToken.hash_token({TOKEN!r}))"
        )
        self.run("bin/python", "-c", issue)

    def get(self, _: int, number: int) -> str:
        return f"GET\t/api/v2/pages/{100_000 + number}/\t"

    def list(self, channel: int | None, size: int) -> str:
        below = f"&child_of={10 + channel}" if channel else ""
        kind = f"type=wagtail_site.ArticlePage{below}&fields=*"
        return f"GET\t/api/v2/pages/?{kind}&order=-add_date&limit={size}\t"

    def create(self, channel: int, members: dict[str, Any]) -> str:
        meta = {"type": "wagtail_site.ArticlePage", "parent_id": 10 + channel, "action": "publish"}
        slug = secrets.token_hex(8)  # a slug made of the title would be refused the second time
        return f"POST\t/api/v3/pages/\t{json.dumps({'meta': meta, 'slug': slug, **snake_case(members)})}"


class Node(Peer):
    """A product that Node runs, in as many processes as the others."""

    def __init__(self, folder: Path, program: str, **settings: str) -> None:
        super().__init__(folder, "node", str(FILES / "cluster.cjs"), program, "start", **settings)
        self.program = program


class Directus(Node):
    """Directus, which uses the existing table; its token is an administrator's."""

    name = "directus"

    def __init__(self, folder: Path) -> None:
        first = {"ADMIN_EMAIL": "admin@example.org", "ADMIN_PASSWORD": SECRET, "ADMIN_TOKEN": TOKEN}
        # Under full load, the pressure limiter would refuse requests.
        others = {"LOG_STYLE": "raw", "TELEMETRY": "false", "PRESSURE_LIMITER_ENABLED": "false"}
        super().__init__(folder, "node_modules/directus/cli.js", **first, **others)

    def make_schema(self) -> None:
        self.run("node", self.program, "bootstrap")

    def get(self, _: int, number: int) -> str:
        return f"GET\t/items/article/{number}\t"

    def list(self, channel: int | None, size: int) -> str:
        of_channel = f"filter[channel_id][_eq]={channel}&" if channel else ""
        found = f"{of_channel}filter[is_checked][_eq]=true&meta=filter_count"
        return f"GET\t/items/article?{quote(found, safe='=&')}&sort=-add_date&limit={size}\t"

    def create(self, channel: int, members: dict[str, Any]) -> str:
        return f"POST\t/items/article\t{json.dumps({'channel_id': channel, **snake_case(members)})}"


class Strapi(Node):
    """Strapi without its admin pages; its token may do everything."""

    name = "strapi"

    def __init__(self, folder: Path) -> None:
        settings = {"JWT_SECRET": SECRET, "STRAPI_TELEMETRY_DISABLED": "true"}
        super().__init__(folder, "node_modules/@strapi/strapi/bin/strapi.js", **settings)

    def make_schema(self) -> None:
        shutil.copytree(FILES / "strapi", self._folder, dirs_exist_ok=True)
        (self._folder / "public" / "uploads").mkdir(parents=True, exist_ok=True)
        create = (
            "const app = await require('@strapi/strapi').createStrapi().load(); const tokens = 'admin::api-token';"
            "await app.service(tokens).create({ name: 'peers', description: '', type: 'full-access', lifespan: null });"
            f"const accessKey = app.service(tokens).hash('{TOKEN}');"
            "await app.db.query(tokens).update({ where: { name: 'peers' }, data: { accessKey } }); await app.destroy()"
        )
        self.run("node", "--eval", f"(async () => {{ {create} }})()")

    def get(self, _: int, number: int) -> str:
        return f"GET\t/api/articles/{hashlib.md5(str(number).encode()).hexdigest()[:24]}\t"

    def list(self, channel: int | None, size: int) -> str:
        of_channel = f"filters[channelId][$eq]={channel}&" if channel else ""
        found = f"{of_channel}filters[isChecked][$eq]=true&sort=addDate:desc&pagination[pageSize]={size}"
        return f"GET\t/api/articles?{quote(found, safe='=&')}\t"

    def create(self, channel: int, members: dict[str, Any]) -> str:
        body = members["content"]
        data = {name: value for name, value in members.items() if name != "content"}
        return f"POST\t/api/articles\t{json.dumps({'data': {'channelId': channel, 'body': body, **data}})}"


def snake_case(members: dict[str, Any]) -> dict[str, Any]:
    names = {name: re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name) for name in members}
    return {names[name].replace("content", "body"): value for name, value in members.items()}

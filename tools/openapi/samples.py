"""Writes a sample of each operation in curl, Python, TypeScript and C#: the extension x-codeSamples of the document.

The clients' methods are in METHODS; operations that have none are called by their path.
"""

import json
import re
import shlex
from collections.abc import Iterator
from hashlib import md5
from typing import Any
from urllib.parse import quote, urlencode

from core.openapi.describing import JSON, Schema
from tools.openapi.examples import Examples, filled

ADDRESS = "http://127.0.0.1:8000"
KEY = "ssk1_…"
PICTURE = "avatar.png"
_VERBS = ("get", "post", "put", "delete")
_TOKENS = {"userToken": "USER_TOKEN", "administratorToken": "ADMINISTRATOR_TOKEN"}
# The clients make the digests that some operations expect of a password.
_PASSWORDS = {md5(word.encode(), usedforsecurity=False).hexdigest(): word for word in ("lantern-27", "lighthouse8")}
# Method of the TypeScript client, and its positional arguments: parameters, members of the body, or the whole `body`.
# The remaining ones are an object there, and keyword arguments in Python.
METHODS = {
    "ping": ("ping", ""),
    "getReadiness": ("health", ""),
    "restart": ("restart", ""),
    "listContents": ("contents.list", ""),
    "getContent": ("contents.get", "siteId channelId id"),
    "createContent": ("contents.create", "siteId channelId body"),
    "updateContent": ("contents.update", "siteId channelId id body"),
    "deleteContent": ("contents.delete", "siteId channelId id"),
    "checkContents": ("contents.check", "siteId contents"),
    "createContents": ("contents.createMany", "siteId channelId contents"),
    "updateContents": ("contents.updateMany", "siteId channelId contents"),
    "checkContentsOfChannel": ("contents.checkMany", "siteId channelId ids"),
    "moveContents": ("contents.moveMany", "siteId channelId ids targetChannelId"),
    "deleteContents": ("contents.deleteMany", "siteId channelId ids"),
    "searchContents": ("contents.search", "siteId q"),
    "suggestContents": ("contents.suggest", "siteId q"),
    "listChannels": ("channels.tree", "siteId"),
    "getChannel": ("channels.get", "siteId channelId"),
    "createChannel": ("channels.create", "siteId body"),
    "updateChannel": ("channels.update", "siteId channelId body"),
    "deleteChannel": ("channels.delete", "siteId channelId"),
    "moveChannel": ("channels.move", "siteId channelId"),
    "getStlSite": ("stl.site", ""),
    "listStlSites": ("stl.sites", ""),
    "getStlChannel": ("stl.channel", ""),
    "listStlChannels": ("stl.channels", ""),
    "getStlContent": ("stl.content", ""),
    "listStlContents": ("stl.contents", ""),
    "getStlAddress": ("stl.address", ""),
    "getStlCount": ("stl.count", ""),
    "getStlValue": ("stl.text", "element"),
    "listSqlRows": ("sql.rows", "queryString"),
    "getSqlRow": ("sql.row", "queryString"),
    "listUsers": ("users.list", ""),
    "getUser": ("users.get", "id"),
    "createUser": ("users.create", "body"),
    "updateUser": ("users.update", "id body"),
    "deleteUser": ("users.delete", "id"),
    "getUserAvatar": ("users.avatarUrl", "id"),
    "uploadUserAvatar": ("users.uploadAvatar", "id picture"),
    "listUserLogs": ("users.logs", "id"),
    "createUserLog": ("users.note", "id action summary"),
    "changeOwnPassword": ("users.changePassword", "id password newPassword"),
    "changeUserPassword": ("users.resetPassword", "account password newPassword"),
    "loginUser": ("users.logIn", "account password"),
    "logoutUser": ("users.logOut", "X-SS-USER-TOKEN"),
    "listAdministrators": ("administrators.list", ""),
    "getAdministrator": ("administrators.get", "id"),
    "createAdministrator": ("administrators.create", "body"),
    "updateAdministrator": ("administrators.update", "id body"),
    "deleteAdministrator": ("administrators.delete", "id"),
    "changeAdministratorPassword": ("administrators.resetPassword", "account password newPassword"),
    "loginAdministrator": ("administrators.logIn", "account password"),
    "logoutAdministrator": ("administrators.logOut", "X-SS-ADMIN-TOKEN"),
    "getCaptcha": ("captcha.draw", "name"),
    "checkCaptcha": ("captcha.check", "picture captcha"),
}


class _Source(str):
    """Source text that a call contains literally."""

    __slots__ = ()


# Arguments of methods that differ from the members of the request.
_PYTHON = {
    ("uploadUserAvatar", "picture"): _Source(f'Path("{PICTURE}").read_bytes()'),
    ("checkCaptcha", "picture"): _Source('client.captcha.draw("LOGIN-CAPTCHA")'),
}
_TYPESCRIPT = {
    ("uploadUserAvatar", "picture"): _Source(f'await openAsBlob("{PICTURE}")'),
    ("checkCaptcha", "picture"): _Source('await client.captcha.draw("LOGIN-CAPTCHA")'),
}


class _Request:
    """One request of an operation, with the values of its example."""

    def __init__(self, method: str, path: str, operation: Schema, examples: Examples) -> None:
        self.method, self.path, self.operation, self.id = method, path, operation, operation["operationId"]
        known = examples.of_operations
        example = self._example(known.get(self.id) or known.get(self._original(known)) or [])
        values = examples.values | _TOKENS
        self.path_values, self.headers = (filled(example.get(part) or {}, values) for part in ("path", "headers"))
        schemas = {each["name"]: each.get("schema", {}) for each in operation["parameters"]}
        query = filled(example.get("query") or {}, values)
        self.query = {name: _typed(value, schemas.get(name, {})) for name, value in query.items()}
        self.body: Any = filled(example.get("body"), values)
        content = operation.get("requestBody", {}).get("content", {JSON: {}})
        self.is_form = JSON not in content
        self.needs_key = bool(operation["security"])

    def _original(self, known: dict[str, Any]) -> str:
        name = self.id.removesuffix("V7")
        return name if name in known else ""

    @staticmethod
    def _example(played: list[dict[str, Any]]) -> dict[str, Any]:
        return next((each for each in played if each["status"] == 200), {})

    @property
    def target(self) -> str:
        """The path with its values, and the query."""
        path = re.sub(r"{(\w+)}", lambda name: quote(str(self.path_values.get(name[1], 1)), safe=""), self.path)
        query = {name: _text(value) for name, value in self.query.items()}
        return path + (f"?{urlencode(query, quote_via=quote)}" if query else "")

    def arguments(self, names: str, instead: dict[tuple[str, str], _Source]) -> tuple[list[Any], dict[str, Any]]:
        """Return the values of the named arguments, and the others."""
        body = self.body if isinstance(self.body, dict) else {}
        given = {"element": "value"} | self.path_values | self.headers | self.query | body | {"body": self.body}
        given["password"] = _PASSWORDS.get(body.get("password", ""), body.get("password"))
        places = names.split()
        taken = [instead.get((self.id, name), given.get(name)) for name in places]
        others = self.query | ({} if "body" in places else body)
        return taken, {name: value for name, value in others.items() if name not in places}


def add_samples(document: Schema, examples: Examples) -> None:
    """Add the extension x-codeSamples to each operation."""
    for path, operations in document["paths"].items():
        for verb in _VERBS:
            if operation := operations.get(verb):
                operation["x-codeSamples"] = list(_samples(_Request(verb.upper(), path, operation, examples)))


def _samples(request: _Request) -> Iterator[Schema]:
    for language, label, write in (
        ("Shell", "curl", _curl),
        ("Python", "Python", _python),
        ("TypeScript", "TypeScript", _typescript),
        ("C#", "C#", _csharp),
    ):
        yield {"lang": language, "label": label, "source": write(request)}


def _curl(request: _Request) -> str:
    parts = ["curl"]
    if request.method not in {"GET", "POST"} or (
        request.method == "POST" and not request.is_form and request.body is None
    ):
        parts += ["-X", request.method]
    for name, value in _headers(request).items():
        parts += ["-H", shlex.quote(f"{name}: {value}")]
    if request.is_form:
        parts += ["-F", f"avatar=@{PICTURE}"]
    elif request.body is not None:
        parts += ["-d", shlex.quote(_json(request.body))]
    return " ".join([*parts, shlex.quote(ADDRESS + request.target)])


def _python(request: _Request) -> str:
    if request.id not in METHODS:
        arguments = [_in_python(request.method), _in_python(ADDRESS + request.target)]
        arguments += [f"headers={_in_python(_headers(request))}"] if _headers(request) else []
        arguments += [f"json={_in_python(request.body)}"] if request.body is not None else []
        return f"import httpx\n\nprint(httpx.request({', '.join(arguments)}).text)\n"
    method, names = METHODS[request.id]
    taken, others = request.arguments(names, _PYTHON)
    if request.id == "checkContents":
        pairs = (f"({each['channelId']}, {each['id']})" for each in taken[1])
        taken[1] = _Source(f"[{', '.join(pairs)}]")
    keywords = {name if name in request.query else _snake(name): value for name, value in others.items()}
    written = [*map(_in_python, taken), *(f"{name}={_in_python(value)}" for name, value in keywords.items())]
    needed = "from pathlib import Path\n\n" if any("Path(" in each for each in written) else ""
    key = f', "{KEY}"' if request.needs_key else ""
    return (
        f'{needed}from cms_client import Client\n\nwith Client("{ADDRESS}"{key}) as client:\n'
        f"    print(client.{_snake(method)}({', '.join(written)}))\n"
    )


def _typescript(request: _Request) -> str:
    key = f', {{ apiKey: "{KEY}" }}' if request.needs_key else ""
    head = f'import {{ Client }} from "cms-api-client";\n\nconst client = new Client("{ADDRESS}"{key});\n'
    if request.id not in METHODS:
        parameters = {"path": request.path_values, "query": request.query, "header": request.headers}
        options: dict[str, Any] = {"params": {name: each for name, each in parameters.items() if each}}
        options |= {"body": request.body} if request.body is not None else {}
        options |= {"parseAs": "text"} if JSON not in request.operation["responses"]["200"].get("content", {}) else {}
        arguments = [f'"{request.path}"', _in_typescript({name: each for name, each in options.items() if each})]
        call = f"client.api.{request.method}({', '.join(each for each in arguments if each != '{}')})"
        return f"{head}const {{ data }} = await {call};\nconsole.log(data);\n"
    method, names = METHODS[request.id]
    taken, others = request.arguments(names, _TYPESCRIPT)
    written = [*map(_in_typescript, taken), *([_in_typescript(others)] if others else [])]
    needed = 'import { openAsBlob } from "node:fs";\n' if any("openAsBlob" in each for each in written) else ""
    return f"{needed}{head}console.log(await client.{method}({', '.join(written)}));\n"


def _csharp(request: _Request) -> str:
    lines = [f'using var http = new HttpClient {{ BaseAddress = new Uri("{ADDRESS}") }};']
    lines += [f'http.DefaultRequestHeaders.Add("{name}", "{value}");' for name, value in _headers(request).items()]
    arguments = [json.dumps(request.target)]
    if request.is_form:
        file = f'{{ new ByteArrayContent(File.ReadAllBytes("{PICTURE}")), "avatar", "{PICTURE}" }}'
        lines.append(f"using var body = new MultipartFormDataContent {{ {file} }};")
    elif request.body is not None:
        text = f'"""{_json(request.body)}"""'
        lines.append(f'using var body = new StringContent({text}, Encoding.UTF8, "application/json");')
    if request.method in {"POST", "PUT"}:
        arguments.append("body" if request.is_form or request.body is not None else "null")
    lines.append(f"using var response = await http.{request.method.title()}Async({', '.join(arguments)});")
    lines.append("Console.WriteLine(await response.Content.ReadAsStringAsync());")
    needed = "using System.Text;\n\n" if "Encoding." in "".join(lines) else ""
    return needed + "\n".join(lines) + "\n"


def _headers(request: _Request) -> dict[str, str]:
    return {**({"X-SS-API-KEY": KEY} if request.needs_key else {}), **request.headers}


def _in_python(value: Any) -> str:
    if isinstance(value, _Source):
        return value
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_json(name)}: {_in_python(each)}' for name, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_in_python, value))}]"
    return _json(value) if isinstance(value, str) else repr(value)


def _in_typescript(value: Any) -> str:
    if isinstance(value, _Source):
        return value
    if isinstance(value, dict):
        members = (f"{_member(name)}: {_in_typescript(each)}" for name, each in value.items())
        return f"{{ {', '.join(members)} }}" if value else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_in_typescript, value))}]"
    return _json(value)


def _member(name: str) -> str:
    return name if name.isidentifier() else _json(name)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", lambda letter: f"_{letter[1].lower()}", name)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _typed(value: str, schema: Schema) -> Any:
    """Return the value of a parameter, which is recorded as text, in its own type."""
    kind = schema.get("type")
    types = {kind} if isinstance(kind, str) else set(kind or ())
    if "boolean" in types:
        return value == "true"
    return int(value) if "integer" in types else value

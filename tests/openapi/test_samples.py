"""The samples of each operation: those of the clients send the request that curl sends."""

import json
import re
import shlex
from contextlib import suppress
from hashlib import md5
from urllib.parse import parse_qsl, urlsplit

import cms_client
import httpx
import pytest

from tests.openapi.documents import operations
from tests.typescript_client import FOLDER, built_client, run
from tools.openapi.samples import ADDRESS, KEY, METHODS

LANGUAGES = ["Shell", "Python", "TypeScript", "C#"]
SAMPLES = {
    operation["operationId"]: {
        each["lang"]: each["source"].replace(KEY, "ssk1_x") for each in operation["x-codeSamples"]
    }
    for _, _, operation in operations()
}
# Runs each sample, and prints the last request that it has sent.
RUNNER = """
import { readdirSync } from "node:fs";
const found = {};
const { log } = console;
console.log = () => {};
for (const name of readdirSync(".").filter((file) => file.endsWith(".sample.mjs"))) {
  globalThis.fetch = async (url, { method, headers, body }) => {
    if (!found[name] || method !== "GET") {
      const text = body ? Buffer.from(body).toString() : "";
      found[name] = { method, url, headers: Object.fromEntries(headers), body: text };
    }
    return url.includes("/captcha/") && method === "GET" ? new Response("png") : new Response("{}", { status: 404 });
  };
  await import(`./${name}`).catch(() => {});
}
log(JSON.stringify(found));
"""
TYPESCRIPT = {
    "compilerOptions": {
        "strict": True, "noEmit": True, "target": "es2022", "module": "nodenext", "types": ["node"],
        "typeRoots": [str(FOLDER / "node_modules" / "@types")],
    },
    "include": ["*.mts"],
}  # fmt: skip


def curl(operation_id):
    """Method, path, query, headers and body of the sample for curl."""
    words = shlex.split(SAMPLES[operation_id]["Shell"])
    assert words.pop(0) == "curl"
    url = urlsplit(words.pop())
    given = list(zip(words[::2], words[1::2], strict=True))
    options = dict(given)
    headers = dict(value.split(": ", 1) for name, value in given if name == "-H")
    method = options.get("-X") or ("POST" if {"-d", "-F"} & options.keys() else "GET")
    return method, url.path, dict(parse_qsl(url.query)), headers, json.loads(options.get("-d", "null"))


def assert_same_request(operation_id, method, url, headers, body):
    """The request is that of curl; bodies may have further members, and a password or its digest."""
    expected_method, path, query, expected_headers, members = curl(operation_id)
    url = urlsplit(str(url))
    assert (method, url.path, dict(parse_qsl(url.query))) == (expected_method, path, query)
    assert {name.lower() for name in expected_headers} <= {name.lower() for name in headers}
    if members is not None:
        sent = json.loads(body)
        for each in (sent, members):
            each["password"] = _digest(each.get("password", ""))
        assert sent | members == sent


def _digest(password):
    return password if re.fullmatch("[0-9a-f]{32}", password) else md5(password.encode()).hexdigest()


def test_each_operation_has_samples_in_four_languages():
    assert {tuple(samples) for samples in SAMPLES.values()} == {tuple(LANGUAGES)}
    assert METHODS.keys() <= SAMPLES.keys()


@pytest.mark.parametrize("operation_id", SAMPLES)
def test_python_sends_what_curl_sends(operation_id, monkeypatch, tmp_path):
    sent = []

    def answer(request):
        sent.append(request)
        cookie = {"Set-Cookie": "SS-LOGIN-CAPTCHA=token"}
        return httpx.Response(200 if "/captcha/" in request.url.path else 404, json={"value": {}}, headers=cookie)

    http = httpx.Client(transport=httpx.MockTransport(answer))
    monkeypatch.setattr(cms_client, "Client", lambda *values: _with(http, *values))
    monkeypatch.setattr(httpx, "request", http.request)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "avatar.png").write_bytes(b"picture")
    source = SAMPLES[operation_id]["Python"]
    with suppress(cms_client.CmsError):
        exec(compile(source, operation_id, "exec"), {})
    request = sent[-1]
    assert_same_request(operation_id, request.method, request.url, request.headers, request.content)


def _with(http, *values):
    from cms_client.clients import Client

    return Client(*values, http=http)


@pytest.mark.large
def test_typescript_is_typed_and_sends_what_curl_sends(tmp_path):
    folder = built_client()
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "cms-api-client").symlink_to(folder)
    (tmp_path / "tsconfig.json").write_text(json.dumps(TYPESCRIPT))
    (tmp_path / "run.mjs").write_text(RUNNER)
    (tmp_path / "avatar.png").write_bytes(b"picture")
    for name, samples in SAMPLES.items():
        for ending in (".mts", ".sample.mjs"):
            (tmp_path / f"{name}{ending}").write_text(samples["TypeScript"], encoding="utf-8")
    run(str(folder / "node_modules" / ".bin" / "tsc"), cwd=tmp_path)
    found = json.loads(run("node", "run.mjs", cwd=tmp_path))
    for name in SAMPLES:
        assert_same_request(name, **found[f"{name}.sample.mjs"])


@pytest.mark.parametrize("operation_id", SAMPLES)
def test_csharp_sends_what_curl_sends(operation_id):
    """There is no compiler here: the text has the method, address and body of curl."""
    method, path, query, headers, members = curl(operation_id)
    source = SAMPLES[operation_id]["C#"]
    assert f'new Uri("{ADDRESS}")' in source
    [(verb, target)] = re.findall(r'http\.(\w+)Async\("([^"]+)"', source)
    url = urlsplit(target)
    assert (verb.upper(), url.path, dict(parse_qsl(url.query))) == (method, path, query)
    assert dict(re.findall(r'Headers\.Add\("([^"]+)", "([^"]+)"\)', source)) == headers
    text = re.findall(r'"""(.*)"""', source)
    assert [json.loads(each) for each in text] == ([] if members is None else [members])

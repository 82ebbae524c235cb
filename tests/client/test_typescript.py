"""The TypeScript client: built, packed, and used by Node with a real server (`make check-client-ts`: its types)."""

import json
import re
import shutil

import cms_client
import pytest

from tests.client.test_forms import MAKE
from tests.typescript_client import built_client, run
from tools.servers import ROOT

pytestmark = pytest.mark.large
# Prints the methods of each part.
METHODS = """
import { Client } from "cms-api-client";
const client = new Client("http://127.0.0.1:1");
const names = (part) => Object.getOwnPropertyNames(Object.getPrototypeOf(part));
const methods = (part) => names(part).filter((name) => name !== "constructor").sort();
const parts = Object.entries(client).filter(([name]) => name !== "api");
const all = [["client", client], ...parts.map(([name, part]) => [`client.${name}`, part])];
console.log(JSON.stringify(Object.fromEntries(all.map(([name, part]) => [name, methods(part)]))));
"""
PROGRAM = """
import { Client, ConnectionFailed } from "cms-api-client";
try {
  await new Client("ADDRESS", { retries: { times: 0 } }).stl.sites();
} catch (error) {
  if (error instanceof ConnectionFailed) console.log(error.name, error.wasSent);
}
"""
AVATAR = ROOT / "accounts" / "default_avatar.png"


@pytest.fixture(scope="module")
def folder():
    return built_client()


def test_it_works_with_a_real_server(folder, address, museum):
    museum.manage("shell", "-c", MAKE)
    files = sorted(str(path) for path in (folder / "test").glob("*.test.mjs"))
    run("node", "--test", *files, CMS_ADDRESS=address, CMS_KEY=museum.key, CMS_AVATAR=str(AVATAR))


def test_the_package_has_what_is_built_and_nothing_else(folder):
    [packed] = json.loads(run("npm", "pack", "--dry-run", "--json", "--ignore-scripts"))
    built = {f"dist/{path.stem}{ending}" for path in (folder / "src").glob("*.ts") for ending in (".js", ".d.ts")}
    assert {file["path"] for file in packed["files"]} == {"LICENSE", "README.md", "package.json"} | built
    assert (packed["name"], packed["version"]) == ("cms-api-client", cms_client.__version__)


def test_a_program_uses_it_from_its_package(folder, refusing, tmp_path):
    run("npm", "pack", "--ignore-scripts", "--pack-destination", str(tmp_path))
    [packed] = tmp_path.glob("*.tgz")
    modules = tmp_path / "node_modules"
    shutil.unpack_archive(packed, modules, filter="data")
    (modules / "package").rename(modules / "cms-api-client")
    for name in json.loads((folder / "package.json").read_text())["dependencies"]:
        for needed in {name, "openapi-typescript-helpers"}:
            place = modules / needed
            place.parent.mkdir(exist_ok=True)
            if not place.exists():
                place.symlink_to(folder / "node_modules" / needed)
    (tmp_path / "program.mts").write_text(PROGRAM.replace("ADDRESS", refusing))
    # The strictest settings, which also check the declarations of the package.
    options = "--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2022 --module nodenext"
    compiler = str(folder / "node_modules" / ".bin" / "tsc")
    run(compiler, *options.split(), "program.mts", cwd=tmp_path)
    assert run("node", "program.mjs", cwd=tmp_path) == "ConnectionFailed false\n"


def test_errors_are_those_of_the_python_client(folder):
    source = (folder / "src" / "errors.ts").read_text(encoding="utf-8")
    assert set(re.findall(r"^export class (\w+)", source, re.MULTILINE)) == {
        name
        for name, each in vars(cms_client).items()
        if isinstance(each, type) and issubclass(each, cms_client.CmsError)
    }


def test_operations_are_those_of_the_readme_and_of_the_python_client(folder):
    coded = json.loads(run("node", "--input-type=module", "--eval", METHODS))
    assert coded == operations_in("client-ts/README.md")
    coded["client"].remove("changes")
    python = operations_in("client/README.md")
    del python["client.webhooks"]  # TypeScript has `client.api` for these, and for `request`
    assert coded == {
        part: sorted({camel(name) for name in names} - {"iterate", "changes", "request"})
        for part, names in python.items()
    }


def test_the_examples_of_the_readme_run(folder, address, museum):
    readme = (folder / "README.md").read_text(encoding="utf-8")
    text = "".join(re.findall(r"^```js\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE))
    text = text.replace("http://127.0.0.1:8000", address).replace("ssk1_…", museum.key)
    printed = run("node", "--input-type=module", "--eval", text)
    assert printed.startswith("true ")
    assert "404 content_not_found" in printed


def operations_in(file):
    """The operations of each part, by the table of a README."""
    section = (ROOT / file).read_text(encoding="utf-8").split("\n## All operations\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `([\w.]+)` \| (.*) \|$", section, re.MULTILINE)
    return {part: sorted(re.findall(r"`(\w+)`", names)) for part, names in rows}


def camel(name):
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)

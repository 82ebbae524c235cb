"""Every line that a document prints for readers to run is run here as printed, or stands in a table with the reason."""

import json
import shutil

import pytest

from tests.printed_lines import OF_BROWSERS, ROOT, RUN, STATUS, Block, Reader, blocks_of, documents
from tools.servers import Installation
from tools.site_templates import Template

pytestmark = [pytest.mark.large, pytest.mark.any_database]

REAL_TEMPLATE = ROOT.parent / "shared" / "site-templates" / "T_aeson"
_DEPLOYMENT = (
    "needs a machine of its own; tests/test_deploy.py and tests/test_deploy_nginx.py try the files it installs"
)
_BROWSER = "stands in a page of the reader's own; tests/accounts and tests/wire/test_cors.py send the same"
_POSTGRESQL = "is about PostgreSQL, and the sample site here lies in SQLite"
_FIRST_START = "installs packages; tests/test_first_start.py runs what it does then"
_COMMENTS = "stands in a template of the reader's own; tests/comments has such ones"
_TEMPLATE = "stands in a template of the reader's own; tests/forms has such ones"
_SITESERVER = "needs an installation of SiteServer; tests/migration has some"
# By file and first line.
NOT_RUN = {
    ("README.md", "make run     # serve on http://127.0.0.1:8000 with a sample site"): _FIRST_START,
    ("docs/tutorial.md", "make run"): _FIRST_START,
    ("docs/tutorial.zh.md", "make run"): _FIRST_START,
    ("docs/contract-tests.md",
     "make test-contract                               # all of it: more than ten thousand examples, some minutes"):
        "takes minutes and writes into the document; tests/contract/test_short_run.py runs some of it",
    ("docs/migration.md",
     ".venv/bin/python manage.py migrate_siteserver /backups/old --files /srv/old --dry-run"): _SITESERVER,
    ("docs/migration.md",
     ".venv/bin/python manage.py migrate_siteserver /backups/old --files /srv/old --with-keys"): _SITESERVER,
    ("docs/migration.md",
     ".venv/bin/python manage.py migrate_siteserver /backups/old --compare https://old.example/api --key KEY"):
        _SITESERVER,
    ("docs/from-siteserver.md", "from cms_client import Client, members_to_copy, order, where"):
        "goes from one server to another; tests/client/test_copying.py has two",
    ("docs/backup.md", "manage.py backup /srv/backups/monday.tar"):
        "brings back what is still there, and is refused; tests/backup/test_round_trip.py has an empty place for it",
    ("docs/deploying.md", "cms-manage check --deploy --fail-level WARNING"): _DEPLOYMENT,
    ("docs/media.md", 'import { Upload } from "tus-js-client";'): _BROWSER,
    ("docs/search.md", "from cms_client import Client"):
        "needs the client's package; tests/client/test_readme.py runs the same call",
    ("docs/comments.md", '<stl:commentInput pageNum="20"></stl:commentInput>'): _COMMENTS,
    ("docs/comments.md", '<h2>Comments (<stl:comments type="count"></stl:comments>)</h2>'): _COMMENTS,
    ("docs/forms.md", '<stl:input inputName="visit"></stl:input>'): _TEMPLATE,
    ("docs/forms.md", '<stl:input inputName="visit">'): _TEMPLATE,
    ("docs/forms.md", '<stl:pageInputContents inputName="visit" pageNum="10">'): _TEMPLATE,
    ("docs/forms.md", 'const response = await fetch("https://cms.example.org/museum/_forms/3", {'): _BROWSER,
    ("docs/pages.md", '<stl:search type="title,content,tags" isHighlight="true">'):
        "stands in a template; tests/pages/test_search_by_words.py has others like it",
    ("docs/search.md", '<input type="search" name="word" list="titles" autocomplete="off">'):
        "stands in a template; the sample site has the same in a file, which tests/browser/test_website.py runs",
    ("docs/recipes.md", "const form = new FormData();"): _BROWSER,
    ("docs/recipes.md", 'const api = "https://cms.example.org/api/v1";'): _BROWSER,
    ("docs/recipes.md", 'const token = new URLSearchParams(location.search).get("token");'): _BROWSER,
    ("docs/accounts.md", ".venv/bin/python manage.py reset_second_factor admin"):
        "the new administrator has no second factor; tests/accounts/test_second_factor.py has one",
    ("docs/keys.md", "gitleaks dir --config apikeys/leaked_keys.toml /srv/website"):
        "needs gitleaks, which is no part of the service; tests/apikeys/test_leaked_keys.py tries its rule",
    ("docs/operations.md", "apt-get install --yes python3-venv postgresql redis-server nginx openssl"): _DEPLOYMENT,
    ("docs/operations.md", "install --mode 0600 deploy/cms.env.example /etc/cms.env"): _DEPLOYMENT,
    ("docs/operations.md", "su postgres -c \"psql --quiet --command \\\"CREATE ROLE cms LOGIN CREATEROLE PASSWORD "
     "'$CMS_DATABASE_PASSWORD'\\\"\""): _DEPLOYMENT,
    ("docs/operations.md", "install --mode 0644 deploy/cms.service deploy/cms-purge@.service deploy/cms-purge@.timer "
     "/etc/systemd/system/"): _DEPLOYMENT,
    ("docs/operations.md", "install --mode 0755 deploy/cms-manage /usr/local/bin/"): _DEPLOYMENT,
    ("docs/operations.md", "install --directory --mode 0700 /etc/nginx/tls"): _DEPLOYMENT,
    ("docs/operations.md", "apt-get install --yes certbot"): _DEPLOYMENT,
    ("docs/operations.md", "install --mode 0755 deploy/cms-manage-container /usr/local/bin/cms-manage"): _DEPLOYMENT,
    ("docs/scaling.md", "export CMS_DATABASE_URL=postgres://cms:password@db1/cms"): _POSTGRESQL,
    ("docs/export.md",
     "manage.py export_pages museum /srv/www/museum --url https://www.example.org --service https://cms.example.org"):
        "writes into a folder of the web server; tests/pages/test_export.py has one",
    ("docs/site-files.md", "manage.py export_site 1 museum.tar"):
        "goes from one installation into another; tests/backup/test_site_file.py has two",
    ("docs/site-files.md", "manage.py export_site 1 - | gpg --encrypt --recipient museum@example.org > "
     "museum.tar.gpg"): "needs the reader's own key of gpg",
    ("docs/site-files.md", "tar --extract --to-stdout --file museum.tar --wildcards 'tables/contents_content/*' | "
     "zcat | jq -r '[.[0], .[19]] | @tsv'"): "needs jq; tests/transfer/test_export_site.py reads the same members",
    ("docs/sql.md", "CMS_SQL_TABLES=siteserver_Site,siteserver_Channel,siteserver_Content,siteserver_User"):
        "is a setting, and no line to run",
    ("docs/sql.md", "manage.py set_up_sql_reader"): _POSTGRESQL,
    ("docs/sql.md", "manage.py set_up_sql_reader --print --show-password"): _POSTGRESQL,
    ("docs/sql.md", "manage.py set_up_sql_reader --remove"): _POSTGRESQL,
}  # fmt: skip
# Made from the code: usages of commands, not lines to run.
USAGES = "docs/reference/commands.md"
# What a document takes for granted: run before its first block.
PREPARED = {
    "docs/accounts.md": 'manage.py createsuperuser --noinput --user_name admin\ncurl -H "X-SS-API-KEY: $KEY" '
    '-d \'{"userName": "reader1", "password": "lantern7"}\' $BASE/users',
    "docs/keys.md": 'manage.py create_api_key "news robot" --scope Contents:write',
}
# Blocks that show how the service refuses, with the status and word that the document promises.
REFUSED = {
    (
        "docs/safe-writes.md",
        'curl -H "X-SS-API-KEY: $KEY" -H "Idempotency-Key: ferry-2026-11-20" -d \'{"title": "The ferry is late"}\' '
        "$CHANNEL",
    ): (422, "idempotency_key_reused"),
    (
        "docs/safe-writes.md",
        'curl -i -X DELETE -H "X-SS-API-KEY: $KEY" -H "If-Match: $(cat seen.etag)" $CHANNEL/$ID',
    ): (412, "precondition_failed"),
}
# What is to be asked once more after the last block, for the refusal that the document shows as JSON.
_ONCE_MORE = 'curl -H "X-SS-API-KEY: $KEY" http://127.0.0.1:8000/api/v1/contents/1/11/$ID'
SHOWN = {"docs/tutorial.md": (_ONCE_MORE, 404), "docs/tutorial.zh.md": (_ONCE_MORE, 404)}
# Documents of which each line has to find something in the sample site.
FINDS = {"README.md", "docs/lists.md", "docs/sql.md"}
NOTHING = ([], None, "")
# What a newcomer reads in this order, with the ids that the responses have by then.
IN_ORDER = {
    "README.md": {},
    "docs/tutorial.md": {"ID=61": "ID=62"},
    "docs/recipes.md": {"ID=61": "ID=63", "OTHER=62": "OTHER=64", "LOW=63": "LOW=65", "HIGH=64": "HIGH=66"},
    "docs/safe-writes.md": {"ID=61": "ID=68"},
}


def to_run(file):
    if file == USAGES:
        return []
    return [block for block in blocks_of(file) if block.is_to_be_run and block.name not in NOT_RUN]


@pytest.fixture(scope="session")
def sample_data(tmp_path_factory):
    """A data folder with the sample site and a key with all scopes, to be copied."""
    folder = tmp_path_factory.mktemp("sample") / "data"
    installation = Installation(folder, sample_site=True)
    return folder, installation.manage("create_api_key", "sample", "--all-scopes")


@pytest.fixture
def template(tmp_path):
    """A site template: a real one where it is at hand."""
    if REAL_TEMPLATE.is_dir():
        return REAL_TEMPLATE
    return Template().write_folder(tmp_path / "T_mysite")


@pytest.mark.skipif(shutil.which("curl") is None, reason="the lines need curl")
@pytest.mark.parametrize("file", [file for file in documents() if to_run(file)])
def test_the_lines_of_a_document_run_as_printed(file, sample_data, template, tmp_path):
    data, key = sample_data
    shutil.copytree(data, tmp_path / "data")
    installation = Installation(tmp_path / "data", administrator=False)
    blocks = to_run(file)
    asked = [Block(file, "sh", f"{SHOWN[file][0]}\n")] if file in SHOWN else []
    with installation.serve() as server:
        address = f"127.0.0.1:{server.port}"
        replaced = {"ssk1_…": key, "127.0.0.1:8000": address, "path/to/T_mysite": str(template)}
        prepared = f"KEY={key}\nBASE=http://{address}/api/v1\n{PREPARED.get(file, '')}"
        printed = Reader(tmp_path, installation.environment).run(
            blocks + asked, replaced, prepared, {*REFUSED, *(block.name for block in asked)}
        )
    assert len(printed) == len(blocks + asked)
    if asked:
        check_shown(file, printed.pop())
    for block, output in zip(blocks, printed, strict=True):
        if block.name in REFUSED:
            check_refusal(output, *REFUSED[block.name])
    if file in FINDS:
        for block, output in zip(blocks, printed, strict=True):
            check_answers(block.text, output)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the lines need curl")
def test_the_lines_of_documents_run_in_the_order_in_which_people_read_them(sample_data, template, tmp_path):
    data, key = sample_data
    shutil.copytree(data, tmp_path / "data")
    installation = Installation(tmp_path / "data", administrator=False)
    reader = Reader(tmp_path, installation.environment)
    with installation.serve() as server:
        address = f"127.0.0.1:{server.port}"
        for file, ids in IN_ORDER.items():
            replaced = {"ssk1_…": key, "127.0.0.1:8000": address, "path/to/T_mysite": str(template), **ids}
            assert all(line in "".join(block.text for block in blocks_of(file)) for line in ids)
            reader.run(to_run(file), replaced, f"KEY={key}", REFUSED)


def check_refusal(output, status, code):
    """The answer has the status and the word that the document promises."""
    *_, answer, end = output.strip().splitlines()
    assert end == f"{STATUS}{status}", output
    assert json.loads(answer)["code"] == code


def check_shown(file, output):
    """The answer is the one that the document shows."""
    shown = [json.loads(block.text) for block in blocks_of(file) if block.language == "json"]
    answer, end = output.strip().splitlines()
    assert end == f"{STATUS}{SHOWN[file][1]}", output
    assert shown == [json.loads(answer)]


def check_answers(text, output):
    """Each line with curl but the ping has an object for an answer, and what pages are made of is not empty."""
    commands = [command for command in text.split("curl ")[1:] if "/ping" not in command]
    answers = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    assert len(answers) == len(commands), text
    for command, answer in zip(commands, answers, strict=True):
        # What an imported site has depends on the template.
        if "/stl/" in command and "siteId=25" not in command:
            assert answer["value"] not in NOTHING, command
        if "/sqlContents" in command:
            assert all(answer["value"]), command


def test_the_table_of_what_is_not_run_names_blocks_that_are_there():
    found = {block.name for file in documents() for block in blocks_of(file) if block.is_to_be_run}
    assert NOT_RUN.keys() | REFUSED.keys() <= found
    assert not NOT_RUN.keys() & REFUSED.keys()


@pytest.mark.parametrize("file", documents())
def test_a_block_that_is_shown_says_what_it_is(file):
    blocks = blocks_of(file)
    # tests/sql/test_sql_docs.py reads these.
    assert file == "docs/sql.md" or not [block for block in blocks if block.language == "sql"]
    assert {block.language for block in blocks} <= {
        "",
        "sql",
        "json",
        "js",
        "yaml",
        "nginx",
        "ini",
        "text",
        *RUN,
        *OF_BROWSERS,
    }
    for block in blocks:
        if block.language == "json":
            assert json.loads(block.text), block.text


@pytest.mark.parametrize(("status", "code"), [(200, "precondition_failed"), (412, "not_found")])
def test_a_block_that_is_refused_otherwise_than_promised_is_found_out(status, code):
    output = f'HTTP/1.1 {status} X\n\n{{"code":"{code}"}}\n{STATUS}{status}\n'
    with pytest.raises(AssertionError):
        check_refusal(output, 412, "precondition_failed")

"""What deploy/ has agrees with the service: settings, paths, addresses; and the documented set-up has no fault."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from http import HTTPStatus
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
import yaml
from django.core.exceptions import ImproperlyConfigured
from django.urls import get_resolver

from cms_api import settings
from core.lib.environment import (
    read_data_folder,
    read_database,
    read_hsts,
    read_log_level,
    read_own_secret,
    read_time_zone,
)
from forms.uploads import MAX_BODY
from server import configuration as server
from server.serving import ENVIRONMENT, read_settings
from tests.printed_lines import blocks_of
from tests.routes import path_of
from tools.packages import PACKAGES

pytestmark = pytest.mark.large

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
KNOWN = set(settings.ENVIRONMENT) | set(ENVIRONMENT)
# Settings of other programs that stand beside ours.
FOREIGN = {"PYTHONUNBUFFERED"}
OWN_SERVERS = True  # whatever database the suite runs on


def read(name):
    return (DEPLOY / name).read_text(encoding="utf-8")


def assignments(text):
    """The NAME=value lines."""
    return dict(re.findall(r"^([A-Z_]+)=(.*)$", text, re.MULTILINE))


def run(*command, **environment):
    """What a program of ours says, run in the project's folder."""
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, timeout=120
    )


# ---- The documented set-up


def documented(folder):
    """The settings of cms.env.example with secrets, on a data folder and a database of the test's own."""
    given = assignments(read("cms.env.example"))
    made = subprocess.run([DEPLOY / "make_secrets.sh"], capture_output=True, text=True, check=True)
    given |= {name: value for name, value in assignments(made.stdout).items() if name in given}
    return given | {"CMS_DATA_DIR": str(folder)}


def test_the_documented_set_up_passes_the_deployment_checks(tmp_path):
    environment = documented(tmp_path)
    collected = run("manage.py", "collectstatic", "--no-input", "--verbosity", "0", **environment)
    assert collected.returncode == 0, collected.stderr
    checked = run("-W", "error", "manage.py", "check", "--deploy", "--fail-level", "WARNING", **environment)
    assert checked.returncode == 0, checked.stderr
    assert "no issues" in checked.stdout
    # Nothing was made up where the file names it.
    assert not (tmp_path / "secret_key").exists()
    assert not (tmp_path / "password_pepper").exists()


def test_style_sheets_that_were_not_collected_are_a_warning(tmp_path):
    checked = run("manage.py", "check", "--deploy", "--fail-level", "WARNING", **documented(tmp_path))
    assert checked.returncode == 1
    assert "have not been collected" in checked.stderr
    assert "Run manage.py collectstatic" in checked.stderr


def test_the_server_collects_them_when_it_starts(installation, tmp_path):
    environment = {"CMS_DATA_DIR": str(tmp_path), "CMS_WORKERS": "1"}
    environment["CMS_DATABASE_URL"] = f"sqlite:///{installation.environment['CMS_DATA_DIR']}/db.sqlite3"
    with installation.serve(**environment) as running:
        page = running.request("GET", "/admin/login/").content.decode()
        (name,) = re.findall(r"/static/cms_admin/admin\.[0-9a-f]{12}\.css", page)
        answer = running.request("GET", name)
        assert answer.status_code == HTTPStatus.OK
        assert "immutable" in answer.headers["Cache-Control"]
    assert "have not been collected" not in running.log
    assert not list(tmp_path.glob(".static-*"))


def test_the_server_starts_without_them_and_says_so(installation, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root can write everywhere")
    (tmp_path / "static").mkdir(mode=0o500)
    environment = {"CMS_DATA_DIR": str(tmp_path), "CMS_WORKERS": "1"}
    environment["CMS_DATABASE_URL"] = f"sqlite:///{installation.environment['CMS_DATA_DIR']}/db.sqlite3"
    with installation.serve(**environment) as running:
        assert running.request("GET", "/api/v1/ping").status_code == HTTPStatus.OK
        running.await_lines("could not be collected", 1)


@pytest.mark.skipif(shutil.which("rsync") is None, reason="rsync is needed")
def test_a_new_release_takes_the_place_of_the_old_one_and_leaves_what_is_no_code(tmp_path):
    (block,) = (each for each in blocks_of("docs/deploying.md") if "rsync" in each.text)
    kept = [
        "data/db.sqlite3",
        "deploy/.env",
        "deploy/cms.env",
        "deploy/tls/privkey.pem",
        ".venv/bin/python",
        "site/a.html",
    ]
    for release, files in {"srv/cms": ["old.py", "manage.py", *kept], "opt/cms-new": ["new.py", "manage.py"]}.items():
        for name in files:
            path = tmp_path / release / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(release, encoding="utf-8")
        for ignored in (".gitignore", "deploy/.gitignore"):
            path = tmp_path / release / ignored
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / ignored, path)
    (tmp_path / "opt/cms-new/new.py").chmod(0o666)
    script = block.text.partition("cd /srv/cms\n")[0].replace("--chown=root:root ", "")
    for folder in ("srv", "opt"):
        script = script.replace(f"/{folder}/", f"{tmp_path}/{folder}/")
    subprocess.run(["sh", "-euc", script], check=True, timeout=60)
    new, old = tmp_path / "srv/cms", tmp_path / "srv/cms-old"
    assert (old / "old.py").exists() and (old / ".venv/bin/python").exists()
    assert not (new / "old.py").exists()
    assert (new / "manage.py").read_text(encoding="utf-8") == "opt/cms-new"
    assert (new / "new.py").stat().st_mode & 0o777 == 0o644
    assert [name for name in kept if not (new / name).exists()] == []


def test_every_secret_is_made_anew_and_can_be_read():
    first, second = (subprocess.run([DEPLOY / "make_secrets.sh"], capture_output=True, text=True) for _ in range(2))
    for made in (first, second):
        values = assignments(made.stdout)
        assert set(values) == {"CMS_SECRET_KEY", "CMS_PASSWORD_PEPPERS", "CMS_DATABASE_PASSWORD"}
        assert all(re.fullmatch("(p1:)?[0-9a-f]{64}", value) for value in values.values())
    assert not set(first.stdout.split()) & set(second.stdout.split())


# ---- A wrong setting at start

# name, value, what is said
WRONG_AT_START = [
    ("PORT", "eighty", "PORT must be a whole number from 0 to 65535, not 'eighty'."),
    ("PORT", "65536", "PORT must be"),
    ("CMS_WORKERS", "two", "CMS_WORKERS must be a whole number from 1 to 256, not 'two'."),
    ("CMS_WORKERS", "0", "CMS_WORKERS must be"),
    ("CMS_THREADS", "4.5", "CMS_THREADS must be a whole number from 1 to 256, not '4.5'."),
    ("CMS_TIME_ZONE", "Moon/Crater", "CMS_TIME_ZONE must be a time zone such as Asia/Shanghai or UTC, not"),
    ("CMS_DATABASE_URL", "mysql://cms:secret@host/cms", "CMS_DATABASE_URL must begin with postgres:// or sqlite:///."),
    (
        "CMS_DATABASE_URL",
        "postgres://cms:sec/ret@host/cms",
        "CMS_DATABASE_URL cannot be read: its port is not a number",
    ),
    ("CMS_DATA_DIR", "/proc/nothing", "CMS_DATA_DIR: the folder /proc/nothing cannot be created"),
    ("CMS_LOG_LEVEL", "loud", "CMS_LOG_LEVEL must be DEBUG, INFO, WARNING, ERROR or CRITICAL, not 'loud'."),
]


@pytest.mark.parametrize(("name", "value", "said"), WRONG_AT_START)
def test_the_server_ends_with_one_sentence_about_a_wrong_setting(installation, name, value, said):
    environment = installation.environment | {"PORT": "0", name: value}
    done = run("-m", "gunicorn", "-c", "python:server.configuration", "cms_api.wsgi", **environment)
    assert done.returncode == 1
    assert done.stderr.startswith(said) and done.stderr.count("\n") == 1
    assert "secret" not in done.stderr and "ret@" not in done.stderr


@pytest.mark.parametrize("row", [5, 7, 8])
def test_a_command_ends_with_it_too(installation, row):
    name, value, said = WRONG_AT_START[row]
    done = run("manage.py", "check", **installation.environment | {name: value})
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith(said)


@pytest.mark.parametrize(
    "url",
    [
        "nonsense-secret", "secret@host/cms", "postgres:/cms:secret@host/cms", "POSTGRES://cms:secret@host/cms",
        " postgres://cms:secret@host/cms", "redis://:secret@host/0", "sqlite:secret", "postgres://cms:secret@host:x/cms",
        "postgres://cms:secret@host:99999/cms", "postgres://cms:secret@host/",
        "postgres://cms:secret@host/cms?secret=1", "postgres://cms:secret@host/cms?pool=4",
        "postgres://", "sqlite://", "sqlite:///", "",
    ],
)  # fmt: skip
def test_an_address_that_is_none_of_a_database_is_refused_without_a_part_of_it(url):
    with pytest.raises(ImproperlyConfigured, match=r"^CMS_DATABASE_URL [^\n]+\.$") as refused:
        read_database("CMS_DATABASE_URL", url)
    assert not any(part in str(refused.value) for part in ("secret", "cret", "99999"))


@pytest.mark.parametrize(
    ("url", "engine", "name"),
    [
        ("postgres://cms:p%2Fw@host:5433/cms?sslmode=require", "postgresql", "cms"),
        ("postgresql://host/cms", "postgresql", "cms"),
        ("sqlite:////var/lib/cms/db.sqlite3", "sqlite3", "/var/lib/cms/db.sqlite3"),
    ],
)
def test_an_address_of_a_database_is_read(url, engine, name):
    found = read_database("CMS_DATABASE_URL", url)
    assert found["ENGINE"] == f"django.db.backends.{engine}"
    assert found["NAME"] == name


@pytest.mark.parametrize("zone", ["", "UTC+8", "America", "../UTC", "/etc/localtime", "asia/shangha", "x" * 300])
def test_what_is_no_time_zone_is_refused(zone):
    with pytest.raises(ImproperlyConfigured, match=r"^CMS_TIME_ZONE must be a time zone"):
        read_time_zone("CMS_TIME_ZONE", zone)


@pytest.mark.parametrize("directives", [["preload"], ["includesubdomains"], ["preload", "includeSubDomains"], ["true"]])
def test_other_directives_of_hsts_are_refused(directives):
    with pytest.raises(ImproperlyConfigured, match=r"^CMS_HSTS must be empty, includeSubDomains, or .+, not '"):
        read_hsts("CMS_HSTS", directives)


@pytest.mark.parametrize(
    ("given", "header"),
    [
        ("", "max-age=31536000"),
        ("includeSubDomains", "max-age=31536000; includeSubDomains"),
        ("includeSubDomains, preload", "max-age=31536000; includeSubDomains; preload"),
    ],
)
def test_hsts_is_for_the_host_alone_unless_more_is_asked_for(installation, given, header):
    program = (
        "import django; django.setup(); from django.test import Client;"
        "print(Client().get('/api/v1/ping', secure=True, headers={'host': 'localhost'})['Strict-Transport-Security'])"
    )
    environment = installation.environment | {"CMS_SECURE": "true", "CMS_HSTS": given}
    done = run("-c", program, DJANGO_SETTINGS_MODULE="cms_api.settings", **environment)
    assert (done.stdout, done.returncode) == (f"{header}\n", 0), done.stderr


def test_what_can_be_is_read():
    assert read_time_zone("CMS_TIME_ZONE", "Asia/Shanghai") == "Asia/Shanghai"
    assert read_log_level("CMS_LOG_LEVEL", "debug ") == "DEBUG"
    assert read_settings({"PORT": " 80 "})["PORT"] == 80


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(ImproperlyConfigured, match=r"^CMS_DATA_DIR: the folder .+ cannot be created: "):
        read_data_folder("CMS_DATA_DIR", tmp_path, "file")
    with pytest.raises(ImproperlyConfigured, match=r"^CMS_SECRET_KEY is not set, and .+ cannot be read: "):
        read_own_secret("CMS_SECRET_KEY", tmp_path)
    with pytest.raises(ImproperlyConfigured, match=r"^CMS_SECRET_KEY is not set, and .+ is empty: restore the file"):
        read_own_secret("CMS_SECRET_KEY", file)


def test_a_folder_that_the_account_may_not_write_is_named():
    # Apart from tmp_path, into which nobody but its owner may look.
    closed = Path(tempfile.mkdtemp(prefix="cms-closed-"))
    closed.chmod(0o555)
    # The system refuses root nothing, so another account asks.
    program = (
        "import os; from pathlib import Path; from core.lib.environment import read_data_folder;"
        "os.getuid() or os.setuid(65534);"
        f"read_data_folder('CMS_DATA_DIR', Path('/'), {str(closed)!r})"
    )
    try:
        done = run("-c", program)
    finally:
        closed.rmdir()
    said = f"CMS_DATA_DIR: the account that runs this cannot write to {closed}."
    assert done.stderr.strip().endswith(said)


# ---- Files for systemd and containers


def test_names_of_settings_in_the_files_are_those_of_the_service():
    compose = yaml.safe_load(read("compose.yaml"))["services"]
    of_image = dict(
        pair.split("=", 1) for line in re.findall(r"^ENV (.+)$", read("Dockerfile"), re.M) for pair in line.split()
    )
    example = assignments(read("cms.env.example"))
    assert set(example) <= KNOWN
    assert set(of_image) <= KNOWN | FOREIGN
    for name in ("migrate", "node1", "node2"):
        assert set(compose[name]["environment"]) <= KNOWN


def test_numbers_in_the_files_are_the_defaults_of_the_service():
    example = assignments(read("cms.env.example"))
    assert {name: example[name] for name in ENVIRONMENT} == {
        name: str(setting.default) for name, setting in ENVIRONMENT.items()
    }
    nginx = read("nginx.conf")
    megabyte = 1024 * 1024
    limits = [int(number) * megabyte for number in re.findall(r"client_max_body_size (\d+)m;", nginx)]
    assert MAX_BODY < limits.pop(1) <= MAX_BODY + megabyte
    for limit, setting in zip(limits, ("CMS_MAX_BODY_BYTES", "CMS_PACKAGE_MAX_BYTES"), strict=True):
        assert settings.ENVIRONMENT[setting].default < limit <= settings.ENVIRONMENT[setting].default + megabyte
    # gunicorn's own default, as the file of ours says nothing else.
    assert not hasattr(server, "keepalive")
    idle = float(re.search(r"keepalive 32;\n +keepalive_timeout (\d+)s;", nginx)[1])
    assert idle < 2


def test_nginx_takes_large_bodies_where_pages_take_files():
    (taking,) = re.findall('location ~ "(.*)" {\n +client_max_body_size 1025m;', read("nginx.conf"))
    found = {}
    for top in get_resolver().url_patterns:
        for inner in getattr(top, "url_patterns", ()):
            for page in getattr(inner, "url_patterns", ()):
                path = "/" + "".join(path_of(part) for part in (top, inner, page))
                setting = getattr(page.callback, "takes_files_of", None)
                found[re.sub("<[^>]+>", "1", path)] = setting not in (None, "CMS_AVATAR_MAX_BYTES")
    assert "/admin/contents/content/upload/1/" in found
    assert {path for path, takes in found.items() if takes} == {path for path in found if re.search(taking, path)}


def test_the_two_nodes_of_compose_differ_in_name_and_folder_only():
    services = yaml.safe_load(read("compose.yaml"))["services"]
    first, second = services["node1"], services["node2"]
    differing = {name for name in first if first[name] != second[name]}
    assert differing == {"hostname", "volumes"}
    assert {first["hostname"], second["hostname"]} == {"node1", "node2"}
    assert set(first["volumes"]) & set(second["volumes"]) == {
        *("media:/var/lib/cms/media", "private:/var/lib/cms/private"),
    }


def test_temporary_files_of_the_nodes_of_compose_are_on_the_disk():
    compose = yaml.safe_load(read("compose.yaml"))
    for node in ("node1", "node2"):
        service = compose["services"][node]
        assert "tmpfs" not in service
        (volume,) = (one.removesuffix(":/tmp") for one in service["volumes"] if one.endswith(":/tmp"))
        assert volume in compose["volumes"]


def test_only_nodes_of_compose_reach_other_servers_and_only_the_proxy_is_reached_from_there():
    compose = yaml.safe_load(read("compose.yaml"))
    services = compose["services"]
    networks = {name for name, network in compose["networks"].items() if not (network or {}).get("internal")}
    reaching = {name: networks & set(service["networks"]) for name, service in services.items()}
    assert reaching == {
        "database": set(),
        "cache": set(),
        "migrate": {"outgoing"},
        "node1": {"outgoing"},
        "node2": {"outgoing"},
        "proxy": {"outside"},
    }
    # nginx looks up a node's address, and a node trusts nginx's: there must be one of each.
    for node in ("node1", "node2"):
        assert set(services["proxy"]["networks"]) & set(services[node]["networks"]) == {"inside"}


def test_logs_of_containers_are_bounded_and_those_of_nginx_go_to_the_output():
    services = yaml.safe_load(read("compose.yaml"))["services"]
    for service in services.values():
        assert {"max-size", "max-file"} <= set(service["logging"]["options"])
    (script,) = services["proxy"]["command"][2:]
    for name, kind in set(re.findall(r"^ +(access|error)_log /var/log/nginx/(\S+) ", read("nginx.conf"), re.MULTILINE)):
        assert f"ln -sf /dev/{'stdout' if name == 'access' else 'stderr'} {kind} " in script
    assert script.endswith('exec nginx -g "daemon off;"')


def test_backups_of_containers_are_in_a_folder_of_the_machine_that_the_image_may_write():
    text = read("compose.yaml")
    assert "/srv/backups:/srv/backups" in yaml.safe_load(text)["services"]["node1"]["volumes"]
    (owner,) = re.findall(r"^#   install --directory --owner (\d+) .* /srv/backups$", text, re.MULTILINE)
    assert f"useradd --system --uid {owner} " in read("Dockerfile")


@pytest.mark.parametrize("terminal", [False, True])
def test_a_command_runs_in_the_first_node_of_compose(tmp_path, terminal):
    docker = tmp_path / "docker"
    docker.write_text('#!/bin/sh\nfor each; do echo "$each"; done\nexit 3\n', encoding="utf-8")
    docker.chmod(0o755)
    end = os.openpty()[1] if terminal else subprocess.DEVNULL
    done = subprocess.run(
        [DEPLOY / "cms-manage-container", "create_api_key", "first key"],
        env=os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        stdin=end, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    expected = ["compose", "--file", "/srv/cms/deploy/compose.yaml", "exec", *([] if terminal else ["-T"]), "node1"]
    assert done.stdout.splitlines() == [*expected, ".venv/bin/python", "manage.py", "create_api_key", "first key"]
    assert done.returncode == 3


def test_compose_hides_what_it_should_and_asks_for_secrets():
    compose = yaml.safe_load(read("compose.yaml"))
    services = compose["services"]
    assert {name for name, service in services.items() if "ports" in service} == {"proxy"}
    assert compose["networks"]["inside"]["internal"] is True
    node = services["node1"]
    assert node["environment"]["CMS_TRUSTED_PROXIES"] == services["proxy"]["networks"]["inside"]["ipv4_address"]
    (inside,) = compose["networks"]["inside"]["ipam"]["config"]
    assert ip_address(node["environment"]["CMS_TRUSTED_PROXIES"]) not in ip_network(inside["ip_range"])
    asked = set(re.findall(r"\$\{(\w+):\?", read("compose.yaml")))
    assert asked == {"CMS_SECRET_KEY", "CMS_PASSWORD_PEPPERS", "CMS_DATABASE_PASSWORD"}
    assert (node["read_only"], node["cap_drop"]) == (True, ["ALL"])
    ignored = (DEPLOY / ".gitignore").read_text(encoding="utf-8").split("\n")
    assert {"/.env", "/cms.env", "/tls/", "/acme/"} <= set(ignored)


def test_images_are_fixed_and_nodes_run_without_the_rights_of_root():
    dockerfile = read("Dockerfile")
    services = yaml.safe_load(read("compose.yaml"))["services"].values()
    images = {service["image"] for service in services if "build" not in service}
    images |= set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE))
    assert all(re.fullmatch(r"\w+:\d+\.\d+(\.\d+)?-[\w.-]+", image) for image in images), images
    assert re.findall(r"^USER (\w+)$", dockerfile, re.MULTILINE) == ["cms"]
    assert "--require-hashes --only-binary :all:" in dockerfile


def context():
    """What .dockerignore takes, and what it leaves out of that again."""
    lines = [line for line in read("Dockerfile.dockerignore").split("\n") if line and not line.startswith("#")]
    assert lines[0] == "*"
    return [line[1:] for line in lines if line[0] == "!"], [line for line in lines[1:] if line[0] != "!"]


def test_the_image_takes_all_code_the_built_documentation_and_nothing_else():
    taken, _ = context()
    assert set(taken) == {*PACKAGES} | {"LICENSE", "manage.py", "requirements.txt", "deploy/ask_health.py", "site"}
    compiled = re.search(r"compileall -q -j 0 (.+)$", read("Dockerfile"), re.MULTILINE)[1]
    assert set(compiled.split()) == {*PACKAGES}


def test_what_the_image_takes_is_enough_and_what_runs_before_the_server_writes_no_lines_into_its_log(tmp_path):
    commands = re.findall(r"^ExecStartPre=/srv/cms/.venv/bin/python (.+)$", read("cms.service"), re.MULTILINE)
    assert [command.split()[1] for command in commands] == ["migrate", "collectstatic"]
    taken, left_out = context()
    for name in set(taken) - {"site"}:  # which is there where somebody has built it
        target = tmp_path / "image" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
        else:
            shutil.copy(ROOT / name, target)
    # Each entry is a folder, or a pattern for any folder.
    assert [name for name in left_out if not name.startswith("**/")] == ["core/admin/editor/node_modules"]
    environment = os.environ | {"CMS_DATA_DIR": str(tmp_path / "data"), "CMS_DATABASE_URL": "", "PYTHONPATH": ""}
    for command in ["manage.py check", *commands * 2]:
        done = subprocess.run(
            [sys.executable, *command.split()],
            cwd=tmp_path / "image", env=environment, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert command not in commands or not done.stdout + done.stderr


def test_the_health_check_of_a_container_asks_past_https_and_the_names_of_the_service(installation):
    with installation.serve(CMS_SECURE="true", CMS_ALLOWED_HOSTS="cms.example.org", CMS_WORKERS="1") as running:
        assert run("deploy/ask_health.py", "live", PORT=str(running.port)).returncode == 0
        # A machine that is busy with other tests may be too slow for the first time.
        assert 0 in (run("deploy/ask_health.py", "ready", PORT=str(running.port)).returncode for _ in range(30))
        running.stop()
    assert run("deploy/ask_health.py", "live", PORT=str(running.port)).returncode == 1


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is needed")
def test_systemd_reads_the_units(tmp_path):
    for name in ("cms.service", "cms-purge@.service", "cms-purge@.timer"):
        # Programs are looked for where they stand here.
        text = read(name).replace("/srv/cms/.venv/bin", str(Path(sys.executable).parent)).replace("/srv/cms", str(ROOT))
        (tmp_path / name).write_text(text, encoding="utf-8")
    units = [tmp_path / "cms.service", tmp_path / "cms-purge@trash.timer"]
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, timeout=60)
    of_ours = [line for line in done.stderr.splitlines() if "cms" in line]
    assert (done.returncode, of_ours) == (0, [])


def test_the_timer_of_the_nights_names_kinds_that_there_are(installation):
    named = set(re.findall(r"cms-purge@(\w+)\.timer", read("cms-purge@.timer")))
    assert named == {"trash", "audit", "history", "answers", "sessions"}
    for name in named:
        assert installation.manage("purge", name, "--help")

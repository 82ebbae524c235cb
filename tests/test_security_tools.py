"""The tools of `make lint` and `make audit` look at what they are said to look at."""

import json
import re
import shutil
import subprocess
import sys
import threading
from configparser import ConfigParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from apikeys import tokens
from tools.dependency_audit import pins

ROOT = Path(__file__).resolve().parent.parent
# Left to ruff under another name, or with the reason that setup.cfg gives.
LEFT = {"B703", "B404"}


def test_each_rule_of_bandit_is_run_by_ruff_or_by_bandit_itself():
    said = subprocess.run([sys.executable, "-m", "bandit", "--help"], capture_output=True, text=True, check=True).stdout
    known = set(re.findall(r"^\s+(B\d{3})\s", said, re.MULTILINE))
    assert len(known) > 60
    ruff = Path(sys.executable).with_name("ruff")
    said = subprocess.run([ruff, "rule", "--all", "--output-format", "json"], capture_output=True, check=True).stdout
    # Those of a preview are not run.
    of_ruff = {f"B{rule['code'][1:]}" for rule in json.loads(said) if is_run(rule)}
    read = ConfigParser()
    read.read(ROOT / "setup.cfg")
    of_bandit = set(read["bandit"]["tests"].split(","))
    assert of_bandit | LEFT == known - of_ruff


def is_run(rule):
    return re.fullmatch(r"S\d+", rule.get("code") or "") is not None and not rule["preview"]


def test_bandit_finds_what_ruff_does_not(tmp_path):
    (tmp_path / "module.py").write_text("import pickle\n", encoding="utf-8")
    command = [sys.executable, "-m", "bandit", "--quiet", "--ini", "setup.cfg", "--recursive", tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "B403" in done.stdout


# ---- Known vulnerabilities, from a service of the tests' own that speaks as OSV does

REQUIREMENTS = f"""\
harbour-crane==1.2 \\
    --hash=sha256:{"0" * 64}
tide_table==3.0 ; python_version > '3' \\
    --hash=sha256:{"1" * 64}
"""
KNOWN = {
    "id": "GHSA-xxxx-yyyy-zzzz",
    "summary": "The crane drops what it holds.",
    "published": "2026-01-01T00:00:00Z",
    "modified": "2026-01-01T00:00:00Z",
    "affected": [
        {
            "package": {"name": "harbour-crane", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.3"}]}],
        }
    ],
}


class Service:
    """Answers about packages; `known` is what it knows of each name."""

    def __init__(self, known):
        asked = self.asked = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                package = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                name = package["package"]["name"]
                asked.append((name, package["version"]))
                body = json.dumps({"vulns": known[name]} if name in known else {}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1/query"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def look(tmp_path, monkeypatch):
    """Runs the audit of a file of two pins with the service at an address."""
    path = tmp_path / "requirements.txt"

    def look(url, *options, text=REQUIREMENTS):
        path.write_text(text, encoding="utf-8")
        monkeypatch.setenv("CMS_TEST_OSV_URL", url)
        command = [sys.executable, "-m", "tools.dependency_audit", *options, path]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)

    return look


def test_pins_that_nobody_knows_anything_bad_of_pass_after_each_was_asked_about(look):
    with Service({}) as service:
        done = look(service.url)
    assert (done.returncode, done.stdout) == (0, "2 pins were looked up, and none is known to be vulnerable.\n"), done
    assert sorted(service.asked) == [("harbour-crane", "1.2"), ("tide-table", "3.0")]


def test_a_vulnerable_pin_is_named_with_the_version_that_mends_it(look):
    with Service({"harbour-crane": [KNOWN]}) as service:
        done = look(service.url, "--go-on")
    assert done.returncode == 1, done
    assert "harbour-crane 1.2 is vulnerable: GHSA-xxxx-yyyy-zzzz, mended in 1.3." in done.stdout


def test_a_service_out_of_reach_is_said_and_no_pass(look):
    with Service({}) as service:
        url = service.url
    done = look(url)
    assert done.returncode == 2, done
    assert done.stderr.startswith("NOTHING WAS LOOKED UP")
    assert look(url, "--go-on").returncode == 0


def test_a_pin_without_a_hash_is_a_failure_and_not_a_note(look):
    with Service({}) as service:
        done = look(service.url, "--go-on", text="harbour-crane==1.2\n")
    assert done.returncode == 1
    assert "hash" in done.stderr


def test_every_requirement_of_ours_is_a_pin_with_hashes():
    for name, fewest in {"": 20, "-docs": 20, "-migration": 2, "-dev": 20}.items():
        text = (ROOT / f"requirements{name}.txt").read_text(encoding="utf-8")
        entries = [entry for entry in re.split(r"\n(?=\S)", text) if entry[:1] not in ("#", "")]
        assert len(entries) == len(pins(text)) >= fewest
        assert all("--hash=sha256:" in entry for entry in entries)
        assert "://" not in re.sub(r"#.*", "", text)  # no address of an index


@pytest.mark.parametrize("name", ["docs", "migration"])
def test_packages_of_other_lists_are_tested_in_the_same_versions(name):
    other, dev = (pins((ROOT / f"requirements-{name}.txt").read_text(encoding="utf-8")) for name in (name, "dev"))
    assert other <= dev


@pytest.fixture(scope="module")
def kept_files():
    """The files that git keeps, as bytes; pictures left out."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("without a clone and git, what belongs to the project is not known")
    said = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    names = [name for name in said.decode().split("\0") if name and not name.endswith((".webp", ".png", ".mo"))]
    return {name: (ROOT / name).read_bytes() for name in names if (ROOT / name).is_file()}


SECRETS = {
    "API keys": rb"ssk1_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}",
    "private keys": rb"-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[0-9A-Za-z+/]{16}",
    "keys of Amazon": rb"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "tokens of GitHub": rb"\bgh[pousr]_[0-9A-Za-z]{36}",
}


@pytest.mark.parametrize("kind", SECRETS)
def test_no_secret_is_in_the_repository(kept_files, kind):
    found = [
        (name, text)
        for name, content in kept_files.items()
        for text in re.findall(SECRETS[kind], content)
        if kind != "API keys" or tokens.is_well_formed(text.decode())
    ]
    assert found == []

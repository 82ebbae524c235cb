"""nginx as deploy/nginx.conf has it, in front of real servers, with ports, folders and a certificate of its own."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOST = "cms.example.org"
_SECONDS = 60


def _has_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


HAS_IPV6 = _has_ipv6()
# As workers of another account they could not reach into the folder of the tests.
USER = "user root;" if os.geteuid() == 0 else ""
# What Debian's /etc/nginx/nginx.conf has around the file.
AROUND = """
{user}
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/start.log notice;
events {{ worker_connections 256; }}
http {{
    access_log {folder}/default.log;
    gzip on;
    gzip_types *;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/cms.conf;
}}
"""


class Nginx:
    """A running nginx as a context; `port` is that of HTTPS, `plain_port` that of HTTP."""

    def __init__(self, folder, node_ports):
        folder.chmod(0o755)
        self.folder, (self.port, self.plain_port) = folder, free_ports(2)
        text = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
        for old, new in (
            ("listen 443 ", f"listen 127.0.0.1:{self.port} "),
            ("listen 80;", f"listen 127.0.0.1:{self.plain_port};"),
            ("listen [::]:443 ", f"listen [::1]:{self.port} "),
            ("listen [::]:80;", f"listen [::1]:{self.plain_port};"),
            ("/var/www/html", f"{folder}/webroot"),
            ("/etc/nginx/", f"{folder}/"),
            ("/var/log/nginx/", f"{folder}/"),
        ):
            assert old in text
            text = text.replace(old, new)
        if not HAS_IPV6:
            text = re.sub(r"listen \[::1\].*", "", text)
        (folder / "cms.conf").write_text(text, encoding="utf-8")
        nodes = "".join(f"server 127.0.0.1:{port} max_fails=1 fail_timeout=5s;\n" for port in node_ports)
        (folder / "cms-nodes.conf").write_text(nodes, encoding="utf-8")
        (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user=USER), encoding="utf-8")
        self._make_certificate(folder / "tls")

    def __enter__(self):
        with (self.folder / "start.log").open("a") as words:
            self._process = subprocess.Popen(self._command(), stderr=words)
        deadline = time.monotonic() + _SECONDS
        while True:  # nothing tells when it listens
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self
            except OSError:
                assert time.monotonic() < deadline and self._process.poll() is None, self.log("start")
                time.sleep(0.01)

    def __exit__(self, *_):
        self._process.send_signal(signal.SIGQUIT)  # the graceful one, so that logs are whole
        self._process.wait(_SECONDS)

    def log(self, name):
        """The text of cms.access, cms.error or start."""
        return (self.folder / f"{name}.log").read_text(encoding="utf-8")

    def check(self):
        """Exit code and words of `nginx -t`."""
        done = subprocess.run([*self._command(), "-t"], capture_output=True, text=True, timeout=_SECONDS)
        return done.returncode, done.stderr

    def connect(self, source="127.0.0.1"):
        """A connection through HTTPS, from that address of this machine."""
        context = ssl.create_default_context(cafile=self.folder / "tls" / "fullchain.pem")
        context.check_hostname = False
        return http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=_SECONDS, context=context, source_address=(source, 0)
        )

    def request(self, method, path, body=None, headers=None, source="127.0.0.1"):
        """Status, headers and body of an answer."""
        connection = self.connect(source)
        try:
            return ask(connection, method, path, body, headers)
        finally:
            connection.close()

    def _command(self):
        return [shutil.which("nginx"), "-p", str(self.folder), "-c", str(self.folder / "nginx.conf")]

    def _make_certificate(self, folder):
        folder.mkdir()
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", f"/CN={HOST}", "-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"],
            check=True, capture_output=True, timeout=_SECONDS,
        )  # fmt: skip


def ask(connection, method, path, body=None, headers=None):
    """One request under the name of the host, through a connection that may be used again."""
    connection.request(method, path, body, {"Host": HOST} | (headers or {}))
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def error_of(answer):
    """The code of an answer that is an error in JSON."""
    assert answer[1]["Content-Type"].startswith("application/json"), answer
    return json.loads(answer[2])["code"]


def free_ports(number):
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    try:
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()

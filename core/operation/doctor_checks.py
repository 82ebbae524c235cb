import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import run_checks
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.mail import get_connection
from django.core.mail.backends.smtp import EmailBackend
from django.db import connection
from django.utils.crypto import get_random_string

from core.audit.models import AuditEntry
from core.jobs.models import Job
from core.lib import clock, private_files
from core.lib.redis_client import FAILURES, connect
from core.lib.triggers import registered
from core.mail.messages import is_set_up
from core.mail.models import OutgoingMail
from core.notifications.base_url import stored
from core.operation import shared_settings, time_zone
from core.operation.doctor import Finding, doctor_check, note, risky, wrong
from core.operation.health import HealthState, verdict
from core.operation.models import Node
from core.operation.nodes import HEARTBEAT_SECONDS, SILENT_SECONDS, living
from core.replicas import watching

GRACE = timedelta(days=7)  # that expired data may outlive its time before the purge
_READINESS_SECONDS = 10.0  # a new process has everything still to load
_REPLICA_SECONDS = 5.0  # for a replica to become readable
_REDIS_SECONDS = 1.0  # for Redis to respond
_KEEPS_ALL = "noeviction"
_PLAIN_HTTP = frozenset(f"security.W{number}" for number in ("004", "008", "012", "016"))  # all follow from plain HTTP
_OLDEST = 15  # of PostgreSQL
_FULL = 0.8  # share of PostgreSQL's connections in use
_LONG_MINUTES = 10  # of a transaction
_MAX_LOG = 256 * 1024 * 1024  # bytes of SQLite's write-ahead log
_REMOTE = frozenset({"9p", "afs", "ceph", "cifs", "fuse.sshfs", "glusterfs", "nfs", "nfs4", "smb3", "smbfs"})
_SKEW = timedelta(seconds=5)
_PAUSE = 0.5  # seconds between two looks for a heartbeat
_LONG_WAIT = timedelta(hours=1)
_CHECK_STORE = (
    "Check CMS_MEDIA_STORAGE, its bucket, and the credentials in AWS_…; or who may write to the media folder."
)


@doctor_check("Readiness", needs_database=False)
def _readiness() -> Iterator[Finding]:
    for look in verdict(_READINESS_SECONDS).looks:
        if look.state is HealthState.FAILED:
            yield wrong(f"{look.name.capitalize()}: {look.message}")
        elif look.state is HealthState.DEGRADED:
            yield risky(
                f"{look.name.capitalize()}: {look.message}", ("The service continues without it, but more slowly.")
            )


@doctor_check("Settings", needs_database=False)
def _settings() -> Iterator[Finding]:
    messages = [message for message in run_checks(include_deployment_checks=True) if not message.is_silenced()]
    if any(message.id in _PLAIN_HTTP for message in messages):
        told = "Clients may reach the service without HTTPS, so passwords and keys can be read in transit."
        yield risky(told, "Put a proxy with a certificate in front of it and set CMS_SECURE=true.")
    for message in messages:
        if message.id not in _PLAIN_HTTP:
            yield (wrong if message.is_serious() else risky)(message.msg, message.hint or "")


@doctor_check("Secrets", needs_database=False)
def _secrets() -> Iterator[Finding]:
    for path in private_files.closed:
        remedy = "Replace secrets that others may have read, and find out what gives these permissions."
        yield risky(f"Others on this machine could read or write {path} until this command closed it.", remedy)
    for path in private_files.exposed(settings.DATA_DIR):
        yield wrong(f"Others on this machine can read or write {path}.", f"Run: chmod go-rwx {path}")


@doctor_check("Media store", needs_database=False)
def _media_store() -> Iterator[Finding]:
    step, name, content = "stored", f"doctor-{get_random_string(20)}.txt", get_random_string(20).encode()
    try:
        name = default_storage.save(name, ContentFile(content))
        step = "read"
        with default_storage.open(name) as file:
            if file.read() != content:
                yield wrong("The media store returned a file with other content than was stored.", _CHECK_STORE)
        step = "deleted"
        default_storage.delete(name)
    except Exception as error:  # noqa: BLE001 - any library may be behind the storage
        yield wrong(f"A file could not be {step} in the media store: {_told(error)}", _CHECK_STORE)
        if step == "read":
            with suppress(Exception):
                default_storage.delete(name)


@doctor_check("Database")
def _engine() -> Iterator[Finding]:
    yield from _postgresql() if connection.vendor == "postgresql" else _sqlite()
    if told := time_zone.difference():
        yield wrong(told)
    for message in run_checks(databases=["default"], tags=["database"]):
        yield (wrong if message.is_serious() else risky)(message.msg, message.hint or "")


@doctor_check("Triggers")
def _triggers() -> Iterator[Finding]:
    found = [files.differences(connection) for files in registered]
    for kind, harm in (
        ("missing", "are missing or switched off"),
        ("surplus", "are not part of this release"),
        ("outdated", "differ from those of this release"),
    ):
        if names := sorted(name for one in found for name in getattr(one, kind)):
            told = f"{len(names)} triggers {harm}: {', '.join(names[:5])}"
            remedy = "Run: manage.py migrate, then check_lists --repair"
            yield wrong(f"{told}. Lists and counts are going wrong.", remedy)


def _postgresql() -> Iterator[Finding]:
    if (version := connection.pg_version // 10_000) < _OLDEST:  # type: ignore[attr-defined]
        yield wrong(f"PostgreSQL {version} is older than {_OLDEST}.", f"Upgrade to PostgreSQL {_OLDEST} or later.")
    if (encoding := _value("SHOW server_encoding")) != "UTF8":
        yield wrong(
            f"The database's encoding is {encoding}, which cannot store every text.", ("Create a database with UTF8.")
        )
    for name, harm in (
        ("fsync", "A crash of the machine can destroy the database."),
        ("full_page_writes", "A crash of the machine can corrupt pages of the database."),
        ("synchronous_commit", "A crash can lose changes that were reported as stored."),
        ("autovacuum", "Tables and indexes grow without bound."),
    ):
        if _value(f"SHOW {name}") == "off":
            yield wrong(f"{name} is off: {harm}", f"Set {name} to on.")
    used = _value("SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
    most = _value(
        "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
    )
    if used > _FULL * most:
        remedy = "Raise max_connections, or set CMS_DATABASE_POOL_SIZE."
        yield risky(f"{used} of the {most} connections that PostgreSQL allows are in use.", remedy)
    long = _value(
        "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() "
        f"AND xact_start < clock_timestamp() - interval '{_LONG_MINUTES} minutes'"
    )
    if long:
        told = (
            f"{long} transactions have been open for more than {_LONG_MINUTES} minutes; PostgreSQL cannot remove "
            "rows deleted after"
        )
        yield risky(f"{told} they began.", "Look for them in pg_stat_activity. A long import is also one.")


def _sqlite() -> Iterator[Finding]:
    path = Path(connection.settings_dict["NAME"])
    if len(names := list(living().values_list("name", flat=True))) > 1:
        told = f"{len(names)} servers use this SQLite file: {', '.join(names)}"
        yield risky(
            (f"{told}. On a network share it will be corrupted."), "Several machines need PostgreSQL (docs/scaling.md)."
        )
    if kind := _remote_file_system(path):
        yield wrong(f"The SQLite file is on {kind}, whose locks are unreliable.", "Move CMS_DATA_DIR.")
    if _value("PRAGMA journal_mode") != "wal":
        yield risky(
            ("SQLite does not use a write-ahead log (WAL): readers wait for writers."), "Run: PRAGMA journal_mode = WAL"
        )
    log = Path(f"{path}-wal")
    if log.exists() and (size := log.stat().st_size) > _MAX_LOG:
        told = f"SQLite's log {log} has {size // 2**20} MiB: a process has been reading for a long time"
        yield risky(f"{told}.", "Restart the server; the log shrinks when no process is reading.")


@doctor_check("SQLite file", is_thorough=True)
def _integrity() -> Iterator[Finding]:
    if connection.vendor == "sqlite" and (told := _value("PRAGMA integrity_check(1)")) != "ok":
        yield wrong(f"The database is damaged: {told}.", "Restore the last backup; keep the damaged file.")


def _remote_file_system(path: Path) -> str:
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    points = {fields[1]: fields[2] for fields in (line.split() for line in mounts) if len(fields) > 2}
    above = [str(folder) for folder in path.resolve().parents if str(folder) in points]
    kind = points[above[0]] if above else ""
    return kind if kind in _REMOTE else ""


def _value(statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


@doctor_check("Replicas")
def _replicas() -> Iterator[Finding]:
    replicas = watching.replicas() if settings.CMS_DATABASE_REPLICA_URLS else []
    end = time.monotonic() + _REPLICA_SECONDS
    while any(replica.reason for replica in replicas) and time.monotonic() < end:
        time.sleep(0.1)
    for replica in replicas:
        if replica.reason:
            remedy = "Reads go to the primary. See the server's log, and docs/scaling.md."
            yield risky(f"The replica {replica.name} is not used: {replica.reason}.", remedy)


@doctor_check("Redis", needs_database=False)
def _redis() -> Iterator[Finding]:
    if not settings.CMS_CACHE_URL:
        return
    try:
        with connect(settings.CMS_CACHE_URL, _REDIS_SECONDS) as client:
            policy = client.config_get("maxmemory-policy").get("maxmemory-policy", _KEEPS_ALL)
    except FAILURES:  # Redis is down, or CONFIG is not permitted
        return
    if policy != _KEEPS_ALL:
        told = (
            f"Redis evicts entries before they expire when its memory is full (maxmemory-policy {policy}): counts "
            "for limits"
        )
        yield risky(f"{told} and marks of the latest writes may be lost.", f"Set maxmemory-policy to {_KEEPS_ALL}.")


@doctor_check("Nodes")
def _nodes() -> Iterator[Finding]:
    for told in shared_settings.sentences(living().order_by("name")):
        yield wrong(told, shared_settings.REMEDY)
    now, beating = clock.steady(), _beating_again()
    for node in Node.objects.order_by("name"):
        if node.problem:
            remedy = "Fix this problem, then restart."
            yield wrong(f"{node.name} still runs the old code: {node.problem}", remedy)
        if node.seen_at > now + _SKEW:
            yield _wrong_clock(node, node.seen_at - now, "ahead of")
        elif node.pk in beating:
            yield _wrong_clock(node, beating[node.pk], "behind")
        elif now - node.seen_at > timedelta(seconds=SILENT_SECONDS):
            told = f"{node.name} has not been seen since {node.seen_at:%Y-%m-%d %H:%M:%S}"
            yield risky(f"{told}.", "Start it, or remove it on the page “Restart” of the admin.")


def _beating_again() -> dict[int, timedelta]:
    """Return the nodes last seen a while ago that are seen now, with how far their clocks are behind.

    Waits for their heartbeats if there are such nodes.
    """
    expected = timedelta(seconds=HEARTBEAT_SECONDS) + _SKEW
    before = dict(Node.objects.filter(seen_at__lt=clock.steady(-expected)).values_list("pk", "seen_at"))
    found: dict[int, timedelta] = {}
    end = time.monotonic() + expected.total_seconds()
    while len(found) < len(before) and time.monotonic() < end:
        time.sleep(_PAUSE)
        for number, seen_at in Node.objects.filter(pk__in=before.keys() - found.keys()).values_list("pk", "seen_at"):
            behind = clock.steady() - seen_at
            if seen_at != before[number] and behind > _SKEW:
                found[number] = behind
    return found


def _wrong_clock(node: Node, by: timedelta, where: str) -> Finding:
    told = f"The clock of {node.name} is {round(by.total_seconds())} seconds {where} this one."
    return risky(told, "Synchronise both with NTP.")


@doctor_check("Jobs")
def _jobs() -> Iterator[Finding]:
    waiting = Job.objects.filter(state=Job.State.WAITING, asked_at__lt=clock.now() - _LONG_WAIT)
    for job in waiting.order_by("pk")[:5]:
        remedy = f"Start {job.node}, or check CMS_JOBS_AT_ONCE. To run it manually: manage.py run_job {job.pk}"
        yield risky(f"Job {job.pk} ({job.kind}) has been waiting since {job.asked_at:%Y-%m-%d %H:%M}.", remedy)


@doctor_check("Audit")
def _audit() -> Iterator[Finding]:
    before = clock.now() - timedelta(days=settings.CMS_AUDIT_DAYS) - GRACE
    if AuditEntry.objects.filter(at__lt=before).exists():
        told = f"The audit has entries older than CMS_AUDIT_DAYS ({settings.CMS_AUDIT_DAYS})"
        yield risky(f"{told}.", "Run manage.py purge audit every day.")


@doctor_check("E-mail")
def _mail() -> Iterator[Finding]:
    if is_set_up() and not settings.CMS_ADMIN_URL:
        told = "Links are left out of e-mails, and forgotten passwords cannot be reset"
        if found := stored():
            told = f"Links in e-mails lead to {found}, by which a superuser signed in"
        yield risky(f"{told}.", "Set CMS_ADMIN_URL to the address of the service.")
    if not is_set_up():
        yield note(
            "No mail server is set up (CMS_EMAIL_URL), so notifications and new passwords reach no one by e-mail."
        )
    else:
        yield from _mail_server()
    late = OutgoingMail.objects.filter(created_at__lt=clock.now() - _LONG_WAIT)
    if number := late.count():
        error = late.order_by("-pk").values_list("last_error", flat=True).first()
        yield risky(
            f"Not sent for more than an hour: {number} messages. The latest error: {error or 'none'}.",
            "Check CMS_EMAIL_URL; manage.py sendtestemail ADDRESS sends a message at once.",
        )


def _mail_server() -> Iterator[Finding]:
    """Connect, greet and sign in as before a message, and send none."""
    server: Any = get_connection()
    try:
        server.open()
        if isinstance(server, EmailBackend):
            server.connection.ehlo_or_helo_if_needed()  # type: ignore[union-attr]
    except Exception as error:  # noqa: BLE001 - any library may be behind the backend
        yield wrong(f"The mail server does not accept a connection: {_told(error)}", "Check CMS_EMAIL_URL.")
    finally:
        server.close()


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]

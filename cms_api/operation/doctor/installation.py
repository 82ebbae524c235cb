"""Settings, secrets, and whether the service could serve now."""

from collections.abc import Iterator

from django.conf import settings
from django.core.checks import run_checks

from cms_api.lib.private_files import exposed
from cms_api.operation.doctor.examinations import Finding, examination, risky, wrong
from cms_api.operation.health.probes import State
from cms_api.operation.health.readiness import verdict

_PATIENCE = 10.0  # seconds: a process that has just begun has everything still to load
_PLAIN_HTTP = frozenset(f"security.W{number}" for number in ("004", "008", "012", "016"))  # all that follow from one


@examination("Readiness", needs_database=False)
def _readiness() -> Iterator[Finding]:
    """What load balancers ask."""
    for look in verdict(_PATIENCE).looks:
        if look.state is State.FAILED:
            yield wrong(f"{look.name.capitalize()}: {look.message}")
        elif look.state is State.DEGRADED:
            yield risky(f"{look.name.capitalize()}: {look.message}", "The service goes on without it, more slowly.")


@examination("Settings", needs_database=False)
def _settings() -> Iterator[Finding]:
    """What Django's checks and ours say of a service that is open to others."""
    messages = [message for message in run_checks(include_deployment_checks=True) if not message.is_silenced()]
    if any(message.id in _PLAIN_HTTP for message in messages):
        told = "The service may be reached without HTTPS, so that passwords and keys can be read on their way."
        yield risky(told, "Put a proxy with a certificate before it and set CMS_SECURE=true.")
    for message in messages:
        if message.id not in _PLAIN_HTTP:
            yield (wrong if message.is_serious() else risky)(message.msg, message.hint or "")


@examination("Secrets", needs_database=False)
def _secrets() -> Iterator[Finding]:
    """Files that other accounts can read or write: secrets, the database, files of jobs."""
    for path in exposed(settings.DATA_DIR):
        yield wrong(f"Others on this machine can read or write {path}.", f"Run: chmod go-rwx {path}")

from collections.abc import Iterator

from django.core.checks import run_checks

from accounts.folding import twins
from accounts.models import Administrator
from core.operation.doctor import Finding, doctor_check, risky, wrong


@doctor_check("Administrators")
def _administrators() -> Iterator[Finding]:
    if not Administrator.objects.first_of_highest_rank():
        yield wrong("No superuser can sign in.", "Run: manage.py createsuperuser")
    for message in run_checks(tags=["accounts"], databases=["default"]):
        yield wrong(message.msg, message.hint or "")


@doctor_check("Names of accounts")
def _names() -> Iterator[Finding]:
    for twin in twins():
        yield risky(str(twin), "Rename one of them, then run: manage.py check_accounts --repair")

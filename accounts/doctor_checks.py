from collections.abc import Iterator

from django.core.checks import run_checks

from accounts.models import Administrator
from cms_api.operation.doctor import Finding, doctor_check, wrong


@doctor_check("Administrators")
def _administrators() -> Iterator[Finding]:
    if not Administrator.objects.first_of_highest_rank():
        yield wrong("No superuser can sign in.", "Run: manage.py createsuperuser")
    for message in run_checks(tags=["accounts"], databases=["default"]):
        yield wrong(message.msg, message.hint or "")

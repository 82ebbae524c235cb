"""What the doctor looks at in accounts."""

from collections.abc import Iterator

from django.core.checks import run_checks

from accounts.models import Administrator
from cms_api.operation.doctor.examinations import Finding, examination, wrong


@examination("Administrators")
def _administrators() -> Iterator[Finding]:
    """Whether somebody can sign in who may do everything."""
    if not Administrator.objects.first_of_highest_rank():
        yield wrong("No administrator of the highest rank can sign in.", "Run: manage.py createsuperuser")
    for message in run_checks(tags=["accounts"], databases=["default"]):
        yield wrong(message.msg, message.hint or "")

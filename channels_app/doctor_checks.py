from collections.abc import Iterator

from channels_app.tree_fields import Survey
from core.operation.doctor import Finding, doctor_check, wrong
from sites.models import Site


@doctor_check("Channel trees", is_thorough=True)
def _trees() -> Iterator[Finding]:
    for site in Site.objects.order_by("pk"):
        if found := len(Survey(site.pk).problems):
            yield wrong(f"The tree of site {site.pk} is wrong in {found} places.", "Run: manage.py check_tree --repair")

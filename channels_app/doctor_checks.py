"""What the doctor looks at in channels."""

from collections.abc import Iterator

from channels_app.tree_fields import Survey
from cms_api.operation.doctor.examinations import Finding, examination, wrong
from sites.models import Site


@examination("Trees of channels", is_thorough=True)
def _trees() -> Iterator[Finding]:
    """Whether the figures of each tree follow from its parents and order."""
    for site in Site.objects.order_by("pk"):
        if found := len(Survey(site.pk).problems):
            yield wrong(f"The tree of site {site.pk} is wrong in {found} places.", "Run: manage.py check_tree --repair")

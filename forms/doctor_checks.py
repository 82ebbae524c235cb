from collections.abc import Iterator

from core.operation.doctor import Finding, doctor_check, wrong
from forms import entry_files
from forms.models import EntryFile

_NEWEST = 20  # rows
_REMEDY = (
    "Mount one folder at `private` in the data folders of all nodes (docs/operations.md); after a restore with "
    "--no-media, restore the files."
)


@doctor_check("Files of forms")
def _entry_files() -> Iterator[Finding]:
    for row in EntryFile.objects.order_by("-pk")[:_NEWEST]:
        if not entry_files.is_stored(row):
            yield wrong(
                f"This node does not have all files that visitors sent, such as that with id {row.pk}.", _REMEDY
            )
            return

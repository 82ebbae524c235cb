"""Enters into the audit what was done to several contents, whichever sites they are of."""

from collections.abc import Iterable
from typing import Any

from cms_api import audit
from contents.models import Content
from contents.storing.locking import by_site


def note_contents(action: str, contents: Iterable[Content], **details: Any) -> None:
    """An entry for each of the contents, to all of which the same was done at once."""
    for site_id, some in by_site(contents).items():
        audit.note_each(action, some, site_id=site_id, **details)

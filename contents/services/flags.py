"""The flags of contents: pinned, recommended, hot and coloured."""

from collections.abc import Sequence

from django.db import transaction

from cms_api.lib.errors import ServiceError
from contents.models import Content
from contents.storing.locking import Locked, Seen
from contents.storing.overwrite import overwrite_each


@transaction.atomic
def set_flag(seen: Sequence[Seen], flag: str, value: bool, editor: str) -> list[Content | ServiceError | None]:
    """Give the contents the flag, or take it away; nothing happens to those where it is so already, told as None.

    A content that is not there is refused.
    """
    locked = Locked(seen)
    return locked.results_if_changed(
        overwrite_each([(content, {flag: value}) for content in locked.contents], editor=editor)
    )

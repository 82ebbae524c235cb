from collections.abc import Sequence

from django.dispatch import Signal

from contents.models import Content
from contents.storing.history import PreviousValues
from core.lib.bulk_update import update_columns

# Sent before columns are stored, with `changes`: the contents, which already have their new values, and the previous
# ones.
contents_changing = Signal()


def store_columns(changes: Sequence[tuple[Content, PreviousValues]]) -> None:
    """Store the versions and the changed columns of contents that already have their new values."""
    contents_changing.send(Content, changes=changes)
    names = {"version"}.union(*(before.members for _content, before in changes))
    update_columns([content for content, _before in changes], names)

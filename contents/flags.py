"""The flags of a content: pinned, recommended, hot and coloured."""

from django.db import transaction

from contents.models import Content
from contents.overwriting import lock_content, overwrite

FLAGS = ("is_top", "is_recommend", "is_hot", "is_color")


@transaction.atomic
def set_flag(site_id: int, content_id: int, flag: str, value: bool, editor: str) -> Content:
    """Give the content the flag, or take it away; nothing happens where it is so already. Raises NotFound."""
    content = lock_content(site_id, content_id)
    overwrite(content, {flag: value}, editor=editor)
    return content

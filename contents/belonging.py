"""To which groups a content belongs and which tags it carries; both stand in it as names with commas between."""

from collections.abc import Iterable

from django.db import transaction

from cms_api.rest.errors import BadRequest
from contents.joined_names import MAX_NAMES, split_names
from contents.models import Content
from contents.overwriting import lock_content, overwrite


@transaction.atomic
def add_names(site_id: int, content_id: int, member: str, names: Iterable[str], editor: str) -> Content:
    """Add names of groups or tags, whichever `member` holds, behind those that the content has.

    Raises NotFound, or BadRequest where there are too many.
    """
    content = lock_content(site_id, content_id)
    present = split_names(getattr(content, member))
    missing = [name for name in names if name not in present]
    return _store(content, member, [*present, *missing], editor) if missing else content


@transaction.atomic
def remove_names(site_id: int, content_id: int, member: str, names: Iterable[str], editor: str) -> Content:
    """Take names of groups or tags away from the content, if it has them. Raises NotFound."""
    content = lock_content(site_id, content_id)
    present, unwanted = split_names(getattr(content, member)), set(names)
    left = [name for name in present if name not in unwanted]
    return _store(content, member, left, editor) if len(left) < len(present) else content


def _store(content: Content, member: str, names: list[str], editor: str) -> Content:
    joined = ",".join(names)
    if len(joined) > MAX_NAMES:
        raise BadRequest("too_many_names", f"The names have at most {MAX_NAMES} characters together.")
    overwrite(content, {member: joined}, editor=editor)
    return content

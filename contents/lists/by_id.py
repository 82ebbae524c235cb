from collections.abc import Sequence

from contents.lists.fragments import OF_LISTS, Fragment, read_fragments
from contents.sql_fragments import among
from contents.wire.records import Selection


def read_by_id(site_id: int, ids: Sequence[int], selection: Selection) -> dict[int, Fragment]:
    """The selected members of contents of the site, also of those in the trash."""
    chosen = among("c.id", ids)
    return read_fragments(f"{chosen.sql} AND c.site_id = %s", (*chosen.params, site_id), OF_LISTS, selection)

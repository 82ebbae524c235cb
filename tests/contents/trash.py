"""What the trash does to several contents, for one."""

from contents.services.trash import purge_contents, restore_contents
from contents.storing.locking import Seen, only


def restore_content(site_id, number):
    """The content as it is then. Raises what refuses it."""
    return only(restore_contents([Seen(site_id, number)]))


def purge_content(site_id, number):
    """Raises what refuses it."""
    only(purge_contents([Seen(site_id, number)]))

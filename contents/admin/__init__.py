from contents.admin import contents, labels, menu, start
from contents.admin.history import changes
from contents.admin.trash import pages as trash_pages

# Imported for their registrations: admin pages, menu groups, start page panels.
__all__ = ["changes", "contents", "labels", "menu", "start", "trash_pages"]

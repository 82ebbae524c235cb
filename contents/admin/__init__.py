"""The pages where editors read, write and approve contents."""

from contents.admin import contents, start
from contents.admin.history import changes
from contents.admin.labels import pages as label_pages
from contents.admin.trash import pages as trash_pages

# Each registers its pages, or its panels of the start page.
__all__ = ["changes", "contents", "label_pages", "start", "trash_pages"]

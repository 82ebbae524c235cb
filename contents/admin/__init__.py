"""The pages where editors read, write and approve contents."""

from contents.admin import contents, first_steps, menu, start
from contents.admin.history import changes
from contents.admin.labels import pages as label_pages
from contents.admin.trash import pages as trash_pages

# Each registers its pages, its group of the menu, or its panels of the start page.
__all__ = ["changes", "contents", "first_steps", "label_pages", "menu", "start", "trash_pages"]

"""The page of the audit, and the history of a record on the pages of all records."""

from cms_api.admin.pages import RecordPages
from cms_api.audit.admin import pages
from cms_api.audit.admin.history import history_page

# The frame knows no audit.
RecordPages.history_page = history_page

__all__ = ["pages"]  # which registers it

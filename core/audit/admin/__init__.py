"""The audit's page, and the history on all pages of records."""

from core.admin.pages import BaseModelAdmin
from core.audit.admin import pages
from core.audit.admin.descriptions import history_page

BaseModelAdmin.history_page = history_page

__all__ = ["pages"]  # importing it registers the page

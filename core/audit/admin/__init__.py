"""The audit's page, and the history on all pages of records."""

from cms_api.admin.pages import BaseModelAdmin
from cms_api.audit.admin import pages
from cms_api.audit.admin.descriptions import history_page

BaseModelAdmin.history_page = history_page

__all__ = ["pages"]  # importing it registers the page

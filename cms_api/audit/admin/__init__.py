"""The pages of the audit."""

from cms_api.audit.admin import pages

__all__ = ["pages"]

"""The pages of jobs, and the base of pages that import a table."""

from cms_api.jobs.admin import pages

__all__ = ["pages"]

"""Pages of the back end about the service as a whole."""

from cms_api.back_end.audit.pages import AuditPages
from cms_api.back_end.start import system
from cms_api.jobs.pages import JobPages
from cms_api.restarts.pages import NodePages

__all__ = ["AuditPages", "JobPages", "NodePages", "system"]

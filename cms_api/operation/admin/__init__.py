"""The page of servers and restarts, and the panel of the system."""

from cms_api.operation.admin import restarts, system

__all__ = ["restarts", "system"]

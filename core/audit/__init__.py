"""The audit: who did what, when and from where (docs/audit.md). Call `record` in the act's own transaction."""

from cms_api.audit.entries import Actor, acting_as, current_actor, current_key_name, record, record_each
from cms_api.audit.middleware import serving

__all__ = ["Actor", "acting_as", "current_actor", "current_key_name", "record", "record_each", "serving"]

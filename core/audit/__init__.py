"""The audit log of administrative actions (docs/audit.md). Call `record` in the act's own transaction."""

from core.audit.entries import Actor, acting_as, current_actor, current_key_name, record, record_each
from core.audit.middleware import serving

__all__ = ["Actor", "acting_as", "current_actor", "current_key_name", "record", "record_each", "serving"]

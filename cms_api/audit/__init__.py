"""The audit: who did what to which object, when and from where, kept for good (docs/audit.md).

`note` is called by whatever does the act, inside the act's transaction: either both are stored or neither.
"""

from cms_api.audit.actors import Actor, acting_as, current_actor, current_key_name
from cms_api.audit.entries import note, note_each
from cms_api.audit.middleware import serving

__all__ = ["Actor", "acting_as", "current_actor", "current_key_name", "note", "note_each", "serving"]

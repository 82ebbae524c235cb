"""The audit: who did what to which object, when and from where, kept for good (docs/audit.md).

`note` is called by whatever does the act, inside the act's transaction: either both are stored or neither.
"""

from cms_api.audit.actors import Actor, current_actor, serving
from cms_api.audit.entries import note, note_each

__all__ = ["Actor", "current_actor", "note", "note_each", "serving"]

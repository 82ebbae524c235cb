"""Records final decisions: in the content, under SiteServer's names, and in the audit log."""

from collections.abc import Iterable, Sequence
from typing import Any

from contents.models import Content
from contents.storing.batches import with_texts
from contents.storing.custom_fields import custom_values
from contents.storing.locking import by_site
from contents.storing.overwrite import store_each, with_settings
from core import audit
from core.lib import clock

CHECK_MEMBERS = frozenset({"check_isadmin", "check_username", "check_checkdate", "check_reasons"})


def check_entries(site_id: int, reasons: str, user_name: str) -> dict[str, Any]:
    """Entries for a decision made now: who, when and why, in SiteServer's form."""
    entries = {
        "check_isadmin": "True",
        "check_username": user_name,
        "check_checkdate": clock.now().isoformat(" ", "seconds"),
        "check_reasons": reasons,
    }
    return custom_values(site_id, "", entries)


def store_decisions(decided: Sequence[tuple[Content, dict[str, Any]]], kind: str, user_name: str, reasons: str) -> None:
    """Store the state of contents locked by this transaction, and who decided it, when and why."""
    states = {content.pk: state for content, state in decided}
    for site_id, contents in by_site(content for content, _state in decided).items():
        entries = check_entries(site_id, reasons, user_name)
        for portion in with_texts(contents, ["settings_xml"]):
            changes = [
                (content, {**states[content.pk], "settings_xml": with_settings(content, entries)})
                for content in portion
            ]
            store_each(changes, kind, reasons=reasons)


def record_decisions(contents: Sequence[Content]) -> None:
    for is_checked, action in ((True, "content.approved"), (False, "content.approval_withdrawn")):
        record_contents_action(action, [content for content in contents if content.is_checked is is_checked])


def record_contents_action(action: str, contents: Iterable[Content], **details: Any) -> None:
    """Write one audit entry per content for the same action."""
    for site_id, some in by_site(contents).items():
        audit.record_each(action, some, site_id=site_id, **details)

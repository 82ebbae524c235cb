from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from core.lib.registrations import AuditSubject, Backlog, MenuItem, PeriodicTask, SearchKind, StartCard
from core.notifications.kinds import NotificationKind
from search.sources import SearchSource

BACKLOGS = {
    "cms_schedules_overdue": Backlog(
        "Schedules of contents that should have been applied more than a minute ago.",
        "contents.scheduling.overdue",
    )
}

SUMMARIES = {
    ("POST", "/contents"): _("lists contents by filters, Where and Order rules in pages"),
    ("GET", "/contents/{siteId}"): _("lists approved contents of a site by filters in pages"),
    ("GET", "/contents/{siteId}/{channelId}"): _("lists approved contents of a channel and its descendants"),
    ("POST", "/contents/{siteId}/{channelId}"): _("creates a content"),
    ("GET", "/contents/{siteId}/{channelId}/{id}"): _("returns a content"),
    ("PUT", "/contents/{siteId}/{channelId}/{id}"): _("changes the members that are sent"),
    ("DELETE", "/contents/{siteId}/{channelId}/{id}"): _("moves a content to the trash"),
    ("GET", "/search"): _("finds contents of a site by their words, best first"),
    ("GET", "/search/suggestions"): _("returns titles to show while a visitor types"),
    ("GET", "/sites/{siteId}/fields"): _("lists the custom fields of the contents of a site"),
    ("GET", "/contents/{siteId}/schedules"): _("lists contents that will be published or withdrawn"),
    ("GET", "/contents/{siteId}/{channelId}/{id}/schedule"): _("returns the schedule of a content"),
    ("DELETE", "/contents/{siteId}/{channelId}/{id}/schedule"): _("removes the schedule of a content"),
    ("POST", "/contents/check"): _("approves contents"),
    ("POST", "/contents/actions/check"): _("approves contents"),
    ("POST", "/contents/{siteId}/{channelId}/batch"): _("creates contents"),
    ("PUT", "/contents/{siteId}/{channelId}/batch"): _("changes contents"),
    ("POST", "/contents/{siteId}/{channelId}/batch/check"): _("approves contents of a channel"),
    ("POST", "/contents/{siteId}/{channelId}/batch/move"): _("moves contents to another channel"),
    ("POST", "/contents/{siteId}/{channelId}/batch/delete"): _("moves contents to the trash"),
    ("POST", "/contents/{siteId}/{channelId}/{id}/preview"): _("makes a link to a content or draft, for an hour"),
    ("GET", "/previews/{token}"): _("returns a content or draft that is not public yet"),
    ("GET", "/previews/{token}/page"): _("shows its page in the template of the site"),
    ("GET", "/stl/content"): _("returns a content or one of its values"),
    ("GET", "/stl/contents"): _("lists approved contents of channels around a channel"),
    ("GET", "/stl/a"): _("returns the URL of a channel, content or site"),
    ("GET", "/stl/count"): _("counts approved contents or channels"),
}

ERROR_MESSAGES = {
    "content_not_found": _("The content item no longer exists."),
    "channel_in_trash": _("Its channel is in the trash; restore the channel first."),
    "channel_in_use": _("The channel still has content items or channels below it."),
    "approved_already": _("It is already approved."),
    "not_approved": _("It is not approved."),
    "not_waiting": _("It is not waiting for a decision."),
    "handed_in_already": _("It has already been submitted."),
    "public_at_once": _("Visitors see this change at once; it needs the right of final approval."),
    "level_beyond": _("Your rights do not include this level of approval."),
    "invalid_schedule": _("The time to unpublish must be in the future and later than the time to publish."),
    "reasons_missing": _("Give reasons for the rejection."),
    "in_channel_already": _("It is already in this channel."),
    "target_not_found": _("The channel no longer exists."),
    "target_of_another_site": _("The channel belongs to another site; content items cannot leave their site."),
    "channel_takes_no_contents": _("The channel does not accept content items."),
    "too_many_names": _("Too many names for one content item."),
    "version_forgotten": _("Its previous state is no longer stored."),
    "field_name_invalid": _("This cannot be the name of a custom field."),
    "field_name_taken": _("The site already has a field with this name."),
    "version_not_kept": _("This version is no longer stored."),
    "draft_not_found": _("The draft no longer exists."),
    "draft_conflict": _("Others have changed the same fields publicly; open the draft, compare, and save it again."),
    "preview_ended": _("The link is wrong or has ended."),
    "nothing_to_revert": _("The content item is already the same as that version."),
    "name_not_found": _("The group or tag no longer exists."),
    "name_unfit": _("A name can have at most 255 characters and no comma."),
    "name_of_group_taken": _("The site already has a group with this name."),
    "name_too_long": _(
        "With this name, a content item would have more than 2,000 characters of names; choose a shorter name."
    ),
}

SUBJECTS = {
    "content": AuditSubject(70, _("Contents")),
    "trash": AuditSubject(80, _("Trash")),
}

ACTIONS = {
    "content.approved": _("Content approved"),
    "content.level_passed": _("Content passed a level of approval"),
    "content.rejected": _("Content rejected"),
    "content.approval_withdrawn": _("Content unpublished"),
    "content.draft_level_passed": _("Draft of a content item passed a level of approval"),
    "content.draft_rejected": _("Draft of a content item rejected"),
    "content.draft_published": _("Draft of a content item published"),
    "content.draft_discarded": _("Draft of a content item discarded"),
    "content.preview_shared": _("Link to a preview of a content item made"),
    "content.scheduled": _("Publication of a content item scheduled"),
    "content.unscheduled": _("Schedule of a content item removed"),
    "content.published_by_schedule": _("Content approved by its schedule"),
    "content.unpublished_by_schedule": _("Content unpublished by its schedule"),
    "content.schedule_skipped": _("Schedule of a content item skipped"),
    "content.schedule_failed": _("Schedule of a content item failed"),
    "content.trashed": _("Content moved to the trash"),
    "content.restored": _("Content restored from the trash"),
    "content.purged": _("Content permanently deleted"),
    "content.history_purged": _("Old changes of content items purged"),
    "content.group_created": _("Content group created"),
    "content.group_changed": _("Content group changed"),
    "content.name_replaced": _("Content group or tag renamed, merged or removed"),
    "content.imported": _("Contents imported"),
    "content.exported": _("Contents exported"),
    "trash.purged": _("Trash purged"),
}

MENU = {
    "contents.Content": MenuItem("site", 10, _("Contents"), "contents"),
    "contents.ContentGroup": MenuItem("site", 40, _("Content groups"), "groups"),
    "contents.ContentTag": MenuItem("site", 50, _("Tags"), "tags"),
    "contents.CustomField": MenuItem(
        "site", 85, _("Custom fields"), "fields", "contents_content_fields", "cms_sites.Site"
    ),
    "media_library.MediaUse": MenuItem(
        "site", 16, _("Dead links"), "links", "contents_content_dead_links", "contents.Content"
    ),
    "contents.ContentChange": MenuItem("site", 60, _("Changes"), "changes"),
    "contents.TrashedContent": MenuItem("site", 70, _("Trash"), "trash"),
}

CARDS = {
    "contents.Content": StartCard(
        10,
        "contents",
        _("Contents"),
        _("Find and view content items, and follow their approval."),
        _("Add content items, find them, and change many at once."),
    ),
    "contents.TrashedContent": StartCard(40, "trash", _("Trash"), _("Restore deleted content items and channels.")),
}

BUTTONS = {"contents.Content": _("Add content")}

SEARCHES = {
    "contents": SearchKind(
        10, _("Contents"), "contents", "contents.admin.hits.contents", "contents.admin.hits.correction"
    ),
    "adding": SearchKind(81, _("Commands"), "plus", "contents.admin.hits.commands"),
}

SEARCH_SOURCES = {"content": SearchSource("contents.Content", "contents.searching.entries")}

PERIODIC_TASKS = {
    "contents.schedules": PeriodicTask(1.0, "contents.scheduling.apply_due"),
    "contents.notifications": PeriodicTask(5.0, "contents.notifications.notify_new"),
    "contents.previews": PeriodicTask(600.0, "contents.services.previews.purge_ended"),
    "contents.external_links": PeriodicTask(5.0, "contents.external_links.following.follow"),
    "contents.link_checks": PeriodicTask(5.0, "contents.external_links.checking.check_due"),
    "contents.unsaved_texts": PeriodicTask(3600.0, "contents.services.unsaved_texts.purge_old"),
}

_AUTHORS = ("contents.add_content", "contents.change_content")
_APPROVERS = ("contents.approve_content", *(f"contents.approve{level}_content" for level in range(1, 5)))
_ALL_SITES = "?site="  # of a list that is narrowed to the site of the menu by default

NOTIFICATIONS = {
    "content.submitted": NotificationKind(
        10,
        _("Content items wait for my approval"),
        _("“%(title)s” waits for your approval"),
        ngettext_lazy(
            "%(count)d content item waits for your approval",
            "%(count)d content items wait for your approval",
            "count",
        ),
        pages={
            "": "admin:contents_content_waiting",
            "content": "admin:contents_content_review",
            "draft": "admin:contents_content_draft",
        },
        list_query=_ALL_SITES,
        permissions=_APPROVERS,
    ),
    "content.approved": NotificationKind(
        11,
        _("My content items are approved"),
        _("“%(title)s” was approved"),
        ngettext_lazy(
            "%(count)d of your content items was approved", "%(count)d of your content items were approved", "count"
        ),
        pages={"": "admin:contents_content_changelist", "content": "admin:contents_content_change"},
        permissions=_AUTHORS,
    ),
    "content.rejected": NotificationKind(
        12,
        _("My content items are rejected"),
        _("“%(title)s” was rejected"),
        ngettext_lazy(
            "%(count)d of your content items was rejected", "%(count)d of your content items were rejected", "count"
        ),
        note=_("Reasons: %(note)s"),
        pages={
            "": "admin:contents_content_unfinished",
            "content": "admin:contents_content_change",
            "draft": "admin:contents_content_draft",
        },
        list_query=_ALL_SITES,
        permissions=_AUTHORS,
    ),
    "content.changed_after_approval": NotificationKind(
        13,
        _("Content items are changed after my approval"),
        _("%(note)s changed “%(title)s” after your approval"),
        ngettext_lazy(
            "%(count)d content item was changed after your approval",
            "%(count)d content items were changed after your approval",
            "count",
        ),
        pages={
            "": "admin:contents_content_waiting",
            "content": "admin:contents_content_compare",
            "draft": "admin:contents_content_draft",
        },
        list_query=_ALL_SITES,
        permissions=_APPROVERS,
    ),
    "content.published": NotificationKind(
        14,
        _("My content items are published by schedule"),
        _("“%(title)s” was published by its schedule"),
        ngettext_lazy(
            "%(count)d of your content items was published by its schedule",
            "%(count)d of your content items were published by their schedules",
            "count",
        ),
        pages={"": "admin:contents_content_changelist", "content": "admin:contents_content_change"},
        permissions=_AUTHORS,
    ),
}

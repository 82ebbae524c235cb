"""Data that the app registers with the shared parts (`cms_api.lib.registrations`)."""

from django.utils.translation import gettext_lazy as _

# Operations of the API: method and path below /api/v1 → what it does, in the words of the README.
SUMMARIES = {
    ("POST", "/contents"): _("lists contents by filters, Where and Order rules, in pages"),
    ("GET", "/contents/{siteId}"): _("lists approved contents of a site, by filters, in pages"),
    ("GET", "/contents/{siteId}/{channelId}"): _("lists approved contents of a channel and everything below it"),
    ("POST", "/contents/{siteId}/{channelId}"): _("creates a content"),
    ("GET", "/contents/{siteId}/{channelId}/{id}"): _("reads a content"),
    ("PUT", "/contents/{siteId}/{channelId}/{id}"): _("changes the members that are sent"),
    ("DELETE", "/contents/{siteId}/{channelId}/{id}"): _("moves a content to the trash"),
    ("POST", "/contents/check"): _("approves contents"),
    ("POST", "/contents/actions/check"): _("approves contents"),
    ("GET", "/stl/content"): _("reads a content, or with type one of its values as a text"),
    ("GET", "/stl/contents"): _("lists approved contents of channels around a channel"),
    ("GET", "/stl/a"): _("answers the address of a channel or content"),
    ("GET", "/stl/count"): _("counts approved contents, or channels, as a text"),
}

# Sentences for people, by the code of the error.
REFUSALS = {
    "content_not_found": _("The content is not there any more."),
    "channel_in_trash": _("Its channel is in the trash; restore the channel first."),
    "channel_in_use": _("Something still belongs to the channel."),
    "approved_already": _("It is approved already."),
    "not_approved": _("It is not approved."),
    "not_waiting": _("It does not wait for a decision."),
    "handed_in_already": _("It has been handed in already."),
    "level_beyond": _("Your rights do not reach this level of approval."),
    "reasons_missing": _("A rejection needs its reasons."),
    "in_channel_already": _("It stands in this channel already."),
    "target_not_found": _("The channel is not there any more."),
    "target_of_another_site": _("The channel belongs to another site; contents stay in theirs."),
    "channel_takes_no_contents": _("The channel takes no contents."),
    "too_many_names": _("These are too many names for one content."),
    "version_forgotten": _("What it was before is not kept any more."),
    "field_name_invalid": _("This cannot be the name of a custom field."),
    "field_name_taken": _("The site has a field of this name already."),
    "version_not_kept": _("This version is not kept any more."),
    "nothing_to_revert": _("The content is already as it was at that version."),
    "name_not_found": _("The group or tag is not there any more."),
    "name_unfit": _("A name has at most 255 characters and no comma."),
    "name_of_group_taken": _("The site has a group of this name already."),
    "name_too_long": _("A content would have more than 2,000 characters of names with it; choose a shorter name."),
}

# Kinds of objects in the audit: the part of an action before the dot → place in the list, words.
SUBJECTS = {
    "content": (70, _("Contents")),
    "trash": (80, _("Trash")),
}

# Actions in the audit: name → label (docs/audit.md says when each is written).
ACTIONS = {
    "content.approved": _("Content approved"),
    "content.level_passed": _("Content passed a level of approval"),
    "content.rejected": _("Content rejected"),
    "content.approval_withdrawn": _("Approval of a content withdrawn"),
    "content.trashed": _("Content moved to the trash"),
    "content.restored": _("Content restored from the trash"),
    "content.purged": _("Content purged"),
    "content.history_purged": _("Old changes of contents purged"),
    "content.group_created": _("Group of contents created"),
    "content.group_changed": _("Group of contents changed"),
    "content.name_replaced": _("Group or tag of contents renamed, joined or removed"),
    "content.imported": _("Contents imported"),
    "content.exported": _("Contents exported"),
    "trash.purged": _("Trash purged"),
}

# The menu of the admin: model → group, place, title.
MENU = {
    "contents.ContentChange": ("tools", 10, _("Changes")),
    "contents.ContentGroup": ("tools", 20, _("Content groups")),
    "contents.ContentTag": ("tools", 30, _("Tags")),
    "contents.TrashedContent": ("trash", 10, _("Deleted contents")),
}

# Cards of the start page: model → place, drawing, title, and the sentences for who may look, add, and change.
CARDS = {
    "contents.Content": (
        10,
        "contents",
        _("Contents"),
        _("Find contents, look at them, and follow how they are approved."),
        _("Add contents, find them, and change many at once."),
    ),
    "contents.TrashedContent": (40, "trash", _("Trash"), _("Restore what was deleted.")),
}

# Buttons above the start page: model to add → words.
BUTTONS = {"contents.Content": _("Add content")}

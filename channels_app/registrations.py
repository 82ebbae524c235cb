"""Data that the app registers with the shared parts (`cms_api.lib.registrations`)."""

from django.utils.translation import gettext_lazy as _

# Operations of the API: method and path below /api/v1 → what it does, in the words of the README.
SUMMARIES = {
    ("GET", "/channels/{siteId}"): _("lists the channels, each with those below it"),
    ("POST", "/channels/{siteId}"): _("creates a channel below parentId"),
    ("GET", "/channels/{siteId}/{channelId}"): _("reads a channel with everything below it"),
    ("PUT", "/channels/{siteId}/{channelId}"): _("changes the members that are sent"),
    ("DELETE", "/channels/{siteId}/{channelId}"): _(
        "moves a channel, what is below it and their contents to the trash"
    ),
    ("POST", "/channels/{siteId}/{channelId}/actions/move"): _(
        "puts a channel below parentId, before a sibling or last"
    ),
    ("GET", "/stl/channel"): _("reads a channel, or with type one of its values as a text"),
    ("GET", "/stl/channels"): _("lists channels around a channel"),
}

# Sentences for people, by the code of the error.
REFUSALS = {
    "channel_not_found": _("The channel, or the one it belongs below, is not there any more."),
    "channel_below_itself": _("A channel cannot go below itself."),
    "channel_takes_no_channels": _("The channel does not take channels below it; its settings say so."),
    "tree_changed": _("Somebody else has moved the channels meanwhile; nothing was moved. This is how they stand now."),
    "too_many_channels": _("These are too many channels at a time."),
    "move_unreadable": _("The place for the channel cannot be read; choose it again."),
    "home_channel": _("The home channel is the site itself; it can be neither moved nor deleted."),
    "name_taken": _("Another channel has taken the index name or the file path."),
}

# Kinds of objects in the audit: the part of an action before the dot → place in the list, words.
SUBJECTS = {
    "channel": (60, _("Channels")),
}

# Actions in the audit: name → label (docs/audit.md says when each is written).
ACTIONS = {
    "channel.created": _("Channel created"),
    "channel.changed": _("Channel changed"),
    "channel.moved": _("Channel moved"),
    "channel.trashed": _("Channel moved to the trash"),
    "channel.restored": _("Channel restored from the trash"),
    "channel.purged": _("Channel purged"),
}

# The menu of the admin: model → group, place, title.
MENU = {
    "channels_app.TrashedChannel": ("trash", 20, _("Deleted channels")),
}

# Cards of the start page: model → place, drawing, title, and the sentences for who may look, add, and change.
CARDS = {
    "channels_app.Channel": (
        20,
        "channels",
        _("Channels"),
        _("See into which channels your sites are divided."),
        _("Add channels to your sites and put them in order."),
    ),
}

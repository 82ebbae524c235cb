from django.utils.translation import gettext_lazy as _

from core.lib.registrations import AuditSubject, MenuItem, SearchKind, StartCard
from search.sources import SearchSource

SUMMARIES = {
    ("GET", "/channels/{siteId}"): _("returns the channel tree of a site"),
    ("POST", "/channels/{siteId}"): _("creates a channel below parentId"),
    ("GET", "/channels/{siteId}/{channelId}"): _("returns a channel with its descendants"),
    ("PUT", "/channels/{siteId}/{channelId}"): _("changes the members that are sent"),
    ("DELETE", "/channels/{siteId}/{channelId}"): _("moves a channel, its descendants and their contents to the trash"),
    ("POST", "/channels/{siteId}/{channelId}/actions/move"): _(
        "moves a channel below parentId, before a sibling or last"
    ),
    ("GET", "/stl/channel"): _("returns a channel or one of its values"),
    ("GET", "/stl/channels"): _("lists channels around a channel"),
}

ERROR_MESSAGES = {
    "channel_not_found": _("The channel or its parent channel no longer exists."),
    "channel_below_itself": _("A channel cannot go below itself."),
    "channel_takes_no_channels": _("The channel's settings do not allow channels below it."),
    "tree_changed": _(
        "Someone else has moved channels since you opened the page. Nothing was moved; this is the current order."
    ),
    "too_many_channels": _("You cannot move that many channels at a time."),
    "move_unreadable": _("The new place of the channel is not valid; choose it again."),
    "target_outside": _("You may not move channels there."),
    "home_channel": _("The home channel is the site itself; it can be neither moved nor deleted."),
    "name_taken": _("Another channel has taken the index name or the file path."),
}

SUBJECTS = {
    "channel": AuditSubject(60, _("Channels")),
}

ACTIONS = {
    "channel.created": _("Channel created"),
    "channel.changed": _("Channel changed"),
    "channel.copied": _("Channel copied"),
    "channel.moved": _("Channel moved"),
    "channel.trashed": _("Channel moved to the trash"),
    "channel.restored": _("Channel restored from the trash"),
    "channel.purged": _("Channel permanently deleted"),
}

MENU = {
    "channels_app.Channel": MenuItem("site", 20, _("Channels"), "channels", "channels_app_channel_tree"),
    "channels_app.TrashedChannel": MenuItem("site", 80, _("Trash"), "trash"),
}

CARDS = {
    "channels_app.Channel": StartCard(
        20,
        "channels",
        _("Channels"),
        _("See the channels of your sites."),
        _("Add channels to your sites and put them in order."),
    ),
}

SEARCHES = {"channels": SearchKind(20, _("Channels"), "channels", "channels_app.admin.hits.channels")}

SEARCH_SOURCES = {"channel": SearchSource("channels_app.Channel", "channels_app.searching.entries")}

from django.utils.translation import gettext_lazy as _

# Names of events → labels, by the group of their subject.
GROUPS = {
    _("Contents"): {
        "content.created": _("Content created"),
        "content.changed": _("Content changed"),
        "content.published": _("Content published"),
        "content.unpublished": _("Content unpublished"),
        "content.moved": _("Content moved"),
        "content.trashed": _("Content moved to the trash"),
        "content.restored": _("Content restored from the trash"),
        "content.deleted": _("Content deleted"),
    },
    _("Channels"): {
        "channel.created": _("Channel created"),
        "channel.changed": _("Channel changed"),
        "channel.moved": _("Channel moved"),
        "channel.trashed": _("Channel moved to the trash"),
        "channel.restored": _("Channel restored from the trash"),
        "channel.deleted": _("Channel deleted"),
    },
    _("Sites"): {
        "site.created": _("Site created"),
        "site.changed": _("Site changed"),
        "site.trashed": _("Site moved to the trash"),
        "site.restored": _("Site restored from the trash"),
        "site.deleted": _("Site deleted"),
    },
    _("Forms"): {
        "form.submitted": _("Form sent"),
        "form.entry_changed": _("Entry of a form changed"),
        "form.entry_deleted": _("Entry of a form deleted"),
    },
    _("Users"): {
        "user.created": _("User created"),
        "user.changed": _("User changed"),
        "user.deleted": _("User deleted"),
    },
    _("Media"): {
        "media.created": _("File added, or restored from the trash"),
        "media.changed": _("File changed"),
        "media.deleted": _("File deleted"),
    },
}
EVENT_NAMES = {name: label for group in GROUPS.values() for name, label in group.items()}
TEST = "webhook.test"

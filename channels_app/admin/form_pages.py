"""What the form of a channel shows: its fields in groups, and what others have changed since it was opened."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from channels_app.admin.forms import NOT_OF_HOME, custom_name, custom_others, custom_texts
from channels_app.attributes import CHANNELS, CONTENTS, PAGES, REGISTRY, TRANSFER
from channels_app.models import Channel
from cms_api.audit import actions
from cms_api.audit.models import AuditEntry

_TOLD = 5  # changes of others that a conflict names


def _members(group: str) -> list[str]:
    return [attribute.name for attribute in REGISTRY if attribute.group == group]


def fieldsets_of(channel: Channel | None) -> list[Any]:
    """The fields in groups, with everything that may be set of the channel, or of a new one."""
    is_home = channel is not None and channel.parent_id is None
    shut = {"classes": ["collapse"]}
    found: list[Any] = [
        (None, {"fields": ["channel_name", "index_name", "way", "group_name_collection", "image_url"]}),
        (_("Text"), {"fields": ["content"]}),
        (
            _("Link and pages"),
            {
                "fields": [
                    "link_type",
                    "link_url",
                    "file_path",
                    "channel_file_path_rule",
                    "content_file_path_rule",
                ]
            },
        ),
        (_("For search engines"), {"fields": ["keywords", "description"], **shut}),
        (_("Contents and channels below"), {"fields": [*_members(CHANNELS), *_members(CONTENTS)], **shut}),
        (_("Transfer of contents"), {"fields": _members(TRANSFER), **shut}),
        (_("Kept for programs that make pages"), {"fields": _members(PAGES), **shut}),
        (
            _("Templates and extensions"),
            {
                "fields": [
                    "channel_template_id",
                    "content_template_id",
                    "content_model_plugin_id",
                    "content_related_plugin_ids",
                ],
                **shut,
            },
        ),
    ]
    custom = [custom_name(name) for name in custom_texts(channel)]
    custom += ["other_members"] if custom_others(channel) else []
    found += [(_("Custom fields"), {"fields": custom, **shut})] if custom else []
    # Where a new one goes stands above its form.
    hidden = frozenset({"way"}) if channel is None else NOT_OF_HOME if is_home else frozenset()
    found[0][1]["fields"].append("seen_version")
    return [
        (title, {**options, "fields": [name for name in options["fields"] if name not in hidden]})
        for title, options in found
    ]


def changes_since(channel: Channel) -> list[dict[str, Any]]:
    """The last changes of the channel: by whom, when, and of what."""
    entries = AuditEntry.objects.filter(object_type="channels_app.channel", object_id=str(channel.pk))
    # Others tell what came into the channel.
    entries = entries.filter(action__startswith="channel.")
    return [
        {"name": entry.actor_name, "at": entry.at, "what": actions.label_of(entry.action), "changed": entry.changed}
        for entry in entries.order_by("-pk")[:_TOLD]
    ]

from collections.abc import Collection
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.lib import clock
from core.lib.errors import InvalidInput, NotFound
from core.lib.settings_field import SettingsField
from sites.models import Site


class LinkType(models.TextChoices):
    """How a channel's address depends on its child channels and contents, as in SiteServer."""

    NONE = "None", _("Its own page")
    NO_LINK_IF_CONTENT_NOT_EXISTS = "NoLinkIfContentNotExists", _("No link without content items")
    LINK_TO_ONLY_ONE_CONTENT = "LinkToOnlyOneContent", _("To its only content item")
    NO_LINK_IF_CONTENT_NOT_EXISTS_AND_LINK_TO_ONLY_ONE_CONTENT = (
        "NoLinkIfContentNotExistsAndLinkToOnlyOneContent",
        _("No link without content items, else to its only one"),
    )
    LINK_TO_FIRST_CONTENT = "LinkToFirstContent", _("To its first content item")
    NO_LINK_IF_CONTENT_NOT_EXISTS_AND_LINK_TO_FIRST_CONTENT = (
        "NoLinkIfContentNotExistsAndLinkToFirstContent",
        _("No link without content items, else to its first one"),
    )
    NO_LINK_IF_CHANNEL_NOT_EXISTS = "NoLinkIfChannelNotExists", _("No link without channels below")
    LINK_TO_LAST_ADD_CHANNEL = "LinkToLastAddChannel", _("To the channel below that was added last")
    LINK_TO_FIRST_CHANNEL = "LinkToFirstChannel", _("To the first channel below")
    NO_LINK_IF_CHANNEL_NOT_EXISTS_AND_LINK_TO_LAST_ADD_CHANNEL = (
        "NoLinkIfChannelNotExistsAndLinkToLastAddChannel",
        _("No link without channels below, else to the one added last"),
    )
    NO_LINK_IF_CHANNEL_NOT_EXISTS_AND_LINK_TO_FIRST_CHANNEL = (
        "NoLinkIfChannelNotExistsAndLinkToFirstChannel",
        _("No link without channels below, else to the first one"),
    )
    NO_LINK = "NoLink", _("No link")


class ChannelQuerySet(models.QuerySet["Channel"]):
    def live(self) -> "ChannelQuerySet":
        return self.filter(trashed_at=None)

    def in_site(self, site_id: int) -> "ChannelQuerySet":
        """Select the site's channels in tree order, without those in the trash."""
        return self.live().filter(site_id=site_id).order_by("taxis")

    def in_channel(self, channel_id: int) -> "ChannelQuerySet":
        return self.live().filter(ancestor_links__ancestor_id=channel_id).order_by("taxis")


class Channel(models.Model):
    """One section of a site. The home channel has no parent and has the id of the site."""

    channel_name = models.CharField(_("name"), max_length=255)
    site = models.ForeignKey(Site, models.PROTECT, related_name="channels", verbose_name=_("site"))
    content_model_plugin_id = models.CharField(_("content model"), max_length=50, blank=True)
    content_related_plugin_ids = models.CharField(_("related plugins"), max_length=255, blank=True)
    parent = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="children", verbose_name=_("below")
    )
    # channels_app.services maintains these four columns and taxis.
    parents_path = models.TextField(_("channels above"), blank=True, editable=False)
    parents_count = models.PositiveIntegerField(_("depth"), default=0, editable=False)
    children_count = models.PositiveIntegerField(_("channels below"), default=0, editable=False)
    is_last_node = models.BooleanField(_("last of its siblings"), default=True, editable=False)
    taxis = models.BigIntegerField(_("order"), default=1, editable=False)
    index_name = models.CharField(_("index name"), max_length=255, blank=True)
    group_name_collection = models.CharField(pgettext_lazy("of channels", "groups"), max_length=2000, blank=True)
    add_date = models.DateTimeField(_("added"), default=clock.now)
    image_url = models.CharField(_("picture"), max_length=2000, blank=True)
    content = models.TextField(_("text"), blank=True)
    file_path = models.CharField(_("file"), max_length=500, blank=True)
    channel_file_path_rule = models.CharField(_("rule for pages of channels"), max_length=500, blank=True)
    content_file_path_rule = models.CharField(_("rule for pages of contents"), max_length=500, blank=True)
    link_url = models.CharField(_("link"), max_length=2000, blank=True)
    link_type = models.CharField(_("kind of link"), max_length=60, choices=LinkType, default=LinkType.NONE)
    channel_template_id = models.BigIntegerField(_("template of the channel"), default=0)
    content_template_id = models.BigIntegerField(_("template of its contents"), default=0)
    keywords = models.CharField(_("keywords"), max_length=2000, blank=True)
    description = models.TextField(_("description"), blank=True)
    # Members of the settings object that were set, and custom fields.
    settings = SettingsField(_("settings"), default=dict, blank=True)
    version = models.PositiveBigIntegerField(_("version"), default=1, editable=False)
    trashed_at = models.DateTimeField(_("deleted"), null=True, blank=True, editable=False)
    # The channel whose deletion trashed this one, so that both are restored together.
    trashed_with_id = models.BigIntegerField(null=True, blank=True, editable=False)
    # The next sibling when the channel itself was trashed, to restore its place; null for the last one.
    trashed_before_id = models.BigIntegerField(null=True, blank=True, editable=False)

    objects = ChannelQuerySet.as_manager()

    class Meta:
        verbose_name = _("channel")
        verbose_name_plural = _("channels")
        permissions = [
            ("restore_channel", "Can restore channel from the trash"),
            ("purge_channel", "Can delete channel for good"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["site"], condition=models.Q(parent=None), name="channel_one_home"),
            models.UniqueConstraint(
                fields=["site", "index_name"],
                condition=~models.Q(index_name="") & models.Q(trashed_at=None),
                name="channel_index_name_unique",
            ),
            models.UniqueConstraint(
                fields=["site", "file_path"],
                condition=~models.Q(file_path="") & models.Q(trashed_at=None),
                name="channel_file_path_unique",
            ),
            models.CheckConstraint(condition=~models.Q(parent=models.F("id")), name="channel_not_own_parent"),
            models.CheckConstraint(condition=models.Q(link_type__in=LinkType.values), name="channel_link_type_known"),
        ]
        indexes = [
            models.Index(fields=["site", "taxis"], name="channel_in_order"),
            models.Index(
                fields=["trashed_with_id"],
                condition=models.Q(trashed_at__isnull=False),
                name="channel_trashed_with",
            ),
        ]

    def __str__(self) -> str:
        return self.channel_name

    @property
    def above_ids(self) -> list[int]:
        return [int(pk) for pk in self.parents_path.split(",") if pk]

    @property
    def path_ids(self) -> list[int]:
        """The channels above it, and itself."""
        return [*self.above_ids, self.pk]


def channel_not_found(site_id: int, channel_id: int, member: str = "") -> InvalidInput | NotFound:
    """Return the error: 404 for the channel of the path, 400 for one that `member` of the body names."""
    message = f"Channel {channel_id} was not found in site {site_id}."
    if member:
        return InvalidInput("channel_not_found", message, member=member)
    return NotFound("channel_not_found", message)


class TrashedChannel(Channel):
    """A channel that was trashed itself, for a page of its own in the admin."""

    class Meta:
        proxy = True
        default_permissions = ()  # the fields of Channel apply
        verbose_name = _("channel in the trash")
        verbose_name_plural = _("channels in the trash")


class ChannelAncestor(models.Model):
    """A channel with itself or one of its ancestors. Database triggers (channels_app/sql) write the rows."""

    pk = models.CompositePrimaryKey("channel_id", "ancestor_id")
    channel = models.ForeignKey(
        Channel, models.DO_NOTHING, related_name="ancestor_links", db_constraint=False, db_index=False
    )
    ancestor = models.ForeignKey(
        Channel, models.DO_NOTHING, related_name="descendant_links", db_constraint=False, db_index=False
    )

    class Meta:
        indexes = [models.Index(fields=["ancestor", "channel"], name="channel_descendants")]


def ids_below(channel_ids: Collection[int]) -> models.QuerySet[ChannelAncestor, Any]:
    """Return the ids of the channels and of all below them."""
    return ChannelAncestor.objects.filter(ancestor__in=channel_ids).values("channel_id")


class TreeVersion(models.Model):
    """A number that differs after every change of a site's channels, web address or settings.

    Values computed from them stay valid as long as it does. Database triggers (channels_app/sql) draw it at random, so
    that a rollback or a restored backup never repeats it.
    """

    site = models.OneToOneField(
        Site, models.DO_NOTHING, primary_key=True, related_name="tree_version", db_constraint=False
    )
    number = models.BigIntegerField()

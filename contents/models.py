"""Contents of channels, and the derived tables that keep their lists fast at any size."""

import secrets
from collections.abc import Iterator

from django.conf import settings
from django.db import models
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from channels_app.models import Channel
from contents.flags import MARKS, ListKind
from core.lib import clock
from core.lib.errors import NotFound
from sites.models import Site

# Highest number of approval levels of a site (sites.attributes, checkContentLevel).
MAX_LEVEL = 5
_TRASHED = models.Q(trashed_at__isnull=False)
_PENDING = models.Q(is_checked=False, trashed_at__isnull=True)


def new_schedule_version() -> int:
    return secrets.randbits(48)


class ContentQuerySet(models.QuerySet["Content"]):
    def live(self) -> "ContentQuerySet":
        return self.filter(trashed_at=None)

    def in_site(self, site_id: int) -> "ContentQuerySet":
        return self.live().filter(site_id=site_id)

    def in_channel(self, site_id: int, channel_id: int) -> "ContentQuerySet":
        """Contents of the channel itself, without those below it or in the trash."""
        return self.in_site(site_id).filter(channel_id=channel_id)

    def checked(self) -> "ContentQuerySet":
        return self.filter(is_checked=True)


class Content(models.Model):
    """A content without its body: scanning and counting never read ContentBody. ListedContent lists it."""

    # Read along when one content is locked or added, for the response: body, number of the TreeVersion, web address.
    text: str
    tree_number: int | None
    web_url: str
    version_before: int  # read before the row lock
    draft_version: int  # of contents.services.drafts.overlay; 0 without a draft

    site = models.ForeignKey(Site, models.PROTECT, related_name="contents", db_index=False, verbose_name=_("site"))
    channel = models.ForeignKey(
        Channel, models.PROTECT, related_name="contents", db_index=False, verbose_name=_("channel")
    )
    add_user_name = models.CharField(_("added by"), max_length=255, blank=True)
    last_edit_user_name = models.CharField(_("last edited by"), max_length=255, blank=True)
    writing_user_name = models.CharField(_("contributed by"), max_length=255, blank=True)
    last_edit_date = models.DateTimeField(_("last edited"), default=clock.now)
    taxis = models.BigIntegerField(_("order"), default=0)
    group_name_collection = models.CharField(pgettext_lazy("of contents", "groups"), max_length=2000, blank=True)
    tags = models.CharField(_("tags"), max_length=2000, blank=True)
    # Plain numbers, since the target may have been deleted: the original of a copy, the channel of a reference, or a
    # code such as
    # -1 (contribution).
    source_id = models.BigIntegerField(_("number of the source"), default=0)
    reference_id = models.BigIntegerField(_("refers to"), default=0)
    is_checked = models.BooleanField(_("approved"), default=False)
    checked_level = models.BigIntegerField(_("level of approval"), default=0)
    hits = models.BigIntegerField(_("views"), default=0)
    hits_by_day = models.BigIntegerField(_("views of the day"), default=0)
    hits_by_week = models.BigIntegerField(_("views of the week"), default=0)
    hits_by_month = models.BigIntegerField(_("views of the month"), default=0)
    last_hits_date = models.DateTimeField(_("last view"), null=True, blank=True)
    # A JSON object as text, compared as text by Where rules.
    settings_xml = models.TextField(_("further members"), default="{}")
    title = models.CharField(_("title"), max_length=255)
    is_top = models.BooleanField(_("pinned"), default=False)
    is_recommend = models.BooleanField(_("recommended"), default=False)
    is_hot = models.BooleanField(_("hot"), default=False)
    is_color = models.BooleanField(_("highlighted"), default=False)
    link_url = models.CharField(_("link"), max_length=2000, blank=True)
    add_date = models.DateTimeField(_("added"), default=clock.now)
    sub_title = models.CharField(_("subtitle"), max_length=255, blank=True)
    image_url = models.CharField(_("picture"), max_length=2000, blank=True)
    video_url = models.CharField(_("video"), max_length=2000, blank=True)
    file_url = models.CharField(_("file"), max_length=2000, blank=True)
    summary = models.TextField(_("summary"), blank=True)
    author = models.CharField(_("author"), max_length=255, blank=True)
    source = models.CharField(_("source"), max_length=255, blank=True)
    # Name of the API key that created it; ContentChange records later changes.
    added_by_key = models.CharField(
        _("added with the API key"), max_length=200, blank=True, default="", db_default="", editable=False
    )
    # Incremented by every stored change except of hit counters.
    version = models.PositiveBigIntegerField(_("version"), default=1, editable=False)
    trashed_at = models.DateTimeField(_("deleted"), null=True, blank=True, editable=False)
    # The channel whose deletion also trashed the content; both are restored together.
    trashed_with_id = models.BigIntegerField(null=True, blank=True, editable=False)

    objects = ContentQuerySet.as_manager()

    class Meta:
        verbose_name = _("content")
        verbose_name_plural = _("contents")
        permissions = [
            ("approve_content", "Can approve content at every level"),
            *((f"approve{level}_content", f"Can approve content up to level {level}") for level in range(1, MAX_LEVEL)),
            ("restore_content", "Can restore content from the trash"),
            ("purge_content", "Can delete content for good"),
        ]
        constraints = [
            models.CheckConstraint(condition=~models.Q(title=""), name="content_title_given"),
            models.CheckConstraint(condition=~models.Q(settings_xml=""), name="content_settings_given"),
            models.CheckConstraint(
                condition=models.Q(hits__gte=0)
                & models.Q(hits_by_day__gte=0)
                & models.Q(hits_by_week__gte=0)
                & models.Q(hits_by_month__gte=0),
                name="content_hits_not_negative",
            ),
        ]
        indexes = [
            models.Index(fields=["channel", "taxis"], name="content_in_channel"),
            # For lists by last edit and for polling for changes.
            models.Index(fields=["site", "last_edit_date", "id"], name="content_last_edited"),
            models.Index(fields=["site", "trashed_at"], condition=_TRASHED, name="content_trash"),
            # For the trash page and for purging by age.
            models.Index(fields=["trashed_at", "id"], condition=_TRASHED, name="content_trash_by_age"),
            # For restoring a channel.
            models.Index(fields=["trashed_with_id"], condition=_TRASHED, name="content_trashed_with"),
            # For the approval queue, by last edit.
            models.Index(
                fields=["site", "checked_level", "last_edit_date", "id"], condition=_PENDING, name="content_waiting"
            ),
            # For the unfinished contents of a user, in the order of their page; the menu counts them on each page.
            models.Index(
                fields=["add_user_name", "site", "-checked_level", "-last_edit_date", "-id"],
                condition=_PENDING,
                name="content_unfinished",
            ),
            # For the most-read list; a site without hit counting has no rows here.
            models.Index(
                fields=["site", "hits", "id"],
                condition=models.Q(hits__gt=0, trashed_at__isnull=True),
                name="content_most_read",
            ),
            # For the contents of an author, by last edit.
            models.Index(
                fields=["site", "author", "last_edit_date", "id"],
                condition=models.Q(trashed_at__isnull=True) & ~models.Q(author=""),
                name="content_by_author",
            ),
            # For navigationUrl rules, which read all contents that refer to another; there are few.
            models.Index(fields=["site"], condition=models.Q(reference_id__gt=0), name="content_referring"),
        ]

    def __str__(self) -> str:
        return self.title

    def channel_path(self) -> Iterator[int]:
        """Yield its channel and those above it; loads the channel only for the latter."""
        yield self.channel_id
        yield from self.channel.above_ids


def content_not_found(site_id: int, content_id: int, channel_id: int | None = None) -> NotFound:
    place = f"site {site_id}" if channel_id is None else f"channel {channel_id} of site {site_id}"
    return NotFound("content_not_found", f"Content {content_id} was not found in {place}.")


class TrashedContent(Content):
    """A content in the trash; a proxy with its own admin page."""

    class Meta:
        proxy = True
        default_permissions = ()  # the permissions of contents apply
        verbose_name = _("content in the trash")
        verbose_name_plural = _("contents in the trash")


class ContentBody(models.Model):
    """The body of a content: markup, returned byte for byte as sent."""

    content = models.OneToOneField(Content, models.CASCADE, primary_key=True, related_name="body")
    text = models.TextField(blank=True)


class ContentPicture(models.Model):
    """An extra picture of a content, in three sizes."""

    content = models.ForeignKey(Content, models.CASCADE, related_name="pictures")
    small_url = models.CharField(max_length=2000, blank=True, default="")
    middle_url = models.CharField(max_length=2000, blank=True, default="")
    large_url = models.CharField(max_length=2000, blank=True, default="")
    description = models.TextField(blank=True, default="")
    taxis = models.IntegerField(default=0)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.large_url


class ContentChange(models.Model):
    """One change of a content: actor, time and the previous values (contents.storing.history).

    Written in the transaction of the change. An old version is the current content with later changes undone, so
    contents that never change have no rows, and deleting the oldest rows only loses old versions. Actors are stored by
    name, since changes outlive them.
    """

    class Kind(models.TextChoices):
        CHANGED = "changed", _("changed")
        APPROVED = "approved", _("approved")
        REJECTED = "rejected", _("rejected")
        MOVED = "moved", _("moved")
        REVERTED = "reverted", _("brought back to an earlier version")
        PUBLISHED = "published", _("draft published")

    content = models.ForeignKey(
        Content,
        models.DO_NOTHING,
        related_name="changes",
        db_constraint=False,
        db_index=False,
        verbose_name=_("content"),
    )
    site_id = models.BigIntegerField(_("site"))
    version = models.PositiveBigIntegerField(_("version"))  # the version after the change
    at = models.DateTimeField(_("time"), default=clock.now)
    kind = models.CharField(_("kind"), max_length=20, choices=Kind, default=Kind.CHANGED)
    # As in the audit log (core.audit.entries).
    actor_kind = models.CharField(_("by"), max_length=20)
    administrator_id = models.BigIntegerField(_("administrator ID"), null=True)
    actor_name = models.CharField(_("name"), max_length=255, blank=True)
    key_id = models.BigIntegerField(_("API key ID"), null=True)
    key_name = models.CharField(_("API key"), max_length=200, blank=True)
    request_id = models.CharField(_("request"), max_length=64, blank=True)
    reasons = models.CharField(_("reasons"), max_length=255, blank=True)
    # Previous values by attribute name, as JSON: {"title": "…", "add_date": "2026-01-31 08:00:00"}.
    before = models.TextField(default="{}")
    body_before = models.TextField(null=True)  # noqa: DJ001 - null: unchanged; an empty previous body is ""

    class Meta:
        verbose_name = _("change of a content")
        verbose_name_plural = _("changes of contents")
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["content", "version"], name="content_change_of_version")]
        indexes = [
            # For the latest changes; the site is included to skip other sites within the index.
            models.Index(fields=["at", "id", "site_id"], name="content_change_latest"),
            models.Index(fields=["site_id", "at"], name="content_change_of_site"),
            models.Index(
                fields=["administrator_id", "at", "id"],
                condition=models.Q(administrator_id__isnull=False),
                name="content_change_by_person",
            ),
            models.Index(
                fields=["key_id", "at", "id"],
                condition=models.Q(key_id__isnull=False),
                name="content_change_by_key",
            ),
            # All kinds except the most frequent one.
            models.Index(
                fields=["kind", "at", "id"], condition=~models.Q(kind="changed"), name="content_change_of_kind"
            ),
            models.Index(fields=["request_id"], name="content_change_request"),
        ]

    def __str__(self) -> str:
        return f"{self.content_id}, version {self.version}"


class ContentDraft(models.Model):
    """Changes of a public content that wait for approval beside it (contents.services.drafts).

    `draft_values` and `draft_body` are the changed members; `base_values` and `base_body` are the public ones that
    their author saw, so that publishing detects changes made to both.
    """

    content = models.OneToOneField(Content, models.CASCADE, primary_key=True, related_name="draft")
    site_id = models.BigIntegerField()
    # JSON by attribute name; settings_xml is an object of the changed custom fields.
    draft_values = models.TextField(default="{}")
    base_values = models.TextField(default="{}")
    draft_body = models.TextField(null=True)  # noqa: DJ001 - null: unchanged
    base_body = models.CharField(max_length=64, blank=True)  # its SHA-256
    # Begins with the microseconds of its creation, so that a later draft of the content never has the same.
    version = models.BigIntegerField()
    checked_level = models.BigIntegerField()  # as of contents
    reasons = models.CharField(max_length=255, blank=True)  # of the last decision
    editor = models.CharField(max_length=255, blank=True)
    key_name = models.CharField(max_length=200, blank=True)
    edited_at = models.DateTimeField(default=clock.now)

    class Meta:
        default_permissions = ()
        indexes = [
            # For the approval queue and the unfinished drafts.
            models.Index(fields=["site_id", "checked_level", "edited_at"], name="content_draft_waiting"),
            # For the list of contents by their last change.
            models.Index(fields=["site_id", "edited_at", "content"], name="content_draft_edited"),
        ]

    def __str__(self) -> str:
        return f"{self.content_id}, draft"


class ContentPreview(models.Model):
    """Unsaved text of a content, for the website that shows it (contents.services.previews)."""

    key = models.CharField(max_length=32, primary_key=True)
    administrator_id = models.BigIntegerField()
    record = models.TextField()  # JSON, as in the API
    ends_at = models.DateTimeField(db_index=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"preview until {self.ends_at}"


class UnsavedText(models.Model):
    """Unsaved text that an administrator has typed in the form of a content (contents.services.unsaved_texts).

    A row belongs to one page that is or was open, and to the content or, of a new one, the channel of its form.
    """

    # The unique rule is its index.
    administrator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False)
    page = models.CharField(max_length=40)
    content = models.ForeignKey(Content, models.CASCADE, null=True, related_name="+")
    channel = models.ForeignKey(Channel, models.CASCADE, null=True, related_name="+")
    fields = models.TextField()  # JSON: the changed inputs by name, with their values
    version = models.BigIntegerField()  # of the content or draft that the form shows
    kept_at = models.DateTimeField(db_index=True)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["administrator", "page"], name="unsaved_text_of_page")]

    def __str__(self) -> str:
        return f"{self.content_id or self.channel_id}, unsaved"


class ContentSchedule(models.Model):
    """When a content will be published and withdrawn, and who ordered it (contents.scheduling).

    A time that has been acted on is cleared, and the row is deleted with its last time. A row with a `failure` waits
    until someone schedules the content again.
    """

    content = models.OneToOneField(
        Content, models.CASCADE, primary_key=True, related_name="schedule", verbose_name=_("content")
    )
    site_id = models.BigIntegerField(_("site"))
    publish_at = models.DateTimeField(_("publish on"), null=True)
    unpublish_at = models.DateTimeField(_("unpublish on"), null=True)
    # A new random number with each change; an undo needs the current one.
    version = models.BigIntegerField(default=new_schedule_version)
    # The times before the last change, for the undo.
    former_publish_at = models.DateTimeField(null=True)
    former_unpublish_at = models.DateTimeField(null=True)
    scheduled_at = models.DateTimeField(_("time"), default=clock.now)
    # As in ContentChange.
    actor_kind = models.CharField(_("by"), max_length=20)
    administrator_id = models.BigIntegerField(_("administrator ID"), null=True)
    actor_name = models.CharField(_("name"), max_length=255, blank=True)
    key_id = models.BigIntegerField(_("API key ID"), null=True)
    key_name = models.CharField(_("API key"), max_length=200, blank=True)
    failure = models.CharField(_("failure"), max_length=255, blank=True, default="")
    # Of the approval at `publish_at`.
    reasons = models.CharField(_("reasons"), max_length=255, blank=True, default="", db_default="")
    # Which version will be published: of the draft or, without it, of the content. A row without both was stored by an
    # earlier release during a rolling update.
    approved_draft = models.BigIntegerField(null=True)
    approved_version = models.BigIntegerField(null=True)

    class Meta:
        verbose_name = _("schedule of a content")
        verbose_name_plural = _("schedules of contents")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=models.Q(publish_at__isnull=False) | models.Q(unpublish_at__isnull=False),
                name="content_schedule_has_time",
            ),
            models.CheckConstraint(
                condition=models.Q(publish_at__isnull=True)
                | models.Q(unpublish_at__isnull=True)
                | models.Q(unpublish_at__gt=models.F("publish_at")),
                name="content_schedule_in_order",
            ),
        ]
        indexes = [
            # For due schedules, once a second.
            models.Index(
                Coalesce("publish_at", "unpublish_at"), name="content_schedule_due", condition=models.Q(failure="")
            ),
            models.Index(fields=["site_id", "publish_at"], name="content_schedule_publish"),
            models.Index(fields=["site_id", "unpublish_at"], name="content_schedule_withdraw"),
        ]

    def __str__(self) -> str:
        return f"{self.content_id}"


class ContentGroup(models.Model):
    site = models.ForeignKey(Site, models.CASCADE, related_name="content_groups", verbose_name=_("site"))
    group_name = models.CharField(_("name"), max_length=255)
    taxis = models.BigIntegerField(_("order"), default=0)
    description = models.TextField(_("description"), blank=True)
    # False: only contents name it (the triggers), so that it shows no more than they do.
    is_own = models.BooleanField(default=True, db_default=False, editable=False)

    class Meta:
        verbose_name = _("group of contents")
        verbose_name_plural = _("groups of contents")
        constraints = [models.UniqueConstraint(fields=["site", "group_name"], name="content_group_name_unique")]

    def __str__(self) -> str:
        return self.group_name


class ContentTag(models.Model):
    site = models.ForeignKey(Site, models.CASCADE, related_name="content_tags", verbose_name=_("site"))
    tag_name = models.CharField(_("name"), max_length=255)

    class Meta:
        verbose_name = _("tag of contents")
        verbose_name_plural = _("tags of contents")
        constraints = [models.UniqueConstraint(fields=["site", "tag_name"], name="content_tag_name_unique")]

    def __str__(self) -> str:
        return self.tag_name


class CustomField(models.Model):
    """A custom field that some content of the site has had, other than in a draft of a public one.

    Filters find it here, and `name` is its stored spelling.
    """

    class Kind(models.TextChoices):
        LINE = "line", _("one line")
        TEXT = "text", _("several lines")
        SWITCH = "switch", _("yes or no")
        CHOICE = "choice", _("one of a list")
        DATE = "date", _("date and time")
        DAY = "day", _("date without time")
        IMAGE = "image", _("picture")
        VIDEO = "video", _("video")
        FILE = "file", _("file")

    site = models.ForeignKey(Site, models.CASCADE, related_name="custom_fields", verbose_name=_("site"))
    name = models.CharField(_("name"), max_length=255)
    folded_name = models.CharField(max_length=255, editable=False)  # casefolded
    # How the admin shows it; the API knows only the name.
    label = models.CharField(_("label"), max_length=255, blank=True, default="", db_default="")
    kind = models.CharField(_("kind"), max_length=10, choices=Kind, default=Kind.LINE, db_default=Kind.LINE)
    choices = models.TextField(_("choices"), blank=True, default="", db_default="")  # one per line
    help_text = models.CharField(_("help"), max_length=500, blank=True, default="", db_default="")
    taxis = models.IntegerField(_("order"), default=0, db_default=0)
    is_offered = models.BooleanField(_("offered to editors"), default=True, db_default=True)

    class Meta:
        verbose_name = _("custom field")
        verbose_name_plural = _("custom fields")
        constraints = [models.UniqueConstraint(fields=["site", "folded_name"], name="custom_field_name_unique")]

    def __str__(self) -> str:
        return self.name


_IN_ORDER = ["kind", "owner_id", "is_checked", "is_top", "channel_id", "taxis", "content_id"]
_BY_DATE = ["kind", "owner_id", "is_checked", "add_date", "content_id"]


class ListedContent(models.Model):
    """Membership of a content in the list of a channel (or one of its ancestors), group or tag.

    Includes the sort keys, so that each page of a list is one index range. Database triggers write the rows
    (contents/sql).
    """

    pk = models.CompositePrimaryKey("content_id", "kind", "owner_id")
    content = models.ForeignKey(
        Content, models.DO_NOTHING, related_name="listings", db_constraint=False, db_index=False
    )
    kind = models.SmallIntegerField(choices=ListKind)
    owner_id = models.BigIntegerField()  # id of a channel, group or tag, by kind
    is_checked = models.BooleanField()
    is_top = models.BooleanField()
    is_recommend = models.BooleanField()
    is_hot = models.BooleanField()
    is_color = models.BooleanField()
    channel_id = models.BigIntegerField()
    taxis = models.BigIntegerField()
    add_date = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=_IN_ORDER, name="listed_in_default_order"),
            models.Index(fields=_BY_DATE, name="listed_by_add_date"),
            # For stl lists, which order the contents of several channels by taxis. Only approved contents, so that
            # pending ones cost nothing.
            models.Index(
                fields=["owner_id", "is_top", "taxis", "content_id"],
                condition=models.Q(kind=ListKind.CHANNEL, is_checked=True),
                name="listed_by_taxis",
            ),
            # Partial indexes for rare flags: a page of hot contents skips all others.
            *(
                models.Index(fields=_IN_ORDER, condition=models.Q((flag, True)), name=f"listed_{flag[3:]}_in_order")
                for flag in MARKS[1:]
            ),
            *(
                models.Index(fields=_BY_DATE, condition=models.Q((flag, True)), name=f"listed_{flag[3:]}_by_date")
                for flag in MARKS
            ),
        ]


class ListedCount(models.Model):
    """Number of contents in a list by combination of flags; triggers on ListedContent write it.

    A count is the sum over `slot`: on PostgreSQL each connection adds to its own slot, so that writers of one list do
    not block each other.
    """

    pk = models.CompositePrimaryKey("kind", "owner_id", "flags", "slot")
    kind = models.SmallIntegerField(choices=ListKind)
    owner_id = models.BigIntegerField()
    flags = models.SmallIntegerField()  # bits of contents.flags
    slot = models.SmallIntegerField(default=0)
    contents = models.BigIntegerField()


class LastTaxis(models.Model):
    """The highest taxis assigned in a channel; its row lock serializes assignment."""

    channel = models.OneToOneField(Channel, models.CASCADE, primary_key=True, related_name="last_taxis")
    taxis = models.BigIntegerField()


class ExternalHost(models.Model):
    """A host of other websites that contents link to; it gets one request at a time, with pauses."""

    name = models.CharField(max_length=255)
    next_at = models.DateTimeField(null=True)  # the next request; null: none of its links is due at any time
    paused_until = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["name"], name="external_host_unique")]
        indexes = [models.Index(fields=["next_at"], name="external_host_due")]

    def __str__(self) -> str:
        return self.name


class LinkProblem(models.TextChoices):
    GONE = "gone", _("Does not exist")  # 404, 410
    UNRESOLVED = "unresolved", _("The name of the host does not exist")
    UNREACHABLE = "unreachable", _("The host cannot be reached")
    UNKNOWN = "unknown", _("Not known")  # refused, overloaded, or not allowed: browsers may well reach it


class ExternalLink(models.Model):
    """An address of another website, and what came of its last check (contents.external_links)."""

    host = models.ForeignKey(ExternalHost, models.PROTECT, related_name="links", db_index=False)
    address = models.CharField(max_length=2000)  # ASCII, without #
    next_at = models.DateTimeField()
    needs_get = models.BooleanField(default=False)  # the host refused HEAD
    checked_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True)  # of the response
    problem = models.CharField(max_length=20, choices=LinkProblem, blank=True)
    failing_since = models.DateTimeField(null=True)
    is_dead = models.BooleanField(default=False)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["address"], name="external_link_unique")]
        indexes = [
            models.Index(fields=["host", "next_at"], name="external_link_due"),
            models.Index(fields=["id"], condition=models.Q(is_dead=True), name="external_link_dead"),
            models.Index(fields=["id"], condition=models.Q(checked_at__isnull=True), name="external_link_unchecked"),
        ]

    def __str__(self) -> str:
        return self.address


class ExternalLinkUse(models.Model):
    """A link of an approved content."""

    pk = models.CompositePrimaryKey("content_id", "link_id")
    content = models.ForeignKey(Content, models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False)
    link = models.ForeignKey(ExternalLink, models.CASCADE, related_name="uses")
    site_id = models.BigIntegerField()

    class Meta:
        default_permissions = ()


class ExternalLinkProgress(models.Model):
    """One row: how far the links follow the events, and how far they are first collected."""

    position = models.BigIntegerField()  # of the last event that they follow
    form = models.PositiveIntegerField()  # of the rows: external_links.following.FORM
    built_to = models.BigIntegerField(null=True)  # the last content while they are collected; null: all are
    responded_at = models.DateTimeField(null=True)  # the last response of any host, to a minute

    class Meta:
        default_permissions = ()

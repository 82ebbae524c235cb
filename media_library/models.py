"""Files of sites: a row for each, and folders of the library, which are independent of the folders of the storage."""

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from django.db import models
from django.db.models.functions import Concat, Lower, StrIndex
from django.db.models.lookups import GreaterThan
from django.utils.translation import gettext_lazy as _

from core.lib import clock
from core.lib.media_storage import ASSETS, SHOWN, extension_of
from media_library.kinds import MAX_PATH, MediaKind
from sites.models import Site

_LISTED = models.Q(trashed_at__isnull=True, missing_since__isnull=True)
_TRASHED = models.Q(trashed_at__isnull=False)
_REPLACED = models.Q(replaced_at__isnull=False)
_LINE_END = models.Value("\n")  # between two columns; no word has it
_TEXTS = Lower(
    Concat("title", _LINE_END, "path", _LINE_END, "alternative_text", _LINE_END, "credit", _LINE_END, "tags")
)


class MediaFolder(models.Model):
    site = models.ForeignKey(Site, models.CASCADE, related_name="media_folders", db_index=False)
    parent = models.ForeignKey("self", models.CASCADE, null=True, blank=True, related_name="children")
    name = models.CharField(_("name"), max_length=255)
    folded_name = models.CharField(max_length=255, editable=False)  # casefolded
    # The channel whose branch it belongs to (media_library.branches); a plain number, which stays when the channel is
    # permanently deleted: otherwise more people would see the files.
    channel_id = models.BigIntegerField(null=True, blank=True)
    version = models.PositiveBigIntegerField(default=1, editable=False)

    class Meta:
        verbose_name = _("folder of media")
        verbose_name_plural = _("folders of media")
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["site", "parent", "folded_name"],
                condition=models.Q(parent__isnull=False),
                name="media_folder_name_unique",
            ),
            models.UniqueConstraint(
                fields=["site", "folded_name"],
                condition=models.Q(parent__isnull=True),
                name="media_folder_top_name_unique",
            ),
            models.CheckConstraint(condition=~models.Q(parent=models.F("id")), name="media_folder_not_own_parent"),
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.folded_name = self.name.casefold()
        super().save(*args, **kwargs)


class MediaFileQuerySet(models.QuerySet["MediaFile"]):
    def listed(self) -> "MediaFileQuerySet":
        """The files that are stored and not in the trash; lists read only these."""
        return self.filter(_LISTED)

    def with_texts(self, texts: Iterable[str]) -> "MediaFileQuerySet":
        """The files with each of these in their path or texts, in any letter case (on SQLite, of ASCII)."""
        found = self
        # One search in all columns; a LIKE for each would take ten times as long.
        for text in texts:
            found = found.filter(GreaterThan(StrIndex(_TEXTS, Lower(models.Value(text))), 0))
        return found


class MediaFile(models.Model):
    site = models.ForeignKey(Site, models.CASCADE, related_name="media_files", db_index=False)
    # Below the folder of the site in the storage, such as upload/images/2026/11/photo.jpg.
    path = models.CharField(_("path"), max_length=MAX_PATH)
    kind = models.CharField(_("kind"), max_length=10, choices=MediaKind)
    bytes = models.PositiveBigIntegerField(_("size"))
    sha256 = models.CharField(max_length=64, blank=True)  # hexadecimal; empty until sync_media has read the file
    width = models.PositiveIntegerField(_("width"), null=True, blank=True)
    height = models.PositiveIntegerField(_("height"), null=True, blank=True)
    duration = models.FloatField(_("duration"), null=True, blank=True)  # seconds
    title = models.CharField(_("title"), max_length=255, blank=True)
    alternative_text = models.CharField(_("alternative text"), max_length=2000, blank=True)
    credit = models.CharField(_("credit"), max_length=255, blank=True)
    # Fractions of width and height: the point that stays visible if the picture is cut.
    focal_x = models.FloatField(null=True, blank=True)
    focal_y = models.FloatField(null=True, blank=True)
    tags = models.CharField(_("tags"), max_length=2000, blank=True)  # comma-separated, as of contents
    folder = models.ForeignKey(MediaFolder, models.SET_NULL, null=True, blank=True, related_name="files")
    uploader = models.CharField(_("uploaded by"), max_length=255, blank=True)
    uploaded_with_key = models.CharField(_("uploaded with the API key"), max_length=200, blank=True)
    created_at = models.DateTimeField(_("uploaded"), default=clock.now)
    changed_at = models.DateTimeField(_("changed"), default=clock.now)
    # When other bytes last took its address: pages then add this time to the address (media_library.replaced).
    replaced_at = models.DateTimeField(null=True, blank=True, editable=False)
    trashed_at = models.DateTimeField(_("deleted"), null=True, blank=True, editable=False)
    # If the storage has lost the file: its texts stay here, and no list shows it.
    missing_since = models.DateTimeField(null=True, blank=True, editable=False)
    version = models.PositiveBigIntegerField(default=1, editable=False)

    objects = MediaFileQuerySet.as_manager()

    class Meta:
        verbose_name = _("media file")
        verbose_name_plural = _("media files")
        constraints = [
            models.UniqueConstraint(fields=["site", "path"], name="media_file_path_unique"),
            models.CheckConstraint(
                condition=models.Q(focal_x__isnull=True, focal_y__isnull=True)
                | models.Q(focal_x__range=(0, 1), focal_y__range=(0, 1)),
                name="media_file_focal_point",
            ),
        ]
        indexes = [
            models.Index(fields=["site", "created_at", "id"], condition=_LISTED, name="media_file_newest"),
            models.Index(fields=["site", "kind", "created_at", "id"], condition=_LISTED, name="media_file_of_kind"),
            models.Index(fields=["site", "folder", "created_at", "id"], condition=_LISTED, name="media_file_in_folder"),
            # For copies of the same bytes, and for files that sync_media has not read.
            models.Index(fields=["site", "sha256", "id"], name="media_file_sha256"),
            models.Index(fields=["site", "replaced_at"], condition=_REPLACED, name="media_file_replaced"),
            models.Index(fields=["trashed_at", "id"], condition=_TRASHED, name="media_file_trash_by_age"),
        ]

    def __str__(self) -> str:
        return self.path

    @property
    def address(self) -> str:
        """The address in contents: `@/upload/…`."""
        return f"@/{self.path}"

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def content_type(self) -> str:
        extension = extension_of(self.path)
        return SHOWN.get(extension) or ASSETS.get(extension, "application/octet-stream")


def title_of(name: str) -> str:
    """Return the first title of a file: its name without the extension."""
    limit = MediaFile._meta.get_field("title").max_length
    return "".join(filter(str.isprintable, PurePosixPath(name).stem))[:limit]


class Rendition(models.Model):
    """A picture in another size or format: first claimed by the process that makes it, then stored."""

    site = models.ForeignKey(Site, models.CASCADE, related_name="+", db_index=False)
    path = models.CharField(max_length=MAX_PATH)  # of the original
    name = models.CharField(max_length=MAX_PATH + 300)  # in the storage
    name_digest = models.CharField(max_length=64, unique=True)  # names are too long for an index
    bytes = models.PositiveBigIntegerField(null=True)  # null while it is made
    claimed_at = models.DateTimeField(default=clock.now)
    used_on = models.DateField(db_index=True)

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["site", "path"], name="media_rendition_of_file")]


class MediaUpload(models.Model):
    """A file that arrives in several requests, and afterwards the way to its record (media_library.resumable)."""

    site = models.ForeignKey(Site, models.CASCADE, related_name="+")
    identifier = models.CharField(max_length=32, unique=True)
    key_id = models.BigIntegerField()  # the API key that may continue it; keys are above this app
    metadata = models.TextField()  # name and texts, as the client sent them
    length = models.PositiveBigIntegerField()  # bytes of the whole file
    received = models.PositiveBigIntegerField(default=0)  # bytes
    parts = models.JSONField(default=list)  # [name, bytes] of each file that has some of them, in order
    media_id = models.BigIntegerField(null=True)  # the finished file
    expires_at = models.DateTimeField(db_index=True)  # steady

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(condition=models.Q(received__lte=models.F("length")), name="media_upload_received")
        ]
        indexes = [
            models.Index(fields=["key_id"], condition=models.Q(media_id__isnull=True), name="media_upload_unfinished")
        ]

    def __str__(self) -> str:
        return self.identifier


class UseSource(models.TextChoices):
    """Texts that use files, by the record whose id is in `source_id`."""

    BODY = "content.body", _("text of a content item")
    FIELDS = "content.fields", _("fields of a content item")
    PICTURES = "content.pictures", _("further pictures of a content item")
    DRAFT = "content.draft", _("draft of a content item")
    CHANNEL = "channel", _("channel")
    TEMPLATE = "template", _("template")
    SITE = "site", _("settings of the site")


class MediaUse(models.Model):
    """An address in a text of a record. Database triggers write the rows (media_library/sql, use_sources).

    Contents and channels in the trash have rows, since they can be restored.
    """

    pk = models.CompositePrimaryKey("source", "source_id", "address")
    site_id = models.BigIntegerField()
    address = models.CharField(max_length=MAX_PATH)  # a path below the folder of the site; longer ones have no row
    source = models.CharField(max_length=20, choices=UseSource)
    source_id = models.BigIntegerField()

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["site_id", "address"], name="media_use_of_address")]

    def __str__(self) -> str:
        return f"{self.source} {self.source_id}: {self.address}"


class MediaUseFill(models.Model):
    """A source with records that were stored without triggers; `filling` reads them, then deletes the row."""

    source = models.CharField(max_length=20, unique=True)
    position = models.BigIntegerField(default=0)  # the last record that was read

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.source

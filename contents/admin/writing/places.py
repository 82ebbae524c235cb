"""Where a content is written: its site and channel, and the addresses that the page of the form calls."""

from dataclasses import dataclass

from django.urls import reverse

from channels_app.models import Channel
from sites.uploads import shown_root


@dataclass(frozen=True, slots=True)
class Place:
    """The site and channel of a content, which is there already or not yet."""

    channel: Channel
    user_id: int | None
    content_id: int | None = None
    version: int | None = None

    @property
    def site_id(self) -> int:
        return int(self.channel.site_id)

    @property
    def upload_url(self) -> str:
        return reverse("admin:contents_content_upload", args=[self.site_id])

    @property
    def preview_url(self) -> str:
        return reverse("admin:contents_content_preview", args=[self.site_id])

    @property
    def version_url(self) -> str:
        """What tells who has saved last; empty for a content that does not exist yet."""
        return reverse("admin:contents_content_version", args=[self.content_id]) if self.content_id else ""

    @property
    def differences_url(self) -> str:
        """What shows how versions of the content differ."""
        return reverse("admin:contents_content_compare", args=[self.content_id]) if self.content_id else ""

    @property
    def site_root(self) -> str:
        """What takes the place of `@/` where files are shown."""
        return shown_root(self.site_id)

    @property
    def draft_key(self) -> str:
        """Under which name the browser keeps what is not saved; nobody else who uses the browser is shown it."""
        what = f"content-{self.content_id}" if self.content_id else f"channel-{self.channel.pk}"
        return f"{self.user_id}:{what}"

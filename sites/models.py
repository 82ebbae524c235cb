"""Sites: each a tree of channels with contents, reached under a folder of its own."""

from collections.abc import Iterable
from typing import Any

from django.db import models
from django.db.models.functions import Lower


class Site(models.Model):
    """One website. Its id is the id of its home channel, so `channelId = siteId` is that channel."""

    id = models.BigIntegerField(primary_key=True)
    site_name = models.CharField(max_length=255)
    site_dir = models.CharField(max_length=255, blank=True)
    table_name = models.CharField(max_length=50, blank=True)
    is_root = models.BooleanField(default=False)
    parent = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="children")
    taxis = models.BigIntegerField(default=0)
    # Members of the interface's `attributes` that differ from their default, and custom settings.
    settings = models.JSONField(default=dict, blank=True)
    # Computed by save() from the folder and the settings; kept so that lists need no JSON of the site.
    web_url = models.CharField(max_length=2000, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("site_dir"), name="site_dir_unique"),
            models.UniqueConstraint(fields=["is_root"], condition=models.Q(is_root=True), name="site_one_root"),
            models.CheckConstraint(condition=models.Q(is_root=True) | ~models.Q(site_dir=""), name="site_dir_given"),
            models.CheckConstraint(condition=~models.Q(parent=models.F("id")), name="site_not_own_parent"),
        ]

    def __str__(self) -> str:
        return self.site_name

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        """Store the site and its web address, and those of the sites below it."""
        self.web_url = self.compute_web_url()
        fields = None if update_fields is None else {*update_fields, "web_url"}
        super().save(*args, update_fields=fields, **kwargs)
        for site in self.children.all():
            site.save(update_fields=[])

    def compute_web_url(self) -> str:
        """Where the site's pages are: "" for the root site, "/dir" for others, or a host of its own.

        Never ends with a slash (original-behaviour §6), so a page's path is simply appended.
        """
        if self.settings.get("isSeparatedWeb") is True:
            return str(self.settings.get("separatedWebUrl", "")).rstrip("/")
        if self.is_root:
            return ""
        above = self.parent.compute_web_url() if self.parent else ""
        return f"{above}/{self.site_dir}"

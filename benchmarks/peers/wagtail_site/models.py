"""Articles as Wagtail pages; peers/wagtail.sql fills them."""

from django.db import models
from wagtail.admin.panels import FieldPanel
from wagtail.api import APIField
from wagtail.models import Page


class ArticlePage(Page):
    """A content of ours; its channel is the parent page."""

    sub_title = models.CharField(max_length=255, blank=True)
    summary = models.TextField(blank=True)
    author = models.CharField(max_length=255, blank=True)
    source = models.CharField(max_length=255, blank=True)
    image_url = models.CharField(max_length=2000, blank=True)
    tags = models.CharField(max_length=2000, blank=True)
    # Plain text costs less than a RichTextField, whose links the API would resolve.
    body = models.TextField(blank=True)
    add_date = models.DateTimeField(db_index=True)
    last_edit_date = models.DateTimeField()
    add_user_name = models.CharField(max_length=255, blank=True)
    last_edit_user_name = models.CharField(max_length=255, blank=True)
    is_top = models.BooleanField(default=False)
    is_recommend = models.BooleanField(default=False)
    is_hot = models.BooleanField(default=False)
    is_color = models.BooleanField(default=False)
    hits = models.BigIntegerField(default=0)
    taxis = models.BigIntegerField(default=0)

    _written = (
        *("sub_title", "summary", "author", "source", "image_url", "tags", "body", "add_date", "last_edit_date"),
        *("add_user_name", "last_edit_user_name", "is_top", "is_recommend", "is_hot", "is_color"),
    )
    content_panels = [*Page.content_panels, *map(FieldPanel, _written)]
    api_fields = [*(APIField(name, writable=True) for name in _written), "hits", "taxis"]

    class Meta:
        verbose_name = "article"

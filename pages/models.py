from django.db import models

from cms_api.lib import clock
from sites.models import Site


class TemplateKind(models.TextChoices):
    """SiteServer's types of templates, and the files that templates include."""

    INDEX = "IndexPageTemplate"
    CHANNEL = "ChannelTemplate"
    CONTENT = "ContentTemplate"
    FILE = "FileTemplate"
    INCLUDE = "IncludeFile"


class Template(models.Model):
    """A text with tags, from which pages are made. Channels name theirs by id; 0 is the default of its kind."""

    site = models.ForeignKey(Site, models.CASCADE, related_name="templates")
    kind = models.CharField(max_length=20, choices=TemplateKind)
    # Of an include its path below the site's folder, such as "include/head.html".
    name = models.CharField(max_length=255)
    file_name = models.CharField(max_length=255, blank=True, default="")
    # Of index and file templates: the path of their page below the site's folder.
    page_path = models.CharField(max_length=255, blank=True, default="")
    extension = models.CharField(max_length=20, blank=True, default=".html")
    is_default = models.BooleanField(default=False)
    text = models.TextField(blank=True, default="")
    # Incremented by every change of the text.
    version = models.PositiveIntegerField(default=1)
    changed_at = models.DateTimeField(default=clock.now)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["site", "kind", "name"], name="template_name_unique"),
            models.UniqueConstraint(
                fields=["site", "kind"], condition=models.Q(is_default=True), name="template_one_default"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ContentsVersion(models.Model):
    """A part of the number that differs after every change of a site's approved contents, hits excluded.

    The number is the sum of the site's rows. On PostgreSQL each transaction renews a row that no other one has locked,
    or adds one, so that writers of a site never wait for each other. Database triggers (pages/sql) draw the parts at
    random, so that a rollback or a restored backup never brings a number back.
    """

    site = models.ForeignKey(Site, models.DO_NOTHING, related_name="contents_versions", db_constraint=False)
    number = models.BigIntegerField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.number)

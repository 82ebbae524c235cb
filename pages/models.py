from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from channels_app.models import Channel
from contents.models import Content
from core.audit.models import AuditEntry
from core.lib import clock
from sites.models import Site


class TemplateKind(models.TextChoices):
    """SiteServer's types of templates, and the files that templates include."""

    INDEX = "IndexPageTemplate", pgettext_lazy("type of template", "Index page")
    CHANNEL = "ChannelTemplate", pgettext_lazy("type of template", "Channel")
    CONTENT = "ContentTemplate", pgettext_lazy("type of template", "Content")
    FILE = "FileTemplate", pgettext_lazy("type of template", "File")
    INCLUDE = "IncludeFile", pgettext_lazy("type of template", "Include")


class Template(models.Model):
    """A text with tags, the source of pages. Channels name theirs by id; 0 is the default of its kind."""

    site = models.ForeignKey(Site, models.CASCADE, related_name="templates", verbose_name=_("site"))
    kind = models.CharField(_("type"), max_length=20, choices=TemplateKind)
    # Of an include its path below the site's folder, such as "include/head.html".
    name = models.CharField(_("name"), max_length=255)
    file_name = models.CharField(max_length=255, blank=True, default="")
    # Of index and file templates: the path of their page below the site's folder.
    page_path = models.CharField(_("path of its page"), max_length=255, blank=True, default="")
    extension = models.CharField(max_length=20, blank=True, default=".html")
    is_default = models.BooleanField(_("default"), default=False)
    text = models.TextField(_("text"), blank=True, default="")
    # Incremented by every change.
    version = models.PositiveIntegerField(_("version"), default=1)
    changed_at = models.DateTimeField(_("changed"), default=clock.now)

    class Meta:
        verbose_name = _("template")
        verbose_name_plural = _("templates")
        default_permissions = ("view", "change")
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

    The number is the sum of the site's rows. On PostgreSQL each transaction renews an unlocked row or adds one, so that
    writers of a site never wait for each other. Database triggers (pages/sql) draw the parts at
    random, so that a rollback or a restored backup never brings a number back.
    """

    site = models.ForeignKey(Site, models.DO_NOTHING, related_name="contents_versions", db_constraint=False)
    number = models.BigIntegerField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.number)


class TemplateChange(models.Model):
    """One change of a template: who made it, when, and the text before it (pages.services)."""

    template = models.ForeignKey(Template, models.CASCADE, related_name="changes")
    version = models.PositiveIntegerField()  # the version after the change
    at = models.DateTimeField(default=clock.now)
    restored = models.PositiveIntegerField(null=True)  # the earlier version that the change brought back
    actor_kind = models.CharField(max_length=20, choices=AuditEntry.ActorKind)
    actor_name = models.CharField(max_length=255, blank=True)
    text_before = models.TextField(null=True)  # noqa: DJ001 - null: unchanged; an empty previous text is ""

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["template", "version"], name="template_change_of_version")]

    def __str__(self) -> str:
        return f"{self.template_id}, version {self.version}"


class FormerAddress(models.Model):
    """A path that a page once had; it redirects to the current page of a channel or of a content (former_addresses).

    Triggers (pages/sql) delete the rows of deleted channels and contents.
    """

    site = models.ForeignKey(Site, models.CASCADE, related_name="former_addresses", db_index=False)
    # Below the site's web address, as written. An index entry of PostgreSQL has at most 2,700 bytes.
    path = models.CharField(max_length=500)
    channel = models.ForeignKey(Channel, models.DO_NOTHING, related_name="+", null=True, db_constraint=False)
    content = models.ForeignKey(Content, models.DO_NOTHING, related_name="+", null=True, db_constraint=False)
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["site", "path"], name="former_address_unique")]

    def __str__(self) -> str:
        return self.path


class FormerRule(models.Model):
    """A rule that once named pages of contents by their ids (former_rules)."""

    site = models.ForeignKey(Site, models.CASCADE, related_name="former_rules", db_index=False)
    rule = models.CharField(max_length=500)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["site", "rule"], name="former_rule_unique")]

    def __str__(self) -> str:
        return self.rule

from django.db import models
from django.utils.translation import gettext_lazy as _

from core.lib import clock


class AuditEntry(models.Model):
    """One audited action, with actor, object, time and address. Triggers make entries immutable.

    No foreign keys, since entries outlive their objects. Only entries about site settings hold values; none holds a
    secret.
    """

    class ActorKind(models.TextChoices):
        ADMINISTRATOR = "administrator", _("administrator")
        KEY = "key", _("API key")
        COMMAND = "command", _("command")
        STRANGER = "stranger", _("not signed in")

    at = models.DateTimeField(_("time"), default=clock.now)
    action = models.CharField(_("action"), max_length=60)  # "api_key.rotated"
    actor_kind = models.CharField(_("by"), max_length=20, choices=ActorKind)
    administrator_id = models.BigIntegerField(_("administrator ID"), null=True)  # of a key's owner, too
    actor_name = models.CharField(_("name"), max_length=255, blank=True)
    key_id = models.BigIntegerField(_("API key ID"), null=True)
    key_name = models.CharField(_("API key"), max_length=200, blank=True)
    address = models.CharField(_("address"), max_length=45, blank=True)
    request_id = models.CharField(_("request"), max_length=64, blank=True)
    object_type = models.CharField(_("kind of object"), max_length=60, blank=True)  # "apikeys.apikey"
    object_id = models.CharField(_("object ID"), max_length=64, blank=True)
    object_name = models.CharField(_("object"), max_length=255, blank=True)
    site_id = models.BigIntegerField(_("site"), null=True)
    changed = models.JSONField(_("changed members"), default=list)  # names
    details = models.JSONField(_("details"), default=dict)

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit")
        default_permissions = ("view",)
        indexes = [
            models.Index(fields=["at"], name="audit_at"),
            models.Index(fields=["action", "id"], name="audit_action"),
            models.Index(fields=["object_type", "object_id", "id"], name="audit_object"),
            models.Index(fields=["actor_name", "id"], name="audit_actor"),
            models.Index(fields=["key_name", "id"], name="audit_key"),
            models.Index(fields=["administrator_id", "id"], name="audit_administrator"),
            models.Index(fields=["key_id", "id"], name="audit_key_number"),
            models.Index(fields=["actor_kind", "at"], name="audit_kind"),
            models.Index(fields=["address", "id"], name="audit_address"),
            models.Index(fields=["request_id"], name="audit_request"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.object_name}".strip()


class AuditRetention(models.Model):
    """Permit to delete older entries, checked by the trigger; inserted and deleted in one transaction."""

    before = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.before)

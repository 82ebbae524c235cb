from django.db import models
from django.utils.translation import gettext_lazy as _

from core.lib import clock


class RestartRequest(models.Model):
    """Number of the latest restart order, in one row whose lock serialises orders."""

    number = models.BigIntegerField(default=0)
    asked_at = models.DateTimeField(null=True)
    asked_by = models.CharField(max_length=255, blank=True)

    class Meta:
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="restart_order_one_row")]

    def __str__(self) -> str:
        return str(self.number)


class Installation(models.Model):
    """Facts about the whole database, in a single row."""

    time_zone = models.CharField(max_length=255, blank=True)  # of stored times (core.operation.time_zone)
    backed_up_at = models.DateTimeField(null=True)  # when the last backup was complete

    class Meta:
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="installation_one_row")]

    def __str__(self) -> str:
        return self.time_zone


class Node(models.Model):
    name = models.CharField(_("name"), max_length=255, unique=True)  # CMS_NODE_NAME, or host name and address
    started_at = models.DateTimeField(_("started"), default=clock.now)  # with the running code
    seen_at = models.DateTimeField(_("last seen"), default=clock.now)
    restarted_at = models.DateTimeField(_("last restart"), null=True)
    restarted_by = models.CharField(_("requested by"), max_length=255, blank=True)
    answered = models.BigIntegerField(default=0)  # number of the RestartRequest covered by the last start
    problem = models.TextField(_("problem"), blank=True)  # why the last restart failed
    # Digests by name (restarts.shared_settings); null: of an earlier release.
    settings = models.JSONField(null=True)

    class Meta:
        verbose_name = _("server")
        verbose_name_plural = _("servers")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return self.name

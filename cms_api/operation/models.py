from django.db import models
from django.utils.translation import gettext_lazy as _

from cms_api.lib import clock


class RestartOrder(models.Model):
    """How often a restart has been asked for, in one row, whose lock puts those who ask in order."""

    number = models.BigIntegerField(default=0)
    asked_at = models.DateTimeField(null=True)
    asked_by = models.CharField(max_length=255, blank=True)

    class Meta:
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="restart_order_one_row")]

    def __str__(self) -> str:
        return str(self.number)


class Node(models.Model):
    """A running server: its master process and workers on one machine."""

    name = models.CharField(_("name"), max_length=255, unique=True)  # CMS_NODE_NAME, or host name and address
    started_at = models.DateTimeField(_("started"), default=clock.now)  # with the code that runs now
    seen_at = models.DateTimeField(_("last seen"), default=clock.now)
    restarted_at = models.DateTimeField(_("last restart"), null=True)
    restarted_by = models.CharField(_("asked for by"), max_length=255, blank=True)
    answered = models.BigIntegerField(default=0)  # number of the RestartOrder that the last start followed
    problem = models.TextField(_("problem"), blank=True)  # why the last restart did not come about

    class Meta:
        verbose_name = _("server")
        verbose_name_plural = _("servers")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return self.name

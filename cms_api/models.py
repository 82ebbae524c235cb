"""What belongs to the service as a whole."""

import uuid
from typing import Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from cms_api.lib import clock


class SharedCount(models.Model):
    """A count that all nodes keep together until a moment; see cms_api.shared_counts."""

    key = models.CharField(max_length=64, primary_key=True)  # SHA-256 of what is counted
    number = models.BigIntegerField()
    ends_at = models.FloatField(db_index=True)  # seconds of Unix time

    def __str__(self) -> str:
        return self.key


class AuditEntry(models.Model):
    """One act: who did what to which object, when and from where. Triggers refuse to change or delete it.

    Objects and actors are named and not referred to, since entries outlive them. No entry holds a value that was
    changed, nor any secret.
    """

    class ActorKind(models.TextChoices):
        ADMINISTRATOR = "administrator", _("administrator")
        KEY = "key", _("API key")
        COMMAND = "command", _("command")
        STRANGER = "stranger", _("nobody signed in")

    at = models.DateTimeField(_("time"), default=clock.now)
    action = models.CharField(_("action"), max_length=60)  # "api_key.rotated"
    actor_kind = models.CharField(_("by"), max_length=20, choices=ActorKind)
    administrator_id = models.BigIntegerField(_("administrator number"), null=True)  # a key's owner, too
    actor_name = models.CharField(_("name"), max_length=255, blank=True)
    key_id = models.BigIntegerField(_("API key number"), null=True)
    key_name = models.CharField(_("API key"), max_length=200, blank=True)
    address = models.CharField(_("address"), max_length=45, blank=True)
    request_id = models.CharField(_("request"), max_length=64, blank=True)
    object_type = models.CharField(_("kind of object"), max_length=60, blank=True)  # "apikeys.apikey"
    object_id = models.CharField(_("number of object"), max_length=64, blank=True)
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
    """Written, and taken back, by a transaction that deletes old entries: the trigger lets through what is older.

    No other connection ever sees a row.
    """

    before = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.before)


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


class KeptTable(models.Model):
    """A file that somebody is about to import, from its preview until it is stored, given up or too old.

    It is in the database, where every node finds it and no address leads; it may hold passwords of new users, so it is
    encrypted (cms_api.back_end.tables.kept).
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=60)  # of the records: "contents.content"
    administrator_id = models.BigIntegerField()  # who alone may see it
    created_at = models.DateTimeField(default=clock.now, db_index=True)
    name = models.CharField(max_length=255)  # of the file
    data = models.BinaryField()
    # Where the records go, and which column each heading means.
    choices = models.JSONField(default=dict)
    # What the preview has shown of each row, as a digest: what is stored is what was shown.
    seen = models.TextField(blank=True)

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["administrator_id", "created_at"], name="kept_table_of")]

    def __str__(self) -> str:
        return self.name

    @property
    def seen_rows(self) -> list[str]:
        """The digests of `seen`; none before the first preview."""
        return self.seen.split(",") if self.seen else []


class StoredAnswer(models.Model):
    """The answer to a POST with an Idempotency-Key, for whoever sends it again (cms_api.rest.idempotency).

    The API key is named and not referred to: tokens come and go, and rows of a key that is deleted end by themselves.
    """

    key_id = models.BigIntegerField()
    name = models.CharField(max_length=255)  # the Idempotency-Key
    digest = models.CharField(max_length=64)  # of method, path and body
    created_at = models.DateTimeField(default=clock.now, db_index=True)
    content = models.BinaryField(null=True)  # of the answer; null only while the change is being made

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["key_id", "name"], name="stored_answer_of_key")]

    def __str__(self) -> str:
        return self.name


class JobQuerySet(models.QuerySet["Job"]):
    """Words for choosing jobs."""

    def under_way(self) -> Self:
        """Those that wait or run."""
        return self.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])


class Job(models.Model):
    """Long work that somebody has asked for, done by a process of its own (cms_api.jobs)."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")
        INTERRUPTED = "interrupted", _("interrupted")

    kind = models.CharField(_("kind"), max_length=60)  # name of a cms_api.jobs.kinds.Kind
    state = models.CharField(_("state"), max_length=20, choices=State, default=State.WAITING)
    token = models.CharField(max_length=64, unique=True)  # of the form that asked: sent twice, it asks once
    site_id = models.BigIntegerField(_("site"), null=True)
    administrator_id = models.BigIntegerField(null=True)
    asked_by = models.CharField(_("asked for by"), max_length=255, blank=True)
    actor = models.JSONField(default=dict)  # cms_api.audit.Actor, whose doing the work is
    parameters = models.JSONField(default=dict)
    report = models.JSONField(default=dict)
    node = models.CharField(max_length=255)  # where its files are
    asked_at = models.DateTimeField(_("asked for"), default=clock.now)
    began_at = models.DateTimeField(_("began"), null=True)
    ended_at = models.DateTimeField(_("ended"), null=True)
    # Of a running one, on PostgreSQL (cms_api.jobs.boards).
    seen_at = models.DateTimeField(null=True)
    step = models.CharField(max_length=60, blank=True)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(default=0)
    is_to_stop = models.BooleanField(default=False)

    objects = JobQuerySet.as_manager()

    class Meta:
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        default_permissions = ()
        indexes = [
            models.Index(fields=["state", "node"], name="job_state"),
            models.Index(fields=["administrator_id", "id"], name="job_administrator"),
        ]

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.state not in {self.State.WAITING, self.State.RUNNING}

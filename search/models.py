"""The index of words: an entry for each record that is found by its words."""

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper


class WordsField(models.TextField):  # type: ignore[type-arg]
    """The words of a record as the engine indexes them: a tsvector, or on SQLite a text that FTS5 reads."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "tsvector" if connection.vendor == "postgresql" else "text"


class SearchEntry(models.Model):
    kind = models.CharField(max_length=20)  # of search.sources
    subject_id = models.BigIntegerField()
    words = WordsField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["kind", "subject_id"], name="search_entry_unique")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject_id}"


class SearchProgress(models.Model):
    """How far the entries of a kind follow the events, and how far they are built."""

    kind = models.CharField(max_length=20, unique=True)
    form = models.PositiveIntegerField()  # of the entries: search.entries.FORM
    position = models.BigIntegerField()  # of the last event that they follow
    built_to = models.BigIntegerField(null=True)  # the last record while they are built; null: all have entries

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.kind

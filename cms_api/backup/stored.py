from collections.abc import Iterable, Iterator
from itertools import chain

from django.apps import apps
from django.db import models

from core.archive import media
from core.archive.errors import ArchiveError
from core.archive.tables import Table, table_of

# Rebuilt after a restore; storing them would take several times the space and as much time.
DERIVED = {
    "contents.listedcontent": "the lists, rebuilt from the contents",
    "contents.listedcount": "their counts, rebuilt from the lists",
    "channels_app.treeversion": "numbers that must never repeat",
    "pages.contentsversion": "numbers that must never repeat",
    "media_library.mediause": "the uses of media, found again in the texts",
    "media_library.mediausefill": "how far that is",
}
# Untouched by a restore: they describe the running servers or the moment.
LEFT_ALONE = {
    "accounts.knownaddress": "where accounts have recently signed in, hashed with the secret key of these servers",
    "audit.auditretention": "always empty",
    "notifications.adminaddress": "how browsers reach these servers",
    "operation.installation": "the time zone of these servers, and when the last backup was made",
    "operation.node": "the running servers",
    "operation.restartrequest": "the restarts ordered from them",
    "cms_api.sharedcounter": "failed sign-ins and used captchas of the last minutes",
}
# Emptied by a restore: they would refer to the wrong rows.
EMPTIED = {
    "events.event": "positions begin again beyond all earlier ones, so that clients read everything again",
    "events.numbering": "the same",
    "webhooks.delivery": "their events may be of changes after the backup",
    "jobs.job": "their files are in the folder of a node",
    "cms_api.sentform": "responses to forms of the last ten minutes",
    "cms_api.pendingimport": "files between a preview and an import, for a day at most",
    "media_library.rendition": "pictures in other sizes, made again when they are requested",
    "media_library.mediaupload": "files that are still arriving, whose bytes no backup has",
    "search.searchentry": "the index of words, built again from the records",
    "search.searchprogress": "how far it is",
    "contents.externallink": "links to other websites, collected from the contents and checked again",
    "contents.externallinkuse": "the contents that have them",
    "contents.externalhost": "their hosts",
    "contents.externallinkprogress": "how far they are collected",
    "mail.outgoingmail": "messages that wait to be sent, which the server may have sent since",
    "notifications.notification": "notifications, whose e-mails the server may have sent since",
    "notifications.followedfeed": "positions in the changes, which begin again",
    "contents.contentpreview": "what is being typed, for an hour",
    "accounts.passwordreset": "requests for a new password, answered within seconds",
    "accounts.administratorsession": "the same as the sessions, with address and browser",
    "sessions.session": "who is signed in: a session's key gives access to the admin",
}
# Filled by `migrate`, so that even an empty database has rows there.
OF_MIGRATIONS = {"contenttypes.contenttype", "auth.permission"}


def stored_tables() -> list[Table]:
    """Return the tables of a backup, each after the tables it refers to."""
    left_out = DERIVED.keys() | LEFT_ALONE.keys() | EMPTIED.keys()
    found: dict[type[models.Model], None] = {}

    def take(model: type[models.Model], above: frozenset[type[models.Model]]) -> None:
        for field in model._meta.concrete_fields:
            other = field.related_model
            if isinstance(other, type) and other not in above and other not in found:
                take(other._meta.concrete_model or other, above | {other})
        found[model] = None

    for model in sorted(_models(), key=lambda model: model._meta.label_lower):
        take(model, frozenset({model}))
    return [table_of(model) for model in found if model._meta.label_lower not in left_out]


def stored_files() -> Iterator[str]:
    """Yield the names of uploaded files, and of those that visitors sent with forms."""
    return chain(media.names(with_trash=True), media.names(f"{media.PRIVATE}/entries"))


def names_of(labels: Iterable[str]) -> list[str]:
    return [apps.get_model(label)._meta.db_table for label in labels]


def model_of(table: Table) -> type[models.Model]:
    for model in _models():
        if model._meta.db_table == table.name:
            return model
    raise ArchiveError(f"There is no table {table.name}.")


def _models() -> Iterator[type[models.Model]]:
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy:
            yield model

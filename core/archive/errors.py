class ArchiveError(Exception):
    """The work cannot be done; nothing has been changed unless the message says so."""


class Damaged(ArchiveError):
    """The archive is damaged or altered."""

"""What can be wrong with a backup, as sentences for whoever runs the commands."""


class BackupFault(Exception):
    """The work cannot be done; the text says why. Nothing has been changed unless it says so."""


class Damaged(BackupFault):
    """The archive is not as it was written."""

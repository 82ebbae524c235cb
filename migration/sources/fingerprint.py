import hashlib

from migration.sources.source import Source

# From the minutes on, dates are the same in every form, and in nearly every time zone.
_MINUTES = slice(14, 19)


def fingerprint_of(source: Source) -> str:
    """Return a digest of the first channel, which is the same in the database and in every backup of it."""
    channel = next(iter(source.rows("siteserver_Channel")), {})
    added = str(channel.get("adddate"))[_MINUTES]
    facts = [channel.get("id"), channel.get("siteid"), channel.get("guid"), added]
    return hashlib.sha256(repr(facts).encode()).hexdigest()

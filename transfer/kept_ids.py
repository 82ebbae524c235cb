"""Ids of a site template, which its new site may keep so that old addresses stay valid."""

from dataclasses import dataclass

from transfer.package import SitePackage
from transfer.whole_site import numbering
from transfer.whole_site.tables import CHANNEL, CONTENT

# SiteServer's highest id; a higher one would use up ours.
_HIGHEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class KeptIds:
    channels: bool = False  # and the site, which has the id of its home channel
    contents: bool = False


def take_ids(package: SitePackage) -> KeptIds:
    """Keep the ids of all channels if all are free, and likewise of all contents; for the rest of the transaction."""
    channels = [channel.source_id for channel in package.channels()]
    contents = [content.source_id for channel in package.channels() for content in package.contents(channel)]
    numbering.hold_ids()
    return KeptIds(
        numbering.take_free(CHANNEL, channels, _HIGHEST),
        numbering.take_free(CONTENT, contents, _HIGHEST),
    )

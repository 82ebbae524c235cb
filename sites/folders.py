"""The folder of a site: what may be one."""

import re

# A folder's name is one part of every address of the site.
FOLDER = re.compile(r'(?!\.{1,2}$)[^\s\x00-\x1f\x7f\\/:*?"<>|#%&=+;,]+')
# First parts of paths under which the service itself answers.
RESERVED = frozenset({"api", "admin", "static", "media"})


def is_folder(site_dir: str) -> bool:
    """Whether the text can be the folder of a site."""
    return bool(FOLDER.fullmatch(site_dir))


def is_reserved(site_dir: str) -> bool:
    """Whether the service itself answers under that folder; letter case does not count."""
    return site_dir.casefold() in RESERVED

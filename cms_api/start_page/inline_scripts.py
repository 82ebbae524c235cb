"""Scripts that stand within a page, told by their digests, so that a policy allows these and no others."""

import re
from base64 import b64encode
from hashlib import sha256

_SCRIPT = re.compile(rb"<script\b([^>]*)>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
# What has an address of its own needs no digest, and data such as JSON is not run.
_NOT_RUN = re.compile(rb"(?<![\w-])src\s*=|(?<![\w-])type\s*=\s*[\"']?(?!module\b|text/javascript\b)\w", re.IGNORECASE)


def digests(page: bytes) -> list[str]:
    """The sources `'sha256-…'` of the page's scripts, each once, in their order."""
    texts = (text for attributes, text in _SCRIPT.findall(page) if not _NOT_RUN.search(attributes))
    # Browsers look at the text as they have read it, with one kind of line ends.
    found = (sha256(text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")).digest() for text in texts)
    return list(dict.fromkeys(f"'sha256-{b64encode(digest).decode()}'" for digest in found))

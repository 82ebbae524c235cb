import re
from base64 import b64encode
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.db import Error
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, quote_etag
from django.views.decorators.http import require_safe
from whitenoise.media_types import MediaTypes

from core.admin.middleware import DOCUMENTATION
from sites import file_urls
from sites.models import Site

_INDEX = "index.html"
_TYPES = MediaTypes()  # not the machine's, which vary
# The theme uses inline styles; script sources are added per page.
_POLICY = (
    "default-src 'none'; script-src {}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self'; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'self'"
)


_SCRIPT = re.compile(rb"<script\b([^>]*)>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
# Scripts with `src` need no digest, and data blocks such as JSON do not run.
_NOT_RUN = re.compile(rb"(?<![\w-])src\s*=|(?<![\w-])type\s*=\s*[\"']?(?!module\b|text/javascript\b)\w", re.IGNORECASE)


def is_built() -> bool:
    return (settings.DOCUMENTATION_ROOT / _INDEX).is_file()


def is_of_a_site() -> bool:
    return Site.objects.filter(web_url=DOCUMENTATION.rstrip("/")).exists()


@require_safe
def serve(request: HttpRequest, path: str) -> HttpResponseBase:
    """Return a site's file at this address, else the documentation's page or file; 404 if there is neither."""
    found = _find(path)
    try:
        with suppress(Http404):
            return file_urls.serve(request, f"{DOCUMENTATION.strip('/')}{path}")
        is_taken = is_of_a_site()
    except Error:
        # The sites are unknown without the database, and the operator may need the documentation just then.
        if found is None:
            raise
        is_taken = False
    if found is None or is_taken:
        raise Http404
    if found.is_dir():
        return HttpResponseRedirect(f"{quote(request.path)}/")
    return _answer(request, found)


def _find(path: str) -> Path | None:
    root = settings.DOCUMENTATION_ROOT.resolve()
    try:
        found = (root / path.removeprefix("/")).resolve(strict=True)
    except (OSError, ValueError):  # ValueError: a NUL character
        return None
    # Excludes paths outside the root and hidden files.
    if not found.is_relative_to(root) or any(part.startswith(".") for part in found.relative_to(root).parts):
        return None
    if not found.is_dir():
        return None if path.endswith("/") else found
    index = found / _INDEX
    return (index if path.endswith("/") else found) if index.is_file() else None


def _answer(request: HttpRequest, file: Path) -> HttpResponseBase:
    content = file.read_bytes()
    changed = int(file.stat().st_mtime)
    # From the content, since nodes are built at different times.
    etag = quote_etag(sha256(content).hexdigest()[:32])
    headers = {"ETag": etag, "Last-Modified": http_date(changed), "Content-Length": str(len(content))}
    # The server would complain about a body.
    body = b"" if request.method == "HEAD" else content
    kind: str = _TYPES.get_type(file.name)
    kind = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
    answer = HttpResponse(body, content_type=kind, headers=headers | {"Cache-Control": "no-cache"})
    answer = get_conditional_response(request, etag=etag, last_modified=changed, response=answer) or answer
    # Also on a 304, whose policy browsers apply to the cached page; so it needs every digest.
    sources = ["'self'", *(digests(content) if file.suffix == ".html" else [])]
    answer.headers["Content-Security-Policy"] = _POLICY.format(" ".join(sources))
    return answer


def digests(page: bytes) -> list[str]:
    """Return the distinct sources `'sha256-…'` of the page's inline scripts, in order."""
    texts = (text for attributes, text in _SCRIPT.findall(page) if not _NOT_RUN.search(attributes))
    # Browsers hash the text with normalised line ends.
    found = (sha256(text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")).digest() for text in texts)
    return list(dict.fromkeys(f"'sha256-{b64encode(digest).decode()}'" for digest in found))

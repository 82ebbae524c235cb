"""Serves the documentation at `/docs/`: what `make docs` has built, unless a site has that address."""

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

from cms_api.admin.middleware import DOCUMENTATION
from cms_api.start_page.inline_scripts import digests
from sites import file_urls
from sites.models import Site

_INDEX = "index.html"
# Not those of the machine, which differ. Requests to be sent from an editor are read by people first.
_TYPES = MediaTypes(extra_types={".http": "text/plain"})
# The theme styles single elements; what it may run is told page by page.
_POLICY = (
    "default-src 'none'; script-src {}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self'; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'self'"
)


def is_built() -> bool:
    """Whether `make docs` has left a site to serve."""
    return (settings.DOCUMENTATION_ROOT / _INDEX).is_file()


def is_of_a_site() -> bool:
    """Whether a site of this installation has the address; it was there first."""
    return Site.objects.filter(web_url=DOCUMENTATION.rstrip("/")).exists()


@require_safe
def serve(request: HttpRequest, path: str) -> HttpResponseBase:
    """The page or file; before it, whatever a site has at that address. 404 where there is neither."""
    found = _find(path)
    try:
        of_a_site = _file_of_a_site(request, path)
    except Error:
        # Without its database nobody knows what sites have, and whoever looks after the service may have to read.
        if found is None:
            raise
        of_a_site = None
    if of_a_site is not None:
        return of_a_site
    if found is None:
        raise Http404
    if found.is_dir():
        return HttpResponseRedirect(f"{quote(request.path)}/")
    return _answer(request, found)


def _file_of_a_site(request: HttpRequest, path: str) -> HttpResponseBase | None:
    """The file at that address; None where no site has one. 404 where the address is a site's all the same."""
    with suppress(Http404):
        return file_urls.serve(request, f"{DOCUMENTATION.strip('/')}{path}")
    if is_of_a_site():
        raise Http404
    return None


def _find(path: str) -> Path | None:
    """The file that the path leads to, or the folder for one that lacks its slash; None for anything else."""
    root = settings.DOCUMENTATION_ROOT.resolve()
    try:
        found = (root / path.removeprefix("/")).resolve(strict=True)
    except (OSError, ValueError):  # ValueError: a NUL character
        return None
    # Neither what links and dots lead out to, nor what is hidden.
    if not found.is_relative_to(root) or any(part.startswith(".") for part in found.relative_to(root).parts):
        return None
    if not found.is_dir():
        return None if path.endswith("/") else found
    index = found / _INDEX
    return (index if path.endswith("/") else found) if index.is_file() else None


def _answer(request: HttpRequest, file: Path) -> HttpResponseBase:
    content = file.read_bytes()
    changed = int(file.stat().st_mtime)
    # Of the content, and not of the time: nodes that were built one after the other have the same.
    etag = quote_etag(sha256(content).hexdigest()[:32])
    headers = {"ETag": etag, "Last-Modified": http_date(changed), "Content-Length": str(len(content))}
    # The server would complain of a body that it may not send.
    body = b"" if request.method == "HEAD" else content
    kind: str = _TYPES.get_type(file.name)
    kind = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
    answer = HttpResponse(body, content_type=kind, headers=headers | {"Cache-Control": "no-cache"})
    answer = get_conditional_response(request, etag=etag, last_modified=changed, response=answer) or answer
    # Not in one with the others: browsers take that of a 304, too, for the page that they have kept.
    sources = ["'self'", *(digests(content) if file.suffix == ".html" else [])]
    answer.headers["Content-Security-Policy"] = _POLICY.format(" ".join(sources))
    return answer

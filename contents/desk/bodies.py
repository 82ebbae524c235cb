"""Bodies of contents as pages of their own, which can do nothing."""

from django.http import HttpResponse

# What writers put into a body may look like anything and do nothing: no script, no form, no request but for pictures,
# films and fonts. The policy of our pages, which a frame without an address of its own inherits, forbids its styles.
HEADERS = {
    "Content-Security-Policy": "sandbox; default-src 'none'; img-src * data:; media-src *; style-src 'unsafe-inline'; "
    "font-src *; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
}


def body_answer(text: str) -> HttpResponse:
    """The body as a page for a frame."""
    return HttpResponse(f"<!doctype html>\n{text}", headers=HEADERS)

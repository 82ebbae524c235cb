"""Data that the app registers with the shared parts (`cms_api.lib.registrations`)."""

from django.utils.translation import gettext_lazy as _

# Operations of the API: method and path below /api/v1 → what it does, in the words of the README.
SUMMARIES = {
    ("GET", "/ping"): _("answers pong"),
    ("GET", "/stl/sqlContents"): _("answers the rows of a SELECT"),
    ("GET", "/stl/sqlContent"): _("answers the first row of a SELECT, or with type one value as a text"),
    ("GET", "/openapi.json"): _("answers the OpenAPI document of the API"),
}

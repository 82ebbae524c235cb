from django.utils.translation import gettext_lazy as _

SERVER_STARTS = {"sql_endpoint": "cms_api.sql_endpoint.checks.log_at_start"}
WORKER_STARTS = {"sql_endpoint": "cms_api.sql_endpoint.sandbox.start"}

SUMMARIES = {
    ("GET", "/ping"): _("returns pong"),
    ("GET", "/stl/sqlContents"): _("returns the rows of a SELECT"),
    ("GET", "/stl/sqlContent"): _("returns the first row of a SELECT or one of its values"),
    ("GET", "/openapi.json"): _("returns the OpenAPI document of the API"),
}

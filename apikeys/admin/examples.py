"""A curl line that works as it is printed, for the page that shows a new token."""

from django.views.decorators.debug import sensitive_variables

from apikeys.allowed import may_call, sites
from apikeys.authentication import HEADER
from apikeys.grants import Grant
from cms_api.rest.operations import PREFIX, operations

# Operations that change nothing, the most telling first: method, path, further arguments. The last one takes any key,
# also one for restarts alone. Double quotes mean the same to every shell.
_EXAMPLES = [
    ("POST", "/contents", '-d "{{\\"siteId\\": {site}}}"'),
    ("GET", "/channels/{siteId}", ""),
    ("GET", "/stl/sites", ""),
    ("GET", "/stl/sqlContents", '-G --data-urlencode "queryString=SELECT 1 AS One"'),
    ("GET", "/users", "-G -d top=5"),
    ("GET", "/administrators", "-G -d top=5"),
    ("POST", "/users/actions/logout", "-X POST"),
]


@sensitive_variables("token", "header")
def curl_line(grant: Grant, token: str, address: str) -> str:
    """A call that the key may make; `address` is that of the service, without a path."""
    header = f'-H "{HEADER}: {token}"'
    known = {(operation.method, operation.path): operation for operation in operations()}
    site = _first_site(grant)
    for method, path, arguments in _EXAMPLES:
        operation = known.get((method, path))
        needs_site = "{site" in path + arguments
        if operation is None or (needs_site and site is None) or not may_call(grant, operation):
            continue
        place = path.replace("{siteId}", str(site))
        parts = ["curl", header, arguments.format(site=site), f'"{address}{PREFIX}{place}"']
        return " ".join(filter(None, parts))
    raise AssertionError("The last example takes any key.")


def _first_site(grant: Grant) -> int | None:
    reachable = sites() if grant.site_ids is None else sites().filter(pk__in=grant.site_ids)
    site_id: int | None = reachable.values_list("pk", flat=True).first()
    return site_id

"""The checks of a run, the omitted ones with reasons, and the data of requests."""

from typing import NamedTuple

from tools.contract.own_checks import OWN

# Checks of Schemathesis that hold for every answer.
HELD = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "missing_required_header",
    "ignored_auth",
    "unsupported_method",
    "allow_header_conformance",
)
# Those that do not, and why.
LEFT_OUT = {
    "response_schema_conformance": "which members of a content are required depends on `fields`, as no schema can say; "
    "`answer_is_as_the_schema_says` holds it",
    "negative_data_rejection": "parameters of queries are read as leniently as those of the original, and what cannot "
    "be read often counts as not sent; for bodies `wrong_body_is_refused` holds it",
    "positive_data_acceptance": "a request of the right shape may be refused for a channel that does not exist or a "
    "name that is taken; `well_shaped_is_not_refused_for_its_shape` holds the rest",
    "use_after_free": "a deleted user has the default avatar, as every unknown one; `what_was_deleted_is_gone` holds "
    "it for all else",
    "ensure_resource_availability": "it looks for 201 and Location, and the interface answers a creation with 200; "
    "`what_was_made_is_there` takes its place",
    "object_level_authorization": "keys have scopes and sites, and no owner of records; tests/apikeys holds both",
}
# Operations that a run need not see succeed, and why.
NEVER_200 = {
    "POST /api/v1/captcha/{name}/actions/check": "what a picture says and the cookie that belongs to it cannot be made "
    "up; tests/accounts has right answers",
    "POST /api/v1/users/{id}/actions/update": "the sample site has few users, and no link leads from a new one to an "
    "alias; tests/wire/test_aliases.py changes some",
    "DELETE /api/v1/media/{siteId}/folders/{id}": "the sample site has no folders, and no link leads to a new one; "
    "tests/media_library/test_folders.py deletes some",
    "POST /api/v1/forms": "the required fields of a form are in no document; tests/forms/test_api.py sends entries",
    **dict.fromkeys(
        (f"{method} /api/v1/forms/{{siteId}}/entries/{{id}}" for method in ("GET", "PUT", "DELETE")),
        "the sample site has no entries, and no link leads to a new one; tests/forms/test_api.py changes some",
    ),
    "DELETE /api/v1/webhooks/{id}": "what is deleted is of the sample site, which has no webhook; "
    "tests/webhooks/test_webhook_api.py deletes some",
}
# Values of records in the sample site, so that not every request is a 404.
DICTIONARIES = {
    "sites": [1],
    "channels": [*range(1, 25), 0],
    "contents": [*range(1, 61)],
    "numbers": [1, 2, 3],
    "statements": [
        "SELECT * FROM siteserver_Site",
        "SELECT TOP 3 Id, Title, AddDate FROM siteserver_Content WHERE ChannelId = 11 ORDER BY AddDate DESC",
        "SELECT COUNT(*) AS Contents FROM siteserver_Content",
        "SELECT ChannelName FROM siteserver_Channel WHERE IndexName = 'news'",
        "DELETE FROM siteserver_Site",
    ],
}
_BOUND = {
    "path.siteId": "sites",
    "path.channelId": "channels",
    "path.id": "numbers",
    "query.siteId": "sites",
    "query.channelId": "channels",
    "query.contentId": "contents",
    "query.queryString": "statements",
}


class Size(NamedTuple):
    """The size of a run: generated examples of an operation, scenarios of links, and steps of each."""

    examples: int
    scenarios: int
    steps: int
    with_coverage: bool


SHORT = Size(examples=2, scenarios=10, steps=6, with_coverage=False)
FULL = Size(examples=90, scenarios=400, steps=12, with_coverage=True)
# With which a body that is wrong may be answered: a key that is used up or a condition come first.
_REFUSED = [400, 401, 404, 405, 412, 413, 422]


def configuration(address, key, seed, size, phases):
    """Schemathesis' configuration of one part of a run."""
    names = ("examples", "coverage", "fuzzing", "stateful")
    own_phases = {name: {"enabled": name in phases} for name in names}
    own_phases["coverage"]["enabled"] &= size.with_coverage
    # Links inferred by Schemathesis would displace the declared ones.
    own_phases["stateful"]["inference"] = {"algorithms": []}
    own_phases["stateful"] |= {"max-steps": size.steps, "generation": {"max-examples": size.scenarios}}
    return {
        "base-url": address,
        "seed": seed,
        "workers": 1,
        "continue-on-failure": True,
        "auth": {"openapi": {"ApiKeyHeader": {"api_key": key}}},
        "generation": {
            "max-examples": size.examples,
            "with-security-parameters": False,
            "database": "none",
            "no-shrink": True,
        },
        "phases": own_phases,
        "checks": {name: {"enabled": name in {*HELD, *OWN}} for name in (*HELD, *OWN, *LEFT_OUT)}
        | {"negative_data_rejection": {"enabled": False, "expected-statuses": _REFUSED}},
        "dictionaries": {name: {"values": values} for name, values in DICTIONARIES.items()},
        "parameters": {name: {"dictionary": values, "probability": 0.8} for name, values in _BOUND.items()},
        "warnings": False,
    }

"""Sites in the OpenAPI document."""

from cms_api.openapi.attribute_schemas import answered_attributes
from cms_api.openapi.describing import Described, Parameter, Schema, list_of, ref, value_of
from cms_api.openapi.schemas import TEXT, answered
from cms_api.stl.openapi import (
    LIST_CODES,
    NOT_ALLOWED,
    ORDER,
    SCOPES,
    SHAPING,
    SHAPING_CODES,
    SITE,
    TAG,
    TYPE,
    WHERE,
    WINDOW,
    value_or_text,
)
from sites.attributes import REGISTRY
from sites.serializers import SiteSerializer

SITE_NAME = Parameter(
    "siteName",
    "Name of the site in any letter case, which counts before siteId and siteDir. Default: those two count.",
    TEXT,
)
_VALUES = "id, siteName, siteUrl, siteDir, tableName, isRoot, parentId, taxis, or a custom setting of the site."

SCHEMAS: dict[str, Schema] = {
    "Site": answered(
        SiteSerializer,
        attributes=ref("SiteAttributes")
        | {"description": "What is set for the site; each member has its own default."},
    ),
    "SiteAttributes": answered_attributes(REGISTRY),
}

OPERATIONS = (
    Described(
        method="GET",
        path="/stl/site",
        id="getStlSite",
        tag=TAG,
        description="Reads one site with everything that is set for it. With `type` the answer is one of its values "
        "as a text, shaped as the text parameters say; an unknown `type` gives an empty text. A site that does not "
        "exist is 400, and a siteName that no site has gives null.",
        success="The site, null, or with `type` a text.",
        answer=value_or_text(ref("Site")),
        parameters=(*SITE, SITE_NAME, Parameter("type", f"{TYPE} One of {_VALUES}", TEXT), *SHAPING),
        codes={400: SHAPING_CODES, **NOT_ALLOWED},
    ),
    Described(
        method="GET",
        path="/stl/sites",
        id="listStlSites",
        tag=TAG,
        description="Lists every site that the key reaches, the root site first. siteId or siteDir chooses one of "
        "them; siteName, or siteDir together with scope, chooses those below it.",
        success="The sites, none or more.",
        answer=value_of(list_of(ref("Site")), "The sites in order."),
        parameters=(
            *SITE,
            Parameter(
                "siteName",
                "Name of a site in any letter case; the answer has the sites below that one. Default: every site.",
                TEXT,
            ),
            Parameter(
                "scope",
                "Which sites, where no parent is named: Children (below no site, without the root site), Descendant "
                "(all but the root site), or Self, SelfAndChildren, All (every site), in any letter case; "
                "anything else counts as Self. Default: every site.",
                SCOPES,
            ),
            WHERE,
            Parameter(
                "order",
                f"How the sites are sorted: Default, Random, {ORDER} Default: root site, parent, taxis.",
                TEXT,
            ),
            *WINDOW,
        ),
        codes={400: LIST_CODES, **NOT_ALLOWED},
    ),
    Described(
        method="GET",
        path="/stl/value",
        id="getStlValue",
        tag=TAG,
        description="Reads one value of a site as a text, shaped as the text parameters say. Without `type`, and for "
        "one that is unknown, the text is empty.",
        success="The text, which may be empty.",
        answer=value_of({"type": "string"}, "The value as a text."),
        parameters=(
            *SITE,
            Parameter(
                "type",
                "Which value is wanted: siteName, siteUrl, or a custom setting of the site. Without it the text is "
                "empty.",
                TEXT,
            ),
            *SHAPING,
        ),
        codes={400: SHAPING_CODES, **NOT_ALLOWED},
    ),
)

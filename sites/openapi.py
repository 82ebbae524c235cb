from core.openapi.attribute_schemas import answered_attributes
from core.openapi.describing import Described, Parameter, Schema, list_of, ref, value_of
from core.openapi.schemas import TEXT, answered
from core.stl.openapi import (
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
    "Name of the site, in any letter case; takes precedence over siteId and siteDir. Default: those apply.",
    TEXT,
)
_VALUES = (
    "id, siteName, siteUrl, siteDir, tableName, isRoot, parentId, taxis, or a custom setting. Default: the record."
)

SCHEMAS: dict[str, Schema] = {
    "Site": answered(
        SiteSerializer,
        attributes=ref("SiteAttributes") | {"description": "Settings of the site, with defaults."},
    ),
    "SiteAttributes": answered_attributes(REGISTRY),
}

OPERATIONS = (
    Described(
        method="GET",
        path="/stl/site",
        id="getStlSite",
        tag=TAG,
        description="Returns a site with its settings, or with `type` one value as shaped text, empty if unknown. An "
        "unknown siteId or siteDir is 400; an unknown siteName gives null.",
        success="The site, null, or with `type` a text.",
        answer=value_or_text(ref("Site")),
        parameters=(*SITE, SITE_NAME, Parameter("type", f"{TYPE} {_VALUES}", TEXT), *SHAPING),
        codes={400: SHAPING_CODES, **NOT_ALLOWED},
    ),
    Described(
        method="GET",
        path="/stl/sites",
        id="listStlSites",
        tag=TAG,
        description="Lists the sites that the key can access, root site first. siteId or siteDir selects one; "
        "siteName, or siteDir with scope, selects its child sites.",
        success="The sites.",
        answer=value_of(list_of(ref("Site")), "The sites in order."),
        parameters=(
            *SITE,
            Parameter(
                "siteName",
                "Name of a site, in any letter case; returns its child sites. Default: every site.",
                TEXT,
            ),
            Parameter(
                "scope",
                "Without a parent site: Children (sites without a parent, except the root), Descendant (all "
                "except the root), or anything else for all; in any letter case. Default: every site.",
                SCOPES,
            ),
            WHERE,
            Parameter(
                "order",
                f"Sort order: Default, Random, {ORDER} Default: root site, parent, taxis.",
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
        description="Returns one value of a site as shaped text; empty if `type` is missing or unknown.",
        success="The text.",
        answer=value_of({"type": "string"}, "The value as text."),
        parameters=(
            *SITE,
            Parameter(
                "type",
                "Value to return: siteName, siteUrl, or a custom setting. Without it the text is empty.",
                TEXT,
            ),
            *SHAPING,
        ),
        codes={400: SHAPING_CODES, **NOT_ALLOWED},
    ),
)

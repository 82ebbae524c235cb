"""The OpenAPI document tells all of the API and nothing else (`make openapi` writes it)."""

import os
import re
import subprocess
import sys

import pytest
from django.utils import translation
from drf_spectacular.drainage import GENERATOR_STATS
from openapi_spec_validator import OpenAPIV31SpecValidator

from core.openapi.limits import default_of
from core.openapi.schemas import TEXT
from core.openapi.views import FILE
from core.rest.operations import PREFIX
from core.rest.operations import operations as declared
from sites.attributes import ACTED_ON, REGISTRY
from tests.openapi.documents import asked, committed, operations, properties, resolve, responses
from tools.openapi.error_codes import ERROR_CODES
from tools.openapi.files import as_text
from tools.openapi.generator import document

ROOT = FILE.parents[2]
LEAST_WORDS = 4
OF_ABSENCE = re.compile(r"\bDefault: |\b[Ww]ithout it\b")
UNLIMITED = re.compile(r"\b(of any (length|kind|size)|any number of them)\b", re.IGNORECASE)
NUMBERS = {"integer", "number"}
IN_BITS = {"int32", "int64", "double"}
# What limits the values of a type, one of these each.
LIMITS = {
    "string": ({"maxLength"}, {"enum"}, {"pattern"}, {"contentMediaType"}),
    "integer": ({"minimum", "maximum"}, {"enum"}, {"format"}),
    "number": ({"minimum", "maximum"}, {"enum"}, {"format"}),
    "array": ({"maxItems"},),
}


@pytest.fixture(scope="module")
def made():
    return document()


def test_has_every_operation_and_no_other():
    shown = {(verb, path.removeprefix(PREFIX)) for verb, path, _ in operations()}
    assert shown == {(each.method, each.path) for each in declared()}


def test_is_made_without_warnings(capfd):
    GENERATOR_STATS.reset()
    document()
    assert not GENERATOR_STATS
    assert capfd.readouterr() == ("", "")


def test_is_the_committed_file(made):
    assert as_text(made) == FILE.read_text(encoding="utf-8"), "run make openapi"


def test_is_the_same_each_time_and_in_each_language(made):
    with translation.override("zh-hans"):
        assert as_text(document()) == as_text(made)


def test_does_not_depend_on_the_settings_of_a_server(made, settings):
    settings.CMS_MAX_PER_PAGE, settings.CMS_SQL_MAX_ROWS, settings.TIME_ZONE = 7, 3, "Asia/Shanghai"
    assert as_text(document()) == as_text(made)


def test_is_open_api_3_1(made):
    assert made["openapi"].startswith("3.1.")
    assert list(OpenAPIV31SpecValidator(made).iter_errors()) == []


def test_names_operations_once_and_speaking():
    names = [operation["operationId"] for _, _, operation in operations()]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[a-z]+([A-Z][a-z0-9]*)*", name) for name in names)


def test_says_what_each_operation_does():
    tags = {tag["name"] for tag in committed()["tags"]}
    for verb, path, operation in operations():
        assert operation["summary"], (verb, path)
        assert len(operation["description"].split()) > 8, (verb, path)
        assert len(operation["tags"]) == 1 and set(operation["tags"]) <= tags, (verb, path)


@pytest.mark.parametrize("each", declared(), ids=lambda each: f"{each.method} {each.path}")
def test_says_what_each_operation_asks_of_a_key(each):
    operation = committed()["paths"][PREFIX + each.path][each.method.lower()]
    ways = [] if not each.needs_key else [{"ApiKeyHeader"}, {"BearerApiKey"}, {"ApiKeyQuery"}]
    ways += [set()] if each.key_is_optional else []
    ways += [{each.token_scheme}] if each.token_scheme else []
    assert [set(way) for way in operation["security"]] == ways
    if each.scope:
        scope = f"{each.scope}:{'read' if each.is_read else 'write'}"
        assert operation["x-scope"] == scope and f"`{scope}`" in operation["description"]


def test_describes_each_member():
    thin = [place for place, member in properties() if len(_words(member)) < LEAST_WORDS]
    assert thin == []


def _words(member):
    return member.get("description", "").split()


def test_describes_each_parameter_and_header():
    thin = [
        (operation["operationId"], parameter["name"])
        for _, _, operation in operations()
        for parameter in operation["parameters"]
        if len(_words(parameter)) < LEAST_WORDS
    ]
    thin += [name for name, header in committed()["components"]["headers"].items() if len(_words(header)) < LEAST_WORDS]
    assert thin == []


def test_says_what_holds_where_something_is_not_sent():
    silent = [each.place for each in asked() if not each.is_required and not OF_ABSENCE.search(each.description)]
    assert silent == []


def test_says_the_range_of_all_that_is_asked():
    assert len(asked()) > 400
    boundless = [each.place for each in asked() if not UNLIMITED.search(each.description) and not _has_limits(each)]
    assert boundless == []


def test_no_text_of_a_query_is_longer_than_the_line_that_the_server_reads():
    server = (ROOT / "server" / "configuration.py").read_text(encoding="utf-8")
    (most,) = re.findall(r"^limit_request_line = (\d+)$", server, re.MULTILINE)
    assert TEXT["maxLength"] == int(most) and f"{TEXT['maxLength']:,} bytes" in committed()["info"]["description"]


def test_says_the_range_of_each_number():
    shown = [*properties(), *((name, each["schema"]) for name, each in committed()["components"]["headers"].items())]
    assert [place for place, schema in shown if not _is_limited(schema, _types(schema) & NUMBERS)] == []


def test_each_choice_of_values_has_one_type():
    """Generators of clients refuse an enumeration of numbers and texts."""
    found = dict(_choices(committed(), ""))
    assert len(found) > 20
    assert [place for place, values in found.items() if len({type(each) for each in values}) > 1] == []


def _choices(part, place):
    if isinstance(part, dict):
        if isinstance(part.get("enum"), list):
            yield place, part["enum"]
        for name, value in part.items():
            if name not in {"examples", "example"}:
                yield from _choices(value, f"{place}.{name}")
    elif isinstance(part, list):
        for number, value in enumerate(part):
            yield from _choices(value, f"{place}[{number}]")


def test_a_content_has_all_its_members():
    content = resolve({"$ref": "#/components/schemas/Content"})
    assert set(content["required"]) == content["properties"].keys()


@pytest.mark.parametrize(
    ("name", "member"), [("Where", "operator"), ("NewChannel", "linkType"), ("Channel", "linkType")]
)
def test_members_of_a_few_words_share_a_component(name, member):
    shown = resolve({"$ref": f"#/components/schemas/{name}"})["properties"][member]
    (reference,) = [each["$ref"] for each in shown.get("anyOf", [shown]) if "$ref" in each]
    assert "" not in resolve({"$ref": reference})["enum"]


def _has_limits(one):
    if choices := one.schema.get("anyOf"):
        # References lead to objects, whose members are asked too, or to a few words.
        return all("$ref" in each or "enum" in each or each == {"type": "null"} for each in choices)
    types = _types(one.schema)
    is_fixed = "enum" in one.schema or one.schema.get("format") == "uuid"  # whose length is fixed, too
    return is_fixed or (bool(types) and _is_limited(one.schema, types & LIMITS.keys()))


def _types(schema):
    found = schema.get("type", [])
    return {found} if isinstance(found, str) else set(found)


def _is_limited(schema, types):
    if types & NUMBERS and schema.get("format", "int64") not in IN_BITS:
        return False
    return all(any(limits <= schema.keys() for limits in LIMITS[each]) for each in types)


@pytest.mark.parametrize("name", ["AdministratorChanges", "ChannelChanges", "ContentChanges", "UserChanges"])
def test_a_change_leaves_what_is_not_sent(name):
    members = resolve({"$ref": f"#/components/schemas/{name}"})["properties"]
    assert members
    assert [each for each, member in members.items() if "Default: unchanged." not in member["description"]] == []


def test_has_the_parameters_of_each_path():
    for _, path, operation in operations():
        named = [each["name"] for each in operation["parameters"] if each["in"] == "path"]
        assert sorted(named) == sorted(re.findall(r"{(\w+)}", path)), path
        everywhere = [(each["in"], each["name"].casefold()) for each in operation["parameters"]]
        assert len(set(everywhere)) == len(everywhere), path


def test_lists_the_words_of_each_error():
    errors = [each for each in responses() if each[1] >= 400]
    assert errors
    for name, status, response in errors:
        assert response["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Error"}
        words = response["x-codes"]
        assert words == sorted(set(words)) and words, (name, status)
        assert all(status in ERROR_CODES[word].statuses for word in words), (name, status)
        assert all(f"`{word}`" in response["description"] for word in words), (name, status)


@pytest.mark.parametrize(
    "status,header", [(401, "WWW-Authenticate"), (429, "Retry-After"), (304, "ETag"), (412, "ETag")]
)
def test_has_the_headers_of_a_status(status, header):
    found = [response for _, each, response in responses() if each == status]
    assert found and all(header in response["headers"] for response in found)


def test_every_answer_has_its_number():
    assert all("X-Request-Id" in response["headers"] for _, status, response in responses() if status != 408)


def test_names_shared_answers_by_their_words():
    names = committed()["components"]["responses"]
    assert names
    assert [name for name in names if not name.isalpha()] == []


def test_has_nothing_that_is_not_used():
    text = FILE.read_text(encoding="utf-8")
    components = committed()["components"]
    references = [
        f"#/components/{kind}/{name}"
        for kind, found in components.items()
        if kind != "securitySchemes"
        for name in found
    ]
    assert references
    assert [each for each in references if f'"{each}"' not in text] == []


def test_links_lead_to_operations_and_their_parameters():
    known = {operation["operationId"]: operation for _, _, operation in operations()}
    linked = 0
    for _, _, operation in operations():
        for link in operation["responses"]["200"].get("links", {}).values():
            places = {each["name"] for each in known[link["operationId"]]["parameters"] if each["in"] == "path"}
            assert set(link["parameters"]) == places
            linked += 1
    assert linked > 10


def test_says_what_the_limits_of_a_body_are():
    title = resolve({"$ref": "#/components/schemas/NewContent"})["properties"]["title"]
    assert title["maxLength"] == 255 and "At most 255 characters" in title["description"]
    request = resolve({"$ref": "#/components/schemas/ContentListRequest"})["properties"]
    assert request["perPage"]["maximum"] == 1000


def test_says_the_range_and_default_of_each_setting():
    members = resolve({"$ref": "#/components/schemas/SiteAttributes"})["properties"]
    assert "Range: 1–9. Default: 9." in members["waterMarkPosition"]["description"]
    assert members["webUrl"]["description"].endswith("Computed; read-only.")


def test_marks_settings_without_effect():
    shown = {name for name in ACTED_ON if not REGISTRY.by_name[name].is_hidden}
    members = resolve({"$ref": "#/components/schemas/SiteAttributes"})["properties"]
    assert {name for name, member in members.items() if "Stored only." not in member["description"]} == shown


@pytest.mark.large
def test_what_serves_does_not_load_the_generator(tmp_path):
    code = (
        "import sys, cms_api.wsgi; from django.urls import get_resolver; get_resolver().url_patterns; "
        "served = {'core.openapi', 'core.openapi.views', 'rest_framework.schemas.openapi'}; "
        "parts = 'openapi', 'error_codes', 'drf_spectacular'; "
        "found = {name for name in sys.modules if any(part in name for part in parts)} - served; "
        "sys.exit(', '.join(found) or 0)"
    )
    environment = os.environ | {"CMS_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "cms_api.settings"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.strip() == ""


def test_tells_settings_with_their_defaults():
    told = re.findall(r"([\d,]+) \((CMS_\w+)\)", FILE.read_text(encoding="utf-8"))
    told += [(number, name) for name, number in re.findall(r"(CMS_\w+) \(([\d,]+)\)", FILE.read_text(encoding="utf-8"))]
    assert len(told) > 10
    assert [each for each in told if default_of(each[1]) != int(each[0].replace(",", ""))] == []

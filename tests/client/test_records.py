"""The records that type checkers know, against the schemas of the service's OpenAPI document."""

import json
from types import NoneType
from typing import get_args, get_type_hints

import pytest
from cms_client import Administrator, Channel, Content, FormEntry, Health, LogEntry, Site, User, VisitorForm

from tools.servers import ROOT

SCHEMAS = json.loads((ROOT / "core" / "openapi" / "openapi.json").read_text(encoding="utf-8"))["components"]["schemas"]
RECORDS = [
    (Administrator, ["Administrator"]),
    (Channel, ["Channel", "StlChannel", "StlListedChannel"]),
    (Content, ["Content", "StlContent"]),
    (FormEntry, ["FormEntry"]),
    (Health, ["Readiness"]),
    (LogEntry, ["LogEntry"]),
    (Site, ["Site"]),
    (User, ["User"]),
    (VisitorForm, ["Form"]),
]


@pytest.mark.parametrize(("record", "schemas"), RECORDS)
def test_a_record_has_the_members_of_its_schemas(record, schemas):
    documented = set().union(*(SCHEMAS[name]["properties"] for name in schemas))
    assert set(get_type_hints(record)) == documented


@pytest.mark.parametrize(("record", "schemas"), RECORDS)
def test_what_may_be_null_may_be_none(record, schemas):
    members = [member for name in schemas for member in SCHEMAS[name]["properties"].items()]
    documented = {name for name, schema in members if "null" in schema.get("type", ())}
    assert {name for name, hint in get_type_hints(record).items() if NoneType in get_args(hint)} == documented

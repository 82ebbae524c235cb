"""What docs/compatibility.md promises is held by the tests that it names."""

import ast
import re

import pytest

from tools.documentation.repository_links import ROOT
from tools.reference.schemas import DOCUMENT

PAGE = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)


@pytest.mark.parametrize("path", sorted({path for path, _ in NAMED}))
def test_a_test_that_the_page_names_exists(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    there = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert {name for file, name in NAMED if file == path} - there == set()


def test_each_promise_names_tests():
    promises = PAGE.split("\n## What `/api/v1` never changes\n", 1)[1].split("\n## ", 1)[0]
    parts = re.split(r"\n\n(?=\*\*)", promises)
    assert len(parts) > 5
    assert [part for part in parts if "`tests/" not in part] == []


def test_nothing_is_withdrawn():
    operations = [operation for verbs in DOCUMENT["paths"].values() for operation in verbs.values()]
    assert "Nothing in `/api/v1` is deprecated." in PAGE
    assert [each["operationId"] for each in operations if each.get("deprecated")] == []

"""Every published sample is replayed by some test."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SAMPLES = TESTS.parents[1] / "shared" / "samples"
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="The samples do not lie in ../shared/samples.")


def texts_of_tests():
    """Every text that stands by itself in a test that replays samples."""
    for path in TESTS.rglob("test_*samples.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        yield from (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))


def test_every_sample_is_replayed():
    published = {path.stem for path in SAMPLES.glob("*.json")}
    replayed = {text.removesuffix(".json") for text in texts_of_tests() if isinstance(text, str)}
    assert published
    assert published - replayed == set()

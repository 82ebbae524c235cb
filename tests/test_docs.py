"""The README leads to what is there, and is short enough to be read."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#:]+)\)", README))
def test_a_link_leads_to_a_file(link):
    assert (ROOT / link).exists()


def test_it_is_read_in_two_minutes():
    assert len(README.splitlines()) <= 150

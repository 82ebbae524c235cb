"""The README leads to what is there, and is short enough to be read."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_link_leads_to_a_file():
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_it_is_read_in_two_minutes():
    assert len(README.splitlines()) <= 150

"""Both tutorials lead through the same steps."""

import re

from tools.documentation.repository_links import ROOT

TEXTS = [(ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("tutorial.md", "tutorial.zh.md")]


def requests(text):
    """What each block asks for, without the words of either language."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [re.findall(r'-X \w+|http://\S+|"\w+":', block) for block in blocks]


def test_they_have_the_same_steps():
    english, chinese = (re.findall(r"^## (\d*)", text, re.MULTILINE) for text in TEXTS)
    assert english == chinese


def test_they_ask_for_the_same():
    english, chinese = map(requests, TEXTS)
    assert english == chinese


def test_they_lead_to_each_other():
    assert "](tutorial.zh.md)" in TEXTS[0]
    assert "](tutorial.md)" in TEXTS[1]

"""The rule with which scanners find leaked keys."""

import re
import tomllib
from pathlib import Path

from apikeys import tokens

RULES = Path(__file__).parents[2] / "apikeys" / "leaked_keys.toml"
TOKEN = tokens.make()


def test_the_rule_for_scanners_knows_keys_by_their_form():
    (rule,) = tomllib.loads(RULES.read_text(encoding="utf-8"))["rules"]
    pattern = re.compile(rule["regex"])
    for text in (TOKEN, f'"{TOKEN}"', f"apiKey={TOKEN}&x"):
        assert pattern.search(text)[rule["secretGroup"]] == TOKEN
        assert any(word in text.lower() for word in rule["keywords"])
    assert not any(pattern.search(text) for text in (TOKEN[:-1], TOKEN[1:], f"x{TOKEN}", TOKEN.replace("_", "-")))

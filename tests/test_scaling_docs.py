"""What docs/scaling.md says of tables, compared with the tables."""

import re
from pathlib import Path

from django.apps import apps

TEXT = (Path(__file__).resolve().parent.parent / "docs" / "scaling.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (`[a-z]+_.*?) \| (.*?) \|$", TEXT, re.MULTILINE)
MODELS = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
OF_SITES = {"contents", "media_library", "channels_app", "pages", "forms", "events", "search"}


def test_every_table_of_a_site_is_told_with_its_column():
    told = {name: obstacles for names, obstacles in ROWS for name in re.findall("`([a-z_]+)`", names)}
    tables = {name for name, model in MODELS.items() if model._meta.app_label in OF_SITES and model._meta.managed}
    assert set(told) == tables
    for name, obstacles in told.items():
        columns = {field.column for field in MODELS[name]._meta.fields}
        assert (not obstacles.startswith("need a column")) == ("site_id" in columns), name


def test_every_unique_rule_without_a_site_is_told():
    rules = [
        f"`({', '.join(rule.fields)})`"
        for names, _ in ROWS
        for name in re.findall("`([a-z_]+)`", names)
        for rule in MODELS[name]._meta.constraints
        if getattr(rule, "fields", ()) and "site" not in rule.fields
    ]
    assert rules
    assert [fields for fields in rules if fields not in TEXT] == []

"""docs/audit.md tells every action of the code, and every action of the code is noted somewhere."""

import re
from pathlib import Path

from core.audit.actions import actions
from core.audit.models import AuditEntry
from tools.packages import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
CODE = "\n".join(
    path.read_text(encoding="utf-8")
    for app in PACKAGES
    for path in (ROOT / app).rglob("*.py")
    if path.name != "registrations.py"
)


def first_column(heading):
    section = TEXT.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return [
        name for cell in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for name in re.findall("`(.*?)`", cell)
    ]


def test_the_actions_are_those_of_the_code():
    assert first_column("Actions") == list(actions())


def test_the_columns_are_those_of_the_table():
    columns = [field.attname for field in AuditEntry._meta.concrete_fields if field.name != "id"]
    assert first_column("What an entry holds") == columns


def is_noted(action):
    group, _, rest = action.partition(".")
    own = "_meta.model_name}" if group in {"administrator", "user"} else group
    return f'"{action}"' in CODE or f'{own}.{rest}"' in CODE


def test_an_action_is_noted_somewhere():
    assert [action for action in actions() if not is_noted(action)] == []

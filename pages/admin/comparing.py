from contents.admin.history.texts import TextBudget, TextComparison, compare_texts, plain_lines
from core.lib.differences import Budget

_ROOM = 200_000  # bytes of the page for differences


def compare_templates(before: str, after: str) -> TextComparison:
    return compare_texts(before, after, plain_lines, Budget(), TextBudget(_ROOM))

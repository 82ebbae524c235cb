"""The first fence: the size of a statement and its characters."""

import unicodedata

from cms_api.lib.sql_sandbox.limits import STATEMENT_CHARACTERS
from cms_api.lib.sql_sandbox.refusals import NotAllowed, TooLarge

# Control, format, surrogate, private and unassigned characters.
CLOSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
OPEN_CONTROLS = frozenset("\t\n\r")


def check_text(text: str) -> None:
    """Raises TooLarge for a long text, NotAllowed for characters that nobody types."""
    if len(text) > STATEMENT_CHARACTERS:
        raise TooLarge(f"The statement is longer than {STATEMENT_CHARACTERS} characters.")
    check_characters(text)


def check_characters(text: str) -> None:
    """Raises NotAllowed if a character is a control, format, private, surrogate or unassigned one."""
    for one in text:
        if not one.isprintable() and one not in OPEN_CONTROLS and unicodedata.category(one) in CLOSED_CATEGORIES:
            raise NotAllowed(f"The character U+{ord(one):04X} is not possible in a statement.")

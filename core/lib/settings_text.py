"""Settings as text: a JSON object, or `name=value` pairs joined by `&` with special characters as `_words_`."""

import json
import re

ESCAPES = {
    "_equals_": "=",
    "_and_": "&",
    "_question_": "?",
    "_quote_": "'",
    "_add_": "+",
    "_return_": "\r",
    "_newline_": "\n",
}
ANY_ESCAPE = re.compile("|".join(ESCAPES))
# NUL characters and halves of surrogate pairs, which JSON can spell.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def parse_settings_text(text: str) -> dict[str, str]:
    """Return the entries. Names of pairs become lower case, JSON values texts. Raises ValueError."""
    entries = read_entries(text)
    if UNSTORABLE.search("".join((*entries, *entries.values()))):
        raise ValueError("The settings contain a NUL character or an unpaired surrogate.")
    return entries


def read_entries(text: str) -> dict[str, str]:
    """Return the entries as `parse_settings_text` does, also with characters that no database stores."""
    text = text.strip()
    if text.startswith("{") and text.endswith("}"):
        try:
            return {name: _as_text(value) for name, value in json.loads(text).items()}
        except (ValueError, RecursionError) as error:
            raise ValueError(f"The settings are not a readable JSON object ({error}).") from error
    pairs = (pair.split("=") for pair in parts_of(text))
    # Text after a second "=" is ignored; a part without "=" is no pair.
    return {_unescape(pair[0]).lower(): _unescape(pair[1]) for pair in pairs if len(pair) > 1 and pair[0]}


def parts_of(text: str) -> list[str]:
    """Return the parts between the `&` of a text of pairs."""
    return text.replace("/u0026", "&").split("&")


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return str(value) if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)


def _unescape(text: str) -> str:
    return ANY_ESCAPE.sub(lambda match: ESCAPES[match[0]], text)

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
    text = text.strip()
    if text.startswith("{") and text.endswith("}"):
        try:
            entries = {name: _as_text(value) for name, value in json.loads(text).items()}
        except (ValueError, RecursionError) as error:
            raise ValueError(f"The settings are not a readable JSON object ({error}).") from error
    else:
        pairs = (pair.split("=") for pair in text.replace("/u0026", "&").split("&"))
        # Text after a second "=" is ignored; a part without "=" is no pair.
        entries = {_unescape(pair[0]).lower(): _unescape(pair[1]) for pair in pairs if len(pair) > 1 and pair[0]}
    if UNSTORABLE.search("".join((*entries, *entries.values()))):
        raise ValueError("The settings contain a NUL character or an unpaired surrogate.")
    return entries


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return str(value) if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)


def _unescape(text: str) -> str:
    return ANY_ESCAPE.sub(lambda match: ESCAPES[match[0]], text)

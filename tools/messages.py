"""The texts of the admin and their translations: `python -m tools.messages` updates the catalogue of each language.

It drops obsolete texts and adds new ones without a translation, which the tests refuse. `--add LOCALE` begins a
language, such as `de` or `pt_BR`.
"""

import argparse
import io
import os
import re
from datetime import datetime
from pathlib import Path

import django
from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from tools.packages import PACKAGES

ROOT = Path(__file__).resolve().parent.parent
LOCALES = ROOT / "cms_api" / "locale"
KEYWORDS = DEFAULT_KEYWORDS | {
    "gettext_lazy": None,
    "gettext_noop": None,
    "_now": None,  # gettext, beside gettext_lazy as _
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
_TOLD = (
    "0 of %(cnt)s selected",
    "The {name} “{obj}” was added successfully.",
    "The {name} “{obj}” was changed successfully.",
)
# Texts of Django's that read better our way.
DJANGO = (
    "Action:",
    "Add %s",
    "Change %s",
    "Filter",
    "Save and add another",
    "Select %s to change",
    "Select %s to view",
    "View %s",
    "group",
    "groups",
    *_TOLD,
)
_EMPTY_HEADERS = re.compile(rb'^"(?:Project-Id|Report-Msgid|Last-Tr|Language-Team|Generated-By).*\n', re.MULTILINE)
_STAMP = datetime(2026, 1, 1)  # one that stays, so that the file changes with its texts only


def said() -> Catalog:
    """Every text that our Python files and templates hand to gettext."""
    catalog = _empty()
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*")):
            if path.suffix == ".py" or (path.suffix in {".html", ".txt"} and "templates" in path.parts):
                for _line, text, _comments, context in _texts(path):
                    catalog.add(text, locations=[(path.relative_to(ROOT).as_posix(), None)], context=context)
    for text in DJANGO:
        catalog.add(text, locations=[("tools/messages.py", None)])
    for text, context in _declared():
        catalog.add(text, locations=[("sites/attributes.py", None)], context=context)
    return catalog


def _declared():
    """Texts about the members of a site's settings, which are declared as data."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cms_api.settings")
    django.setup()
    from channels_app.attributes import REGISTRY as CHANNEL_REGISTRY
    from sites.attributes import GROUPS, REGISTRY

    yield from ((group, None) for group in GROUPS)
    for attribute in REGISTRY:
        form = attribute.form.words if attribute.form else ""
        yield from ((text, None) for text in (attribute.label, attribute.help_text, form) if text)
        # Encodings, which are no words, are the same in every language.
        yield from ((name, "setting") for _value, name in attribute.choices if name.replace(" ", "").isalpha())
    # The form of channels has words of its own for their choices.
    yield from ((text, None) for attribute in CHANNEL_REGISTRY for text in (attribute.label, attribute.help_text))


def _texts(path):
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        # The rest of a template between its texts is padding, whose indentation is irrelevant.
        padded = templatize(source, origin=str(path))
        source = "\n".join(line.strip() for line in padded.splitlines())
    return list(extract("python", io.BytesIO(source.encode()), keywords=KEYWORDS))


def _empty(locale: str | None = None) -> Catalog:
    return Catalog(
        locale=locale,
        header_comment="# Texts of the admin; `make messages` keeps them up to date.",
        creation_date=_STAMP,
        revision_date=_STAMP,
        fuzzy=False,
    )


def locales() -> list[str]:
    """The locales into which the admin is translated: `["de", "zh_Hans"]`."""
    return sorted(folder.name for folder in LOCALES.iterdir())


def source(locale: str) -> Path:
    return LOCALES / locale / "LC_MESSAGES" / "django.po"


def translated(locale: str) -> Catalog:
    """The catalogue as it stands; empty if there is none."""
    if not source(locale).exists():
        return _empty(locale)
    with source(locale).open("rb") as file:
        return read_po(file, locale=locale)


def compiled(catalog: Catalog) -> bytes:
    """The compiled catalogue, which Django reads at run time."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def brought_up_to_date(locale: str, texts: Catalog) -> Catalog:
    """Every one of the texts, with the translation that it has so far."""
    catalog, known = _empty(locale), translated(locale)
    for message in texts:
        if message.id:
            old = known.get(message.id, message.context)
            is_alike = old is not None and isinstance(old.string, tuple) == isinstance(message.id, tuple)
            found = {"string": old.string, "flags": old.flags} if is_alike else {}
            catalog.add(message.id, locations=message.locations, context=message.context, **found)
    return catalog


def as_text(catalog: Catalog) -> bytes:
    """The source, sorted by text."""
    file = io.BytesIO()
    write_po(file, catalog, width=110, sort_output=True, include_lineno=False)
    return _EMPTY_HEADERS.sub(b"", file.getvalue())


def strings(message) -> tuple[str, ...]:
    """The translation, or one for each number."""
    return message.string if isinstance(message.string, tuple) else (message.string,)


def main() -> None:
    """Write the source and the compiled catalogue of each language, and report untranslated texts."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--add", metavar="LOCALE", help="begin a language, such as de or pt_BR")
    begun = parser.parse_args().add
    texts = said()
    for locale in sorted({*locales(), *([begun] if begun else [])}):
        catalog = brought_up_to_date(locale, texts)
        source(locale).parent.mkdir(parents=True, exist_ok=True)
        source(locale).write_bytes(as_text(catalog))
        source(locale).with_suffix(".mo").write_bytes(compiled(translated(locale)))
        for message in catalog:
            if message.id and not all(strings(message)):
                print(f"{locale}: {message.id}")


if __name__ == "__main__":
    main()

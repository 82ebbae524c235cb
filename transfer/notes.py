"""Missing and forbidden files of a package, for reports and commands."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext_noop

from pages.engine.template import MAX_CHARACTERS
from transfer.form_files import FormFiles
from transfer.package import template_key
from transfer.site_files import SiteFiles
from transfer.site_template import SiteTemplate
from transfer.template_forms import shown_forms

MAX_NAMED = 20
NO_TEMPLATES = gettext_noop("The package has no page templates, so the site will have no pages.")
MISSING_TEMPLATES = gettext_noop("Templates that channels name but the package lacks; the default template applies")

MISSING_FORMS = gettext_noop(
    "Templates show forms that the package lacks; import them from zip files, or let manage.py make_forms make them"
)
TOO_LONG = gettext_noop("Templates that are too long; their pages end early")


def notes_of(package: SiteTemplate, files: SiteFiles) -> dict[str, Any]:
    missing, forms = missing_templates(package), missing_forms(package)
    too_long = [
        f"{each.fields['kind']} {each.fields['name']}"
        for each in package.site.templates
        if len(each.fields["text"]) > MAX_CHARACTERS
    ]
    return {
        "templates": len(package.site.templates),
        "missing_templates": len(missing),
        "missing_templates_named": first_of(missing),
        "too_long": len(too_long),
        "too_long_named": first_of(too_long),
        "forms": len(package.site.forms),
        "form_fields": sum(len(form.inputs) for form in package.site.forms),
        "entries": package.forms.count_entries(),
        "form_notes": [*form_notes(package.forms), *([[MISSING_FORMS, len(forms), first_of(forms)]] if forms else [])],
        "left_out": sum(map(len, files.left_out.values())),
        "left_out_named": [[reason, len(paths), first_of(paths)] for reason, paths in files.left_out.items()],
    }


def form_notes(forms: FormFiles) -> list[list[Any]]:
    return [[told, len(places), first_of(list(places))] for told, places in forms.notes.items()]


def missing_forms(package: SiteTemplate) -> list[str]:
    known = {form.fields["name"].casefold() for form in package.site.forms}
    texts = [template.fields["text"] for template in package.site.templates]
    shown = {name.casefold(): name for text in texts for name, _markup in shown_forms(text)}
    return [name for folded, name in shown.items() if folded not in known]


def missing_templates(package: SiteTemplate) -> list[str]:
    """Return the names of channels whose template is not in the package, each with the template."""
    known = {template_key(each.fields["kind"], each.fields["name"]) for each in package.site.templates}
    return [
        f"{channel.fields.get('channel_name', '')}: {kind} {name}"
        for channel in package.channels()
        for kind, name in channel.templates.values()
        if template_key(kind, name) not in known
    ]


def lines_of(notes: dict[str, Any]) -> Iterator[str]:
    if not notes["templates"]:
        yield NO_TEMPLATES
    if notes["missing_templates"]:
        yield _line(MISSING_TEMPLATES, notes["missing_templates"], notes["missing_templates_named"])
    if notes["too_long"]:
        yield _line(TOO_LONG, notes["too_long"], notes["too_long_named"])
    yield from lines_of_forms(notes["form_notes"])
    for reason, count, names in notes["left_out_named"]:
        yield _line(f"Left out, {reason}", count, names)


def lines_of_forms(notes: list[list[Any]]) -> Iterator[str]:
    for told, count, names in notes:
        yield _line(told, count, names)


def _line(beginning: str, count: int, names: Sequence[str]) -> str:
    return f"{beginning}: {count} ({', '.join(names)}{', …' if count > len(names) else ''})"


def first_of(names: Sequence[str]) -> list[str]:
    return [printable(name) for name in names[:MAX_NAMED]]


def printable(name: str) -> str:
    """Return the name with escapes for characters that a terminal or a database may not accept."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in name)

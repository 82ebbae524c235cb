"""Errors of a site's templates that can be told without rendering a page."""

from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice
from typing import NamedTuple

from contents.models import CustomField
from contents.wire.columns import BY_FOLDED_WIRE
from pages.engine.elements.parts import include_path
from pages.engine.html import ATTRIBUTES
from pages.engine.nodes import Element, Entity, Problem, nested
from pages.engine.parsing import MAX_PROBLEMS, attribute_names, parse, place_of
from pages.engine.template import Template as Compiled
from pages.engine.template import compile_include
from pages.engine.vocabulary import ELEMENTS
from pages.engine.words import ElementWords, folded
from pages.models import Template, TemplateKind
from pages.uses import include_elements
from sites.models import FieldDefinition, FieldOwner

_WORDS = {name.lower(): words for name, words in ELEMENTS.items()}
_MAX_MISSPELT = 40  # characters of a name for which a similar one is sought


class Names(NamedTuple):
    """Names, in lower case, of a site's includes and of the fields of its contents."""

    includes: frozenset[str]
    fields: frozenset[str]


def names_in(site_id: int) -> Names:
    includes = Template.objects.filter(site_id=site_id, kind=TemplateKind.INCLUDE).values_list("name", flat=True)
    defined = FieldDefinition.objects.filter(site_id=site_id, owner=FieldOwner.CONTENT)
    stored = CustomField.objects.filter(site_id=site_id)
    fields = (each.values_list("folded_name", flat=True) for each in (defined, stored))
    return Names(frozenset(map(str.casefold, includes)), frozenset(BY_FOLDED_WIRE).union(*fields))


def check_templates(site_id: int) -> Iterator[tuple[Template, Problem]]:
    """Yield each error with its template, by kind and name."""
    names = names_in(site_id)
    for template in Template.objects.filter(site_id=site_id).order_by("kind", "name"):
        for problem in check_text(template.kind, template.text, names):
            yield template, problem


def check_text(kind: str, text: str, names: Names) -> list[Problem]:
    """Return the errors of a text by place."""
    found = compile_include(text, "")[1] if kind == TemplateKind.INCLUDE else Compiled(text).problems
    unknown = islice(_unknown_attributes(text, names.fields), MAX_PROBLEMS)
    return sorted([*found, *_missing(text, names), *unknown], key=lambda problem: (problem.line, problem.column))


def _missing(text: str, names: Names) -> Iterator[Problem]:
    for element in include_elements(text):
        path = include_path(dict(element.attributes).get("file", ""))
        if "{" not in path and path.casefold() not in names.includes:
            yield Problem(f"The include {path or '(no file)'} is missing.", *place_of(text, element.offset))


def _unknown_attributes(text: str, fields: frozenset[str]) -> Iterator[Problem]:
    for node in nested(parse(text)[0]):
        words = _WORDS.get(node.name.lower())
        # The other attributes of an include are its parameters.
        if words is None or words.name == "include" or (isinstance(node, Entity) and node.attributes is None):
            continue
        for written, offset in attribute_names(node.start if isinstance(node, Element) else node.raw):
            if not _is_known(written.lower(), words, fields):
                yield Problem(_tell(words, written), *place_of(text, node.offset + offset))


def _is_known(name: str, words: ElementWords, fields: frozenset[str]) -> bool:
    """Return true also for a name that HTML or a library of scripts may read, if the element passes it on."""
    if words.passes_on and (name in ATTRIBUTES or name.startswith("on") or not name.isalnum()):
        return True
    return name in folded(words) or (words.filters and name in fields)


def _tell(words: ElementWords, written: str) -> str:
    known = {name.lower(): name for name in (*words.attributes, *(ATTRIBUTES if words.passes_on else ()))}
    near = get_close_matches(written.lower(), known, n=1) if len(written) <= _MAX_MISSPELT else []
    told = f"<stl:{words.name}> has no attribute {written}."
    return f"{told} Did you mean {known[near[0]]}?" if near else told

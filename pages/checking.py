"""Errors of a site's templates that can be detected without rendering a page."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from django.conf import settings
from django.core.files.storage import default_storage
from django.utils.module_loading import import_string

from contents.models import CustomField
from contents.wire.columns import BY_FOLDED_WIRE
from core.lib.media_storage import SITE_FILES
from core.stl.attributes import Attributes
from core.uploads.media import spelling_of
from pages.engine.compiling import children, statement_with
from pages.engine.elements.entries import LISTS
from pages.engine.elements.forms import NAMES as FORM_NAMES
from pages.engine.elements.forms import name_of, shows_list
from pages.engine.elements.lists import OF_ROWS
from pages.engine.elements.parts import include_path
from pages.engine.html import ATTRIBUTES
from pages.engine.nodes import Element, Entity, Problem, nested
from pages.engine.parsing import MAX_PROBLEMS, attribute_names, parse, place_of
from pages.engine.source import FormRecord
from pages.engine.template import Template as Compiled
from pages.engine.template import compile_include
from pages.engine.vocabulary import ELEMENTS
from pages.engine.words import ElementWords, folded
from pages.models import Template, TemplateKind
from pages.resolver import Addresses, read_addresses
from pages.template_usage import always_included, include_elements, way_back
from pages.views import find_spelling
from sites.models import FieldDefinition, FieldOwner, Site
from sites.page_rules import squeeze

_WORDS = {name.lower(): words for name, words in ELEMENTS.items()}
_MAX_MISSPELT = 40  # maximum length of a name in the search for similar ones
# Values that a statement is tried with: it is right if any of them fits where it has texts.
_VALUES = ("1", "2000-01-01", "")
_COOKIES = re.compile(r"\bdocument\.cookie\b|\b(?:local|session)Storage\b|\$\.cookie\b")
_MAX_SCRIPT = 1_000_000  # bytes of a script that are looked through
COOKIES_TOLD = (
    "{} uses cookies or storage; give the site a host of its own (CMS_SITE_HOSTS), since pages have none here."
)


class Names(NamedTuple):
    """A site's includes, and the fields of its contents, by their names in lower case."""

    includes: Mapping[str, str]
    fields: frozenset[str]


def names_in(site_id: int) -> Names:
    includes = Template.objects.filter(site_id=site_id, kind=TemplateKind.INCLUDE).values_list("name", "text")
    defined = FieldDefinition.objects.filter(site_id=site_id, owner=FieldOwner.CONTENT)
    stored = CustomField.objects.filter(site_id=site_id)
    fields = (each.values_list("folded_name", flat=True) for each in (defined, stored))
    return Names({name.casefold(): text for name, text in includes}, frozenset(BY_FOLDED_WIRE).union(*fields))


def check_templates(site_id: int) -> Iterator[tuple[Template, Problem]]:
    """Yield each error with its template, by kind and name."""
    names, addresses = names_in(site_id), read_addresses(site_id)
    for template in Template.objects.filter(site_id=site_id).order_by("kind", "name"):
        found = check_text(template.kind, template.name, template.text, names)
        further = (
            *_wrong_statements(template.text, site_id),
            *_missing_forms(template.text, site_id),
            *_misspelt(template.text, addresses),
        )
        for problem in sorted([*found, *further], key=_by_place):
            yield template, problem


def misspelt_links(site_id: int) -> Iterator[tuple[Template, Problem]]:
    """Yield each link that reaches its file or page only after a redirect, since it has another letter case."""
    addresses = read_addresses(site_id)
    for template in Template.objects.filter(site_id=site_id).order_by("kind", "name"):
        for problem in _misspelt(template.text, addresses):
            yield template, problem


def line_of(template: Template, problem: Problem) -> str:
    place = f"{problem.line}:{problem.column}"
    return f"site {template.site_id}, {template.kind} {template.name}, {place}: {problem.message}"


def check_text(kind: str, name: str, text: str, names: Names) -> list[Problem]:
    """Return the errors of a text by place, without its statements and links."""
    found = compile_include(text, "")[1] if kind == TemplateKind.INCLUDE else Compiled(text).problems
    unknown = islice(_unknown_attributes(text, names.fields), MAX_PROBLEMS)
    circles = _circles(name, text, names) if kind == TemplateKind.INCLUDE else ()
    return sorted([*found, *_missing(text, names), *circles, *unknown], key=_by_place)


def _by_place(problem: Problem) -> tuple[int, int]:
    return problem.line, problem.column


def _missing(text: str, names: Names) -> Iterator[Problem]:
    for element in include_elements(text):
        path = include_path(dict(element.attributes).get("file", ""))
        if "{" not in path and path.casefold() not in names.includes:
            yield Problem(f"The include {path or '(no file)'} is missing.", *place_of(text, element.offset))


def _circles(name: str, text: str, names: Names) -> Iterator[Problem]:
    texts = {**names.includes, name.casefold(): text}
    for path, offset in dict(reversed(always_included(text))).items():  # the first place of each
        if way := way_back(name, path, texts):
            told = f"The include {name} includes itself: {' → '.join([name, *way])}."
            yield Problem(told, *place_of(text, offset))


def _wrong_statements(text: str, site_id: int) -> Iterator[Problem]:
    problem_of = import_string(settings.PAGE_STATEMENT_CHECK)
    for node in nested(parse(text)[0]):
        if not isinstance(node, Element) or node.name not in OF_ROWS:
            continue
        child = children(node, "querystring").get("querystring")
        nodes = child.inner if child else parse(dict(node.attributes).get("querystring", ""))[0]
        problems = []
        for value in _VALUES:
            if not (problem := problem_of(statement_with(nodes, value, "1"), site_id)):
                break
            problems.append(problem)
        else:
            yield Problem(f"The statement cannot run: {problems[0]}", *place_of(text, node.offset))


def _missing_forms(text: str, site_id: int) -> Iterator[Problem]:
    find_form = import_string(settings.PAGE_FORMS)
    for node in nested(parse(text)[0]):
        if not isinstance(node, Element) or node.name not in FORM_NAMES:
            continue
        attributes = Attributes(node.attributes)
        name, shown = name_of(node.name, attributes), _WORDS[node.name].name
        if "{" in name:
            continue
        form: FormRecord | None = find_form(site_id, name)
        is_list = node.name in LISTS or (node.name == "form" and shows_list(attributes))
        if form is None:
            yield Problem(f"<stl:{shown}> shows nothing: the site has no form.", *place_of(text, node.offset))
        elif is_list:
            yield from _wrong_list(text, node, name, form)
        elif name and name.casefold() != form.name.casefold():
            told = f"The site has no form {name}; <stl:{shown}> shows its newest one, {form.name}."
            yield Problem(told, *place_of(text, node.offset))


def _wrong_list(text: str, node: Element, name: str, form: FormRecord) -> Iterator[Problem]:
    listed, words, told = [field.key for field in form.fields if field.is_listed], _WORDS[node.name], ""
    if name and name.casefold() != form.name.casefold():
        told = f"the site has no form {name}."
    elif not form.has_list:
        told = f"the form {form.name} has no public list."
    if told:
        yield Problem(f"<stl:{words.name}> shows nothing: {told}", *place_of(text, node.offset))
    elif node.name in LISTS:
        for written, offset in attribute_names(node.start):
            if written.lower() not in folded(words) | {key.lower() for key in listed}:
                yield Problem(_tell(words, written, listed), *place_of(text, node.offset + offset))


def _misspelt(text: str, addresses: Addresses) -> Iterator[Problem]:
    for path, offset in _links(text, addresses):
        found = find_spelling(addresses, squeeze(path))
        if found is not None and found.rstrip("/") != path.rstrip("/"):
            yield Problem(f"{path} does not exist, but {found} does.", *place_of(text, offset))


def _links(text: str, addresses: Addresses) -> Iterator[tuple[str, int]]:
    """Yield the paths, below the site's web address, that a text contains literally, with the characters before
    each."""
    folder = re.escape(addresses.folder)
    link = rf"""(?<=["'(=,\s])(?:\{{stl\.siteUrl\}}|@|{folder})(/[^\s"'()<>{{}}?#,;]+)"""
    for found in re.finditer(link, text, re.IGNORECASE):
        yield unquote(found[1], errors="replace"), found.start()


def uses_cookies(site: Site) -> str:
    """Return the name of a template or script that uses cookies or storage, which the pages of the site do not have.

    Empty if there is none, and if the site has a host of its own.
    """
    if {str(site.pk), site.site_dir.casefold()} & {name.casefold() for name in settings.CMS_SITE_HOSTS.values()}:
        return ""
    addresses, scripts = read_addresses(site.pk), set[str]()
    for template in site.templates.order_by("kind", "name"):
        if _COOKIES.search(template.text):
            return str(template.name)
        scripts |= {path for path, _ in _links(template.text, addresses) if path.lower().endswith(".js")}
    for path in sorted(scripts):
        if found := spelling_of(f"{site.pk}{squeeze(path)}"):
            with suppress(FileNotFoundError), default_storage.open(f"{SITE_FILES.folder}/{found}") as file:
                if _COOKIES.search(file.read(_MAX_SCRIPT).decode(errors="replace")):
                    return path
    return ""


def _unknown_attributes(text: str, fields: frozenset[str]) -> Iterator[Problem]:
    for node in nested(parse(text)[0]):
        words = _WORDS.get(node.name.lower())
        # The other attributes of an include are its parameters; those of lists of entries depend on the form.
        if words is None or node.name in {"include", *LISTS} or (isinstance(node, Entity) and node.attributes is None):
            continue
        for written, offset in attribute_names(node.start if isinstance(node, Element) else node.raw):
            if not _is_known(written.lower(), words, fields):
                yield Problem(_tell(words, written), *place_of(text, node.offset + offset))


def _is_known(name: str, words: ElementWords, fields: frozenset[str]) -> bool:
    """Return true also for a name that HTML or a library of scripts may read, if the element passes it on."""
    if words.passes_on and (name in ATTRIBUTES or name.startswith("on") or not name.isalnum()):
        return True
    return name in folded(words) or (words.filters and name in fields)


def _tell(words: ElementWords, written: str, further: Iterable[str] = ()) -> str:
    known = {name.lower(): name for name in (*words.attributes, *further, *(ATTRIBUTES if words.passes_on else ()))}
    near = get_close_matches(written.lower(), known, n=1) if len(written) <= _MAX_MISSPELT else []
    told = f"<stl:{words.name}> has no attribute {written}."
    return f"{told} Did you mean {known[near[0]]}?" if near else told

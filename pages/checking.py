"""Errors of a site's templates that can be told without rendering a page."""

from collections.abc import Collection, Iterator

from pages.engine.elements.parts import include_path
from pages.engine.nodes import Problem
from pages.engine.parsing import parse, place_of
from pages.engine.template import Template as Compiled
from pages.engine.template import compile_include
from pages.models import Template, TemplateKind
from pages.uses import include_elements


def check_templates(site_id: int) -> Iterator[tuple[Template, Problem]]:
    """Yield each error with its template, by kind and name."""
    templates = list(Template.objects.filter(site_id=site_id).order_by("kind", "name"))
    includes = {template.name.casefold() for template in templates if template.kind == TemplateKind.INCLUDE}
    for template in templates:
        for problem in check_text(template.kind, template.text, includes):
            yield template, problem


def check_text(kind: str, text: str, includes: Collection[str]) -> list[Problem]:
    """Return the errors of a text by place; `includes` has the names of the site's includes in lower case."""
    found = compile_include(text, "")[1] if kind == TemplateKind.INCLUDE else Compiled(text).problems
    return sorted([*found, *_missing(text, includes)], key=lambda problem: (problem.line, problem.column))


def _missing(text: str, includes: Collection[str]) -> Iterator[Problem]:
    for element in include_elements(parse(text)[0]):
        path = include_path(dict(element.attributes).get("file", ""))
        if "{" not in path and path.casefold() not in includes:
            yield Problem(f"The include {path or '(no file)'} is missing.", *place_of(text, element.offset))

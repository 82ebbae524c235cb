"""Errors of a site's templates that can be told without rendering a page."""

from collections.abc import Iterator

from pages.engine.elements.parts import include_path
from pages.engine.nodes import Element, Nodes, Problem
from pages.engine.parsing import parse, place_of
from pages.engine.template import Template as Compiled
from pages.engine.template import compile_include
from pages.models import Template, TemplateKind


def check_templates(site_id: int) -> Iterator[tuple[Template, Problem]]:
    """Yield each error with its template, by kind and name."""
    templates = list(Template.objects.filter(site_id=site_id).order_by("kind", "name"))
    includes = {template.name.casefold() for template in templates if template.kind == TemplateKind.INCLUDE}
    for template in templates:
        if template.kind == TemplateKind.INCLUDE:
            problems = compile_include(template.text, template.name)[1]
        else:
            problems = Compiled(template.text).problems
        problems = [*problems, *_missing(template.text, includes)]
        for problem in sorted(problems, key=lambda problem: (problem.line, problem.column)):
            yield template, problem


def _missing(text: str, includes: set[str]) -> Iterator[Problem]:
    for element in _includes(parse(text)[0]):
        path = include_path(dict(element.attributes).get("file", ""))
        if "{" not in path and path.casefold() not in includes:
            yield Problem(f"The include {path or '(no file)'} is missing.", *place_of(text, element.offset))


def _includes(nodes: Nodes) -> Iterator[Element]:
    for node in nodes:
        if isinstance(node, Element):
            if node.name == "include":
                yield node
            yield from _includes(node.inner)

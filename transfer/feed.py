"""Streams an Atom file of a site template: first the head, then the entries."""

from collections.abc import Iterator
from functools import lru_cache
from xml.etree.ElementTree import Element, ParseError  # for their types; defusedxml reads # nosec B405

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from transfer.archive import LimitedStream
from transfer.package import PackageError, filled

Elements = dict[str, str]

# Relevant elements are `dc:SiteServer_<Name>`.
PREFIX = "siteserver_"
# Real records have about fifty elements without nesting.
MAX_ELEMENTS = 10_000
MAX_DEPTH = 16


class Feed:
    """An Atom file: `head` has the feed's named elements, `entries()` the elements of each entry."""

    def __init__(self, stream: LimitedStream, file: str) -> None:
        self._stream, self._file = stream, file
        self._events = self._checked_events()
        _kind, self._root = next(self._events)
        next((child for kind, child in self._events if kind == "start" and is_entry(child)), None)
        self._stream.start_record()
        self.head = named_elements(self._root)

    def entries(self) -> Iterator[Elements]:
        """Yield the named elements of each entry and free its memory."""
        for kind, child in self._events:
            if kind == "end":
                if is_entry(child):
                    yield named_elements(child)
                elif name := short_name(child.tag):
                    raise self._error(filled(_("The element %(name)s must come before the entries."), name=name))
                self._root.clear()
                self._stream.start_record()

    def _checked_events(self) -> Iterator[tuple[str, Element]]:
        depth = count = 0
        for kind, element in self._parsed_events():
            if kind == "start":
                depth += 1
                count = 1 if depth == 2 and is_entry(element) else count + 1
                if depth > MAX_DEPTH or count > MAX_ELEMENTS:
                    raise self._error(_("A record has too many elements or is nested too deeply."))
            if depth == 2 or (depth == 1 and kind == "start"):
                yield kind, element
            if kind == "end":
                depth -= 1

    def _parsed_events(self) -> Iterator[tuple[str, Element]]:
        try:
            yield from iterparse(self._stream, ("start", "end"), forbid_dtd=True)
        except PackageError:
            raise
        except DefusedXmlException as error:
            raise self._error(_("Document types and entities are not allowed in a package.")) from error
        # The parser raises the latter two for unknown encodings.
        except (ParseError, LookupError, ValueError) as error:
            raise self._error(filled(_("This is not complete, well-formed XML (%(error)s)."), error=error)) from error

    def _error(self, reason: str | Promise) -> PackageError:
        return PackageError(reason, file=self._file)


def is_entry(element: Element) -> bool:
    """Match in any Atom namespace."""
    return element.tag.rpartition("}")[2] == "entry"


def named_elements(parent: Element) -> Elements:
    """The texts of the named children; of duplicates the first non-empty one."""
    elements: Elements = {}
    for child in parent:
        name = short_name(child.tag)
        if name and child.text:
            elements.setdefault(name, child.text)
    return elements


@lru_cache(maxsize=1024)
def short_name(tag: str) -> str:
    """`Title` for `{namespace}SiteServer_Title`; "" for other tags."""
    local = tag.rpartition("}")[2]
    return local[len(PREFIX) :] if local.lower().startswith(PREFIX) else ""

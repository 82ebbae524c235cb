"""Reading one Atom file of a site template as a stream: first what it is about, then its entries."""

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

# Elements of interest are `dc:SiteServer_<Name>`.
PREFIX = "siteserver_"
# A real record has some fifty elements, none of them inside another.
MAX_ELEMENTS = 10_000
MAX_DEPTH = 16


class Feed:
    """One Atom file: `head` are the named elements of the feed itself, `entries()` those of each entry."""

    def __init__(self, stream: LimitedStream, file: str) -> None:
        self._stream, self._file = stream, file
        self._events = self._checked_events()
        _, self._root = next(self._events)
        self.head = self._read_head()

    def entries(self) -> Iterator[Elements]:
        """Yield the named elements of each entry, which is forgotten once it was yielded."""
        for kind, child in self._events:
            if kind == "end":
                yield from self._finished(child)
                self._root.clear()
                self._stream.start_record()

    def _finished(self, child: Element) -> Iterator[Elements]:
        if is_entry(child):
            yield named_elements(child)
        elif short_name(child.tag):
            raise self._error(
                filled(_("The element %(name)s must stand before the entries."), name=short_name(child.tag))
            )

    def _read_head(self) -> Elements:
        next((child for kind, child in self._events if kind == "start" and is_entry(child)), None)
        self._stream.start_record()
        return named_elements(self._root)

    def _checked_events(self) -> Iterator[tuple[str, Element]]:
        """Yield the start of the feed, then the start and the end of each of its children."""
        depth = count = 0
        for kind, element in self._parsed_events():
            if kind == "start":
                depth += 1
                count = 1 if depth == 2 and is_entry(element) else count + 1
                self._check_record(depth, count)
            if depth == 2 or (depth == 1 and kind == "start"):
                yield kind, element
            if kind == "end":
                depth -= 1

    def _check_record(self, depth: int, count: int) -> None:
        if depth > MAX_DEPTH or count > MAX_ELEMENTS:
            raise self._error(_("A record has more elements, or deeper ones, than any real record."))

    def _parsed_events(self) -> Iterator[tuple[str, Element]]:
        try:
            yield from iterparse(self._stream, ("start", "end"), forbid_dtd=True)
        except PackageError:
            raise
        except DefusedXmlException as error:
            raise self._error(_("Document types and entities are not allowed in a package.")) from error
        # Besides its own error the parser raises these for encodings that it does not know.
        except (ParseError, LookupError, ValueError) as error:
            raise self._error(filled(_("This is not complete, well-formed XML (%(error)s)."), error=error)) from error

    def _error(self, reason: str | Promise) -> PackageError:
        return PackageError(reason, file=self._file)


def is_entry(element: Element) -> bool:
    """Return whether the element is an entry of a feed, in whatever Atom namespace."""
    return element.tag.rpartition("}")[2] == "entry"


def named_elements(parent: Element) -> Elements:
    """Return the texts of the parent's named elements; of several of one name the first that is not empty."""
    elements: Elements = {}
    for child in parent:
        name = short_name(child.tag)
        if name and child.text:
            elements.setdefault(name, child.text)
    return elements


@lru_cache(maxsize=1024)
def short_name(tag: str) -> str:
    """Return `Title` for `{namespace}SiteServer_Title`, and "" for a tag of another kind."""
    local = tag.rpartition("}")[2]
    return local[len(PREFIX) :] if local.lower().startswith(PREFIX) else ""

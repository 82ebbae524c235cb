"""Which page a path is: the inverse of `navigationUrl`."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote, urljoin, urlsplit

from channels_app.links import NO_LINK
from channels_app.tree import Record, Tree, read_tree, tree_of
from core.lib.statement_limit import TooSlow
from pages.content_resolver import find_content
from pages.engine.scope import numbered
from pages.models import Template, TemplateKind
from pages.site_facts import facts_of
from pages.site_lookup import Place
from sites.addresses import split_host

INDEX = "/index.html"
_NOT_FOUND = "/404.html"
_HTML = (".html", ".htm", ".shtml")
_ASKING = re.compile(r"<stl:search\b|\{request\.", re.IGNORECASE)
# `news_2.html` is the second page of `news.html`.
NUMBERED = re.compile(r"(.+)_([2-9]|[1-9][0-9]{1,5})(\.[^./]+)", re.DOTALL)


@dataclass(frozen=True)
class Page:
    path: str  # of its first number
    template: Template
    channel: Record
    content_id: int = 0
    number: int = 1
    content: Record | None = None  # if it has been read


@dataclass(frozen=True)
class Redirect:
    address: str


Found = Page | Redirect | None


class Addresses:
    """The pages of a site by their paths, which begin after the host; each look-up reads the current contents."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self._facts = tree, facts_of(tree)
        self._host, self.folder = split_host(tree.site.web_url.rstrip("/"))
        index = self._facts.find(TemplateKind.INDEX)
        self._indexes = {INDEX, f"/{index.page_path.lstrip('/')}" if index and index.page_path else INDEX}

    def find(self, path: str) -> Found:
        """Return the page, the target of its redirect, or None if there is no page.

        A path that names a page wins over the same path as a further page of a list: `news_2.html`.
        """
        if (found := self._find_named(path)) is not None:
            return found
        if path.endswith("/"):
            return self._find_named(f"{path}index.html")
        if match := NUMBERED.fullmatch(path):
            found = self._find_named(match[1] + match[3])
            return replace(found, number=int(match[2])) if isinstance(found, Page) else found
        is_folder = "." not in path.rpartition("/")[2] and self._find_named(f"{path}{INDEX}") is not None
        return Redirect(quote(f"{path}/")) if is_folder else None

    def spelling_of(self, inside: str) -> str | None:
        """Return the path, below the site's web address, of the page that has it in another letter case."""
        if inside.endswith("/"):
            found = self._spelling_of_named(f"{inside}index.html")
            return found and found.removesuffix("index.html")
        if found := self._spelling_of_named(inside):
            return found
        if match := NUMBERED.fullmatch(inside):
            found = self._spelling_of_named(match[1] + match[3])
            return found and numbered(found, int(match[2]))
        return None if "." in inside.rpartition("/")[2] else self.spelling_of(f"{inside}/")

    def _spelling_of_named(self, inside: str) -> str | None:
        folded, folder = inside.casefold(), self.folder
        found = next((each for each in (*self._indexes, *self._facts.files) if each.casefold() == folded), None)
        if found is None and (path := self.tree.folded_paths.get(f"{folder.casefold()}{folded}")):
            found = path[len(folder) :]
        if found is None:
            with suppress(TooSlow):
                found = (find_content(self.tree, inside, folds=True) or (None, None))[1]
        return found if found and self._find_named(f"{folder}{found}") else None

    @property
    def has_templates(self) -> bool:
        return bool(self._facts.templates)

    @property
    def former_rules(self) -> list[str]:
        return self._facts.former_rules

    def not_found(self) -> Page | None:
        """Return the page that the site has for unknown addresses."""
        template = self._facts.files.get(_NOT_FOUND)
        return Page(f"{self.folder}{_NOT_FOUND}", template, self.tree.home) if template else None

    def for_search_engines(self) -> list[str]:
        """Return the paths of all pages except contents: the index page, file templates, channels in tree order.

        Without the page for unknown addresses and pages that need a query, such as a search.
        """
        tree, changing = self.tree, self.tree.changing_addresses()
        index = f"{self.folder}{INDEX}"
        found = [index] if self._page(index, TemplateKind.INDEX, 0, tree.home) else []
        found += [f"{self.folder}{inside}" for inside, each in self._facts.files.items() if _is_read(inside, each)]
        for path, pk in tree.by_path.items():
            channel = tree.channels[pk]
            if isinstance(self._channel(path, channel, changing.get(pk) or channel["navigationUrl"]), Page):
                found.append(path)
        return found

    def named(self) -> Iterator[tuple[str, Page | Redirect]]:
        """Yield the path of each page and redirect that is not of a content, by precedence."""
        changing = self.tree.changing_addresses()
        for inside in (*sorted(self._indexes), *self._facts.files):
            if page := self._find_named(f"{self.folder}{inside}"):
                yield f"{self.folder}{inside}", page
        for path, pk in self.tree.by_path.items():
            channel = self.tree.channels[pk]
            if found := self._channel(path, channel, changing.get(pk) or channel["navigationUrl"]):
                yield path, found

    def of_content(self, path: str, record: Record) -> Found:
        channel = self.tree.channels.get(record["channelId"])
        if channel is None:
            return None
        page = self._content_page(path, channel, record["id"])
        return self._or_redirect(page and replace(page, content=record), path, record["navigationUrl"])

    def has_contents_pages(self, channel: Record) -> bool:
        return self._content_page("", channel, 0) is not None

    def _find_named(self, path: str) -> Found:
        inside = path[len(self.folder) :] if path.startswith(f"{self.folder}/") else ""
        if inside in self._indexes:
            return self._page(path, TemplateKind.INDEX, 0, self.tree.home)
        if inside in self._facts.files:
            return Page(path, self._facts.files[inside], self.tree.home)
        if (channel_id := self.tree.by_path.get(path)) is not None:
            channel = self.tree.channels[channel_id]
            address = self.tree.changing_addresses().get(channel_id) or channel["navigationUrl"]
            return self._channel(path, channel, address)
        return self._find_content(path, inside) if inside else None

    def _channel(self, path: str, channel: Record, address: str) -> Found:
        is_off = self.tree.settings(channel).get("isChannelCreatable", True) is False
        page = None if is_off else self._page(path, TemplateKind.CHANNEL, channel["channelTemplateId"], channel)
        return self._or_redirect(page, path, address)

    def _find_content(self, path: str, inside: str) -> Found:
        found = find_content(self.tree, inside)
        return self.of_content(path, found[0]) if found else None

    def _content_page(self, path: str, channel: Record, content_id: int) -> Page | None:
        if self.tree.settings(channel).get("isContentCreatable", True) is False:
            return None
        return self._page(path, TemplateKind.CONTENT, channel["contentTemplateId"], channel, content_id)

    def _page(
        self, path: str, kind: TemplateKind, template_id: int, channel: Record, content_id: int = 0
    ) -> Page | None:
        template = self._facts.find(kind, template_id)
        return Page(path, template, channel, content_id) if template else None

    def _or_redirect(self, page: Page | None, path: str, address: str) -> Found:
        """Return the page if the address is its own path."""
        if address == NO_LINK:
            return None
        address = address.removeprefix(self._host)
        return page if path in (address, local_path(path, address)) else Redirect(address)


def inside_paths(tree: Tree) -> dict[int, str]:
    """Return the paths of channels' own pages below the site's web address, by id."""
    folder = split_host(tree.site.web_url.rstrip("/"))[1]
    return {pk: path[len(folder) :] for path, pk in tree.by_path.items() if path.startswith(f"{folder}/")}


def read_addresses(site_id: int) -> Addresses:
    """Return the addresses of the site. Raises NotFound."""
    return Addresses(read_tree(site_id))


def addresses_of(place: Place) -> Addresses:
    """Return the addresses of the place's site, whose numbers have just been read."""
    return Addresses(tree_of(place.site.pk, place.site.tree_number))


def _is_read(inside: str, template: Template) -> bool:
    return inside.endswith(_HTML) and inside != _NOT_FOUND and not _ASKING.search(template.text)


def local_path(path: str, address: str) -> str | None:
    """Return the path on the same host of the address, relative to `path`; None for other hosts."""
    try:
        parts = urlsplit(urljoin(quote(path), address))
    except ValueError:  # such as an incomplete IPv6 address
        return None
    return None if parts.scheme or parts.netloc else unquote(parts.path)

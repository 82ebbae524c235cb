"""Lists the pages and redirects that an export writes, by their paths below the web address of the site."""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from channels_app.tree import Tree
from pages.content_resolver import count_contents, list_contents
from pages.engine.scope import numbered
from pages.resolver import Addresses, Found, Page, Redirect, local_path
from sites.addresses import split_host

_MAX_STEPS = 8  # redirects from one record to the next


class Target(NamedTuple):
    path: str  # of the first page number
    channel_id: int  # 0 for a stored file
    content_id: int = 0
    number: int = 1
    template_id: int = 0  # 0 for a redirect
    address: str = ""  # to which a redirect leads

    @property
    def file(self) -> str:
        return numbered(self.path, self.number)


class Targets:
    """The targets of a site, by precedence: of several with the same path, the first is served."""

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        self._folder = folder_of(addresses.tree)

    def count(self) -> int:
        """Return about how many there are."""
        return len(self._addresses.tree.by_path) + count_contents(self._addresses.tree.site.pk)

    def __iter__(self) -> Iterator[Target]:
        home = self._addresses.tree.home["id"]
        for path, found in self._addresses.named():
            if path.startswith(f"{self._folder}/"):
                yield from self._target(path[len(self._folder) :], found, home)
        for record, inside in list_contents(self._addresses.tree):
            found_content = self._addresses.of_content(f"{self._folder}{inside}", record)
            yield from self._target(inside, found_content, record["channelId"], record["id"])

    def _target(self, inside: str, found: Found, channel_id: int, content_id: int = 0) -> Iterator[Target]:
        if isinstance(found, Page):
            yield Target(inside, found.channel["id"], content_id, template_id=found.template.pk)
        elif isinstance(found, Redirect) and self._leads(f"{self._folder}{inside}", found.address):
            yield Target(inside, channel_id, content_id, address=found.address)

    def _leads(self, path: str, address: str) -> bool:
        """Return whether the address is a link whose redirects end."""
        try:
            if urlsplit(address).scheme not in {"", "http", "https"}:
                return False
        except ValueError:  # such as an incomplete IPv6 address
            return False
        for _ in range(_MAX_STEPS):
            onward = local_path(path, address)
            if onward is None or not onward.startswith(f"{self._folder}/"):
                return True
            found = self._addresses.find(onward)
            if not isinstance(found, Redirect):
                return True
            path, address = onward, found.address
        return False


def folder_of(tree: Tree) -> str:
    """Return the path of the site on its host, without a slash at the end."""
    return split_host(tree.site.web_url)[1].rstrip("/")

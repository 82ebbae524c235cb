"""Links of pages and style sheets to files of the same site."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import unescape
from urllib.parse import unquote, urljoin, urlsplit

from sites.addresses import split_host

# Scripts and comments are not links, even if they contain some.
_LEFT_OUT = re.compile(r"<!--.*?-->|(<script\b[^>]*>).*?</script\s*>", re.DOTALL | re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""\s(href|src|srcset|poster|background)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE
)
_IN_STYLES = re.compile(r"""(?:url\(\s*|@import\s+(?=["']))(?:"([^"]*)"|'([^']*)'|([^\s"')]+))""", re.IGNORECASE)
_MAX_LINK = 2000  # characters


class Links:
    """Finds the files, as paths below the site's web address, that the texts of one site link to."""

    def __init__(self, web_url: str) -> None:
        self._host, path = split_host(web_url.rstrip("/"))
        self._folder = path.rstrip("/")
        self._resolve = lru_cache(50_000)(self._resolve_one)

    def of_page(self, html: str, path: str) -> set[str]:
        text = _LEFT_OUT.sub(r"\1", html)
        return self._local(path, [*_of_attributes(text), *_of_styles(text)])

    def of_style_sheet(self, text: str, path: str) -> set[str]:
        return self._local(path, _of_styles(text))

    def target_of(self, link: str, path: str) -> str:
        """Return the path of the file to which the page at `path` links; empty if it is none of the site."""
        base = f"{self._folder}{path}".rpartition("/")[0] + "/"
        return self._resolve(base, link) if len(link) <= _MAX_LINK else ""

    def _local(self, path: str, links: Iterable[str]) -> set[str]:
        return {target for link in set(links) if (target := self.target_of(link, path))}

    def _resolve_one(self, base: str, link: str) -> str:
        """Return the path of the file; empty for other hosts, other sites, and texts that are no address of a file."""
        link = unescape(link).strip()
        if not link or link[0] in "#?" or "{" in link:
            return ""
        try:
            address = urljoin(base, link.removeprefix(self._host) if self._host else link)
            parts = urlsplit(address)
        except ValueError:  # such as an incomplete IPv6 address
            return ""
        if parts.scheme or parts.netloc or not parts.path.startswith(f"{self._folder}/"):
            return ""
        path = unquote(parts.path, errors="replace")[len(self._folder) :]
        return f"{path}index.html" if path.endswith("/") else path


def _of_attributes(text: str) -> Iterator[str]:
    for name, *values in _ATTRIBUTE.findall(text):
        value = "".join(values)
        if name.lower() == "srcset":
            yield from (part.split()[0] for part in value.split(",") if part.strip())
        else:
            yield value


def _of_styles(text: str) -> Iterator[str]:
    return ("".join(values) for values in _IN_STYLES.findall(text))

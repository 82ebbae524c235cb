"""A hook of mkdocs: adds documents from outside docs/ to the site, and adapts links to them.

A link such as `../README.md` is right where the repository is read. In the site these files are below `repository/`, so
links between the two are rewritten; a broken link fails the strict build.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "repository"
# Beside docs/, named one by one: in a folder that is deployed from, deploy/ has secrets, too.
DEPLOY = (
    "Dockerfile",
    "cms-manage",
    "cms-manage-container",
    "cms.env.example",
    "compose.yaml",
    "make_secrets.sh",
    "*.conf",
    "*.service",
    "*.timer",
)
PATTERNS = (
    *("*.md", "LICENSE", "benchmarks/*.md", "core/openapi/openapi.json"),
    *(f"{folder}/{name}" for folder in ("client", "client-ts") for name in ("README.md", "LICENSE")),
    *(f"deploy/{name}" for name in DEPLOY),
)
_LINK = re.compile(r"(?<=\]\()(?!\w+:)([^)\s#]+)(?=[)#])")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add documents from outside docs/."""
    for path in beside():
        files.append(File.generated(config, in_site(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: object) -> str:
    """The page with its links between docs/ and the rest as the site has them."""
    here = in_repository(page.file.src_uri)

    def written_anew(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(here), link[1]))
        found = in_site(target)
        return posixpath.relpath(found, posixpath.dirname(page.file.src_uri)) if found in files.src_uris else link[1]

    return _LINK.sub(written_anew, markdown)


def beside() -> list[str]:
    """The files that come in, by their paths in the repository."""
    return sorted(path.relative_to(ROOT).as_posix() for pattern in PATTERNS for path in ROOT.glob(pattern))


def in_site(path: str) -> str:
    """Where the site has a file of the repository."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    # Without an ending a browser would not show it.
    return f"{FOLDER}/{path}" if "." in posixpath.basename(path) else f"{FOLDER}/{path}.txt"


def in_repository(src_uri: str) -> str:
    """The path in the repository of a file of the site."""
    if src_uri.startswith(f"{FOLDER}/"):
        return src_uri.removeprefix(f"{FOLDER}/")
    return f"docs/{src_uri}"

"""A hook of mkdocs: pages in Chinese say so, for screen readers and fonts; the theme knows one language for all."""

from mkdocs.structure.pages import Page


def on_post_page(output: str, page: Page, **_: object) -> str:
    """The page with its own language."""
    is_chinese = page.file.src_uri.endswith(".zh.md")
    return output.replace('<html lang="en"', '<html lang="zh-Hans"', 1) if is_chinese else output

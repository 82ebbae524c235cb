"""docs/tour.md, written from the stops."""

from itertools import groupby

from tools.tour.camera import file_name
from tools.tour.registry import ROOT

TARGET = ROOT / "docs" / "tour.md"
FOLDER = ROOT / "docs" / "tour"
_HEAD = """# A tour

The website of the sample site, and the pages of an editor's and administrator's day. Links lead to the English pages in
dark and the Chinese ones in light colours. `make pictures` takes the pictures again and writes this page.

先看示例网站，再以编辑一天的工作为序，看看内容管理后台的各个页面。链接是英文页面的深色图片和中文页面的浅色图片。
"""
_WORDS = {("en", "light"): "English", ("en", "dark"): "dark", ("zh-hans", "light"): "浅色", ("zh-hans", "dark"): "中文"}
_SHOWN = ("en", "light"), ("zh-hans", "dark")
_LINKED = ("en", "dark"), ("zh-hans", "light")


def document_of(stops):
    """The text of the page with the stops."""
    lines = [_HEAD]
    for heading, found in groupby(stops, key=lambda each: each.part):
        lines += [f"## {heading}\n", *map(_told, found)]
    return "\n".join(lines)


def _told(stop):
    pictures = " | ".join(_picture(stop, *kind) for kind in _SHOWN)
    links = " · ".join(_link(stop, *kind) for kind in _LINKED)
    if stop.on_phone:
        links += "; on a phone · 手机上: " + " · ".join(_link(stop, *kind, on_phone=True) for kind in _SHOWN)
    return f"| {stop.english} | {stop.chinese} |\n|---|---|\n| {pictures} |\n\n{links}\n"


def _picture(stop, language, colours):
    return f"![{_WORDS[language, colours]}](tour/{file_name(stop.name, language, colours)})"


def _link(stop, language, colours, *, on_phone=False):
    return f"[{_WORDS[language, colours]}](tour/{file_name(stop.name, language, colours, on_phone=on_phone)})"

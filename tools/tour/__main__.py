"""Takes the pictures and writes docs/tour.md: `python -m tools.tour [--only NAME …] [--sheet FILE]`."""

import argparse
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

from tools.browser import LANGUAGES, Desk, launch
from tools.servers import Installation
from tools.tour.camera import file_names, take
from tools.tour.day import STOPS
from tools.tour.document import FOLDER, TARGET, document_of
from tools.tour.people import EDITOR, PASSWORD, WRITER, people_the_site, work
from tools.tour.sheet import draw_sheets
from tools.tour.visitor import Visitor

MAX_BYTES = 7_000_000  # of all pictures


def visitors_of(browser, desk, language, world):
    """Who takes part: each has a window and has signed in, but for one."""
    accounts = {"admin": (desk.name, desk.password), "editor": (EDITOR, PASSWORD), "writer": (WRITER, PASSWORD)}
    visitors = {name: Visitor(browser, desk.address, language) for name in ("nobody", *accounts)}
    for name, visitor in visitors.items():
        visitor.world, visitor.visitors = world, visitors
        if name in accounts:
            visitor.sign_in(*accounts[name])
    return visitors


def prepare(browser, installation):
    """The sample site after some days of work; the printed sign-in, its records, and the port."""
    printed = installation.manage("first_start")
    world = people_the_site(installation)
    with installation.serve() as server:
        visitors = visitors_of(browser, Desk(installation, server, printed), "en", world)
        work(visitors["writer"], visitors["editor"], visitors["admin"], world)
        for visitor in visitors.values():
            visitor.close()
    return printed, world, server.port


def walk(browser, installation, prepared, language, stops, folder):
    """Take the pictures in one language; return the problems, by the names of the stops."""
    wrong, (printed, world, port) = {}, prepared
    # At the same port: the page of restarts knows the servers by it.
    with installation.serve(PORT=str(port)) as server:
        visitors = visitors_of(browser, Desk(installation, server, printed), language, world)
        for stop in stops:
            try:
                take(stop, visitors[stop.by], folder)
            except (AssertionError, Error):
                wrong[f"{stop.name} ({language})"] = traceback.format_exc(limit=-3)
                visitors[stop.by].page.screenshot(path=Path(tempfile.gettempdir()) / f"tour-{stop.name}-{language}.png")
        for visitor in visitors.values():
            visitor.close()
    return wrong


def take_all(stops, folder):
    """Take the pictures in both languages, each with the same data."""
    wrong = {}
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        browser = launch(playwright)
        first = Path(data) / "first"
        first.mkdir()
        prepared = prepare(browser, Installation(first, administrator=False))
        for language in LANGUAGES:
            copy = Path(data) / language
            shutil.copytree(first, copy)
            installation = Installation(copy, administrator=False)
            wrong |= walk(browser, installation, prepared, language, stops, folder)
        browser.close()
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="the stops to take; the others stay")
    parser.add_argument("--sheet", type=Path, metavar="FILE", help="draw the pictures on sheets: FILE-01, FILE-02, …")
    given = parser.parse_args()
    unknown = set(given.only) - {each.name for each in STOPS}
    if unknown:
        parser.error(f"no such stops: {', '.join(sorted(unknown))}")
    if not subprocess.run(["fc-list", ":lang=zh"], capture_output=True, check=True).stdout:
        parser.error("Install a Chinese font first, for example the package fonts-noto-cjk.")
    stops = [each for each in STOPS if not given.only or each.name in given.only]
    FOLDER.mkdir(parents=True, exist_ok=True)
    wrong = take_all(stops, FOLDER)
    remove_others()
    TARGET.write_text(document_of(STOPS), encoding="utf-8")
    if given.sheet:
        names = [FOLDER / name for each in stops for name in sorted(file_names(each))]
        draw_sheets([path for path in names if path.is_file()], given.sheet)
    sizes = [path.stat().st_size for path in FOLDER.iterdir()]
    print(f"{len(sizes)} pictures, {sum(sizes):,} bytes")
    for name, what in wrong.items():
        print(f"\n{name}: {what}", file=sys.stderr)
    sys.exit(bool(wrong) or sum(sizes) > MAX_BYTES)


def remove_others():
    """Remove the pictures of stops that are no more."""
    kept = set().union(*map(file_names, STOPS))
    for path in FOLDER.glob("*.webp"):
        if path.name not in kept:
            path.unlink()


if __name__ == "__main__":
    main()

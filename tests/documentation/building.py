"""Builds the documentation."""

import logging

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from tools.documentation.repository_links import ROOT
from tools.shared_folders import made_once


def documentation():
    """Return the folder of the site of this tree, which one process of the run builds."""
    return made_once("documentation", built)


def built(folder, **changes):
    """The folder, with the site in it; AssertionError for dead links and anchors, and pages that no menu has."""
    said = _Warnings()
    logging.getLogger("mkdocs").addHandler(said)
    try:
        build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), **changes))
    except Abort as aborted:
        raise AssertionError("\n".join(said.lines)) from aborted
    finally:
        logging.getLogger("mkdocs").removeHandler(said)
    return folder


class _Warnings(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())

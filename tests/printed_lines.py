"""The lines that documents print for readers to run: found in their files, and run as they are printed.

Where a reader has an address, a key and a package of their own, ours stand; curl says what it was answered.
"""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
RUN = {"sh": "{text}", "python": "python - <<'PYTHON'\n{text}PYTHON\n"}
# What a reader's browser runs, in pages of the reader's own.
OF_BROWSERS = {"js", "html"}
_FENCED = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE
)
_COMMAND = re.compile(r"\bcurl |\bmanage\.py |^ *make ", re.MULTILINE)
_MARK = "@@ block"
# Before the status of an answer that a document says to be refused.
STATUS = "@@ status "
# An error status ends the script, but where a document shows one.
_CURL = """#!/bin/sh
exec {curl} --silent --show-error ${{MAY_BE_REFUSED---fail-with-body}} --write-out "${{WRITTEN-}}\\n" "$@"
"""
_PYTHON = '#!/bin/sh\nexec {python} "$@"\n'
_MANAGE = '#!/bin/sh\nexec {python} {root}/manage.py "$@"\n'


class Block(NamedTuple):
    """Lines between two fences."""

    file: str
    language: str
    text: str

    @property
    def name(self):
        """The file and the first line, by which a table can name it."""
        return self.file, self.text.split("\n", 1)[0].strip()

    @property
    def is_to_be_run(self):
        """Whether a reader would run it, whatever language the fence names."""
        return self.language in {*RUN, *OF_BROWSERS} or bool(_COMMAND.search(self.text))


def documents():
    """The files that have blocks."""
    return ["README.md", *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))]


def blocks_of(file):
    """The blocks of a file, in their order."""
    found = _FENCED.finditer((ROOT / file).read_text(encoding="utf-8"))
    return [Block(file, match["language"], textwrap.dedent(match["text"])) for match in found]


class Reader:
    """Somebody who runs what is printed, in a folder that looks like the project's."""

    def __init__(self, folder, environment):
        self._folder = folder / "project"
        self._folder.mkdir()
        for path in ROOT.iterdir():
            if path.name not in {".git", ".venv", "data"}:
                (self._folder / path.name).symlink_to(path)
        programs = folder / "programs"
        (self._folder / ".venv").mkdir()
        (self._folder / ".venv" / "bin").symlink_to(programs)
        _write_programs(programs)
        self._environment = environment | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}

    def run(self, blocks, replaced, prepared="", refused=()):
        """What each of the blocks has printed; AssertionError for the first line that fails."""
        script = "".join(self._as_script(block, replaced, block.name in refused) for block in blocks)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", f"{prepared}\n{script}"],
            cwd=self._folder, env=self._environment, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        printed = done.stdout.split(f"{_MARK}\n")[1:]
        assert done.returncode == 0, f"{blocks[len(printed) - 1].text}\n{printed[-1:]}\n{done.stderr}"
        return printed

    @staticmethod
    def _as_script(block, replaced, may_be_refused):
        text = block.text
        for printed, ours in replaced.items():
            text = text.replace(printed, ours)
        refused = "unset MAY_BE_REFUSED WRITTEN\n"
        if may_be_refused:
            refused = f"export MAY_BE_REFUSED= WRITTEN='\\n{STATUS}%{{http_code}}'\n"
        return f"echo '{_MARK}'\n{refused}{RUN.get(block.language, RUN['sh']).format(text=text)}\n"


def _write_programs(folder):
    folder.mkdir()
    texts = {"curl": _CURL, "python": _PYTHON, "python3": _PYTHON, "manage.py": _MANAGE}
    for name, text in texts.items():
        program = folder / name
        program.write_text(text.format(curl=shutil.which("curl"), python=sys.executable, root=ROOT))
        program.chmod(0o755)

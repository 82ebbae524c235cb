"""Draws mutants of functions, with mutmut's operators."""

import difflib
import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

AREAS = {
    "contents": "contents",
    "apikeys": "apikeys",
    "accounts": "accounts",
    "rest": "core/rest",
    "sandbox": "sql_sandbox",
}
# Migrations run before every test; code in a separate process cannot be swapped.
_LEFT_OUT = {"migrations", "running"}


class Mutant(NamedTuple):
    """A module with one change; `line` is the first that differs."""

    area: str
    path: str
    line: int
    function: str
    code: str
    difference: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.function}\n{self.difference}"


def draw(areas: list[str], count: int, seed: int) -> list[Mutant]:
    """A random sample over all mutants of the areas, in random order."""
    chosen = [(area, *each) for area in areas for each in _mutations(AREAS[area])]
    return [_mutant(*each) for each in random.Random(seed).sample(chosen, min(count, len(chosen)))]


def _mutations(folder: str) -> Iterator[tuple[str, str, Any, Any]]:
    create_mutations = _mutmut()
    for path in sorted(Path(folder).rglob("*.py")):
        if _LEFT_OUT.isdisjoint(path.parts):
            code = path.read_text(encoding="utf-8")
            module, mutations, *_ = create_mutations(str(path), code)
            for mutation in mutations:
                if hasattr(mutation.contained_by_top_level_function, "params"):  # neither a class nor a module
                    yield str(path), code, module, mutation


def _mutmut() -> Any:
    """Load mutmut, which refuses to without a project of its own in the current folder."""
    from mutmut import configuration
    from mutmut.mutation.file_mutation import create_mutations

    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "setup.cfg").write_text("[mutmut]\nsource_paths=.\n", encoding="utf-8")
        os.chdir(folder)
        try:
            configuration.config()
        finally:
            os.chdir(here)
    return create_mutations


def _mutant(area: str, path: str, code: str, module: Any, mutation: Any) -> Mutant:
    changed = module.deep_replace(mutation.original_node, mutation.mutated_node).code
    before, after = code.splitlines(), changed.splitlines()
    line = next((n for n, (one, other) in enumerate(zip(before, after, strict=False), 1) if one != other), len(before))
    difference = "\n".join(list(difflib.unified_diff(before, after, n=0, lineterm=""))[3:])
    return Mutant(area, path, line, mutation.contained_by_top_level_function.name.value, changed, difference)

"""Puts the code of a mutant into the functions of the running process, decorated ones included."""

import functools
import gc
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

from tools.mutation.mutants import Mutant
from tools.servers import ROOT

_Place = tuple[tuple[str, int], ...]  # the way from the module's code: names, each with its number among equal ones


def swap(mutant: Mutant) -> bool:
    """Return whether a function has new code; a changed default or decorator gives it none."""
    path = str(ROOT / mutant.path)
    old, new = (
        dict(_codes(compile(text, path, "exec", dont_inherit=True)))
        for text in (Path(path).read_text(encoding="utf-8"), mutant.code)
    )
    gc.unfreeze()  # gc.get_objects() omits objects that the service has frozen
    functions = defaultdict(list)
    for found in gc.get_objects():
        if isinstance(found, FunctionType) and found.__code__.co_filename == path:
            functions[found.__code__.co_qualname, found.__code__.co_firstlineno].append(found)
    count = 0
    for place, code in old.items():
        if place in new and _signs(code) != _signs(new[place]):
            for function in functions[code.co_qualname, code.co_firstlineno]:
                function.__code__ = new[place]
                count += 1
    _forget_results()
    return count > 0


def _codes(code: CodeType, place: _Place = ()) -> Iterator[tuple[_Place, CodeType]]:
    numbers: dict[str, int] = defaultdict(int)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner = (*place, (constant.co_name, numbers[constant.co_name]))
            numbers[constant.co_name] += 1
            yield inner, constant
            yield from _codes(constant, inner)


def _signs(code: CodeType) -> tuple[object, ...]:
    """Everything that distinguishes two code objects except their line numbers."""
    constants = [_signs(each) if isinstance(each, CodeType) else (type(each), repr(each)) for each in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants


def _forget_results() -> None:
    """Empty the caches, which may hold results of the code before the swap."""
    for found in gc.get_objects():
        if isinstance(found, functools._lru_cache_wrapper) and (ROOT / found.__module__.split(".")[0]).is_dir():
            found.cache_clear()

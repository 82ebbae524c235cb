"""Every code word that the source raises, found by reading the source.

What a call raises is found by the objects that its names stand for: `InvalidInput` of another module is none of ours.
"""

import ast
import importlib
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from apikeys.models import KeyState
from core.lib.database_faults import Fault
from core.lib.errors import ServiceError
from core.rest import errors
from core.rest.json import Unreadable
from server.serving import responses
from sites import watermarks
from sql_sandbox.refusals import BY_CODE, Busy
from tools.packages import PACKAGES

ROOT = Path(__file__).resolve().parent.parent

# Words that are worked out: file and expression, and what it can be.
COMPUTED = {
    ("accounts/avatars.py", "f'{name}_not_found'"): {"administrator_not_found", "user_not_found"},
    ("accounts/services.py", "f'{name}_not_found'"): {"administrator_not_found", "user_not_found"},
    ("accounts/uniqueness.py", "f'{column}_taken'"): {"user_name_taken", "email_taken", "mobile_taken"},
    ("accounts/views.py", "f'{name}_token_invalid'"): {"administrator_token_invalid", "user_token_invalid"},
    ("apikeys/grants.py", "state.value"): {state.value for state in KeyState} - {KeyState.VALID.value},
    ("core/rest/errors.py", "fault.value"): {fault.value for fault in Fault},
    ("cms_api/sql_endpoint/views.py", "refused.code"): set(),  # below, by its class
    ("core/stl/where.py", "f'bad_{self._parameter}'"): {"bad_where", "bad_order"},
}
# Words that are handed on: by whom, and they are found where they come from.
HANDED_ON = {
    ("core/rest/errors.py", "code"),
    ("core/rest/errors.py", "refusal.code"),
    ("core/rest/json.py", "error.code"),
    ("cms_api/views.py", "refusal.code"),
    ("sites/watermarks.py", "code"),
}


_MAY_RAISE = re.compile(r"(?:rest|lib)\.errors|class \w+\(ValueError|HTTPStatus")


class Raised(NamedTuple):
    """A word, the status of its answer, and who raises it; `has_member`: the refusal names the member at fault."""

    word: str
    status: int
    file: str
    function: str = ""
    has_member: bool = False


class Carrier(NamedTuple):
    """Something that is called with a word: the place of the word, that of the status or the status, the usual word."""

    word: int
    status: int | None = None
    status_at: int | None = None
    usual: str = ""


# By the object that is called. Classes of refusals need no row.
CARRIERS = {
    Unreadable: Carrier(1, 400, usual="body_not_object"),
    responses._answer: Carrier(2, status_at=1),
    errors._body: Carrier(0, 500),
    errors.plain_answer: Carrier(1, status_at=0),
    watermarks._undrawable: Carrier(0, 400),
}


@cache
def raised() -> frozenset[Raised]:
    """Every word with its status and file."""
    return frozenset(of_source() | of_tables() | of_proxy())


def of_source() -> set[Raised]:
    found: set[Raised] = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            if not {"management", "migrations"} & set(path.parts):
                found |= _Module(path).raised()
    return found


def of_tables() -> set[Raised]:
    """Of what the source knows by tables and classes."""
    statements = {
        Raised(code, 429 if kind is Busy else 400, "cms_api/sql_endpoint/views.py") for code, kind in BY_CODE.items()
    }
    pages = {Raised(word, status.value, "core/rest/errors.py") for status, (word, _) in errors._PLAIN.items()}
    return statements | pages


def of_proxy() -> set[Raised]:
    """Of nginx, which answers where no node does."""
    text = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    by_verb = re.search(r"map \$request_method \$cms_code \{(.*?)\}", text, re.DOTALL)[1]
    words = {"$cms_code": set(re.findall(r"\s(\w+);", by_verb))}
    answered = re.findall(r"return (\d+) '\{.*\"code\": \"([^\"]+)\"\}';", text)
    assert answered
    return {
        Raised(one, int(status), "deploy/nginx.conf") for status, word in answered for one in words.get(word, {word})
    }


class _Module:
    def __init__(self, path: Path) -> None:
        self.file = path.relative_to(ROOT).as_posix()
        self._source = path.read_text(encoding="utf-8")
        self._tree = ast.parse(self._source)

    def raised(self) -> set[Raised]:
        """The words that the module raises, or has in its tables."""
        found: set[Raised] = set()
        # Most modules raise nothing, and loading them all takes its time.
        if not _MAY_RAISE.search(self._source):
            return found
        functions: dict[ast.AST, str] = {}
        for node in ast.walk(self._tree):
            if isinstance(node, ast.FunctionDef):  # from outer to inner ones
                functions |= dict.fromkeys(ast.walk(node), node.name)
            if isinstance(node, ast.Call):
                has_member = any(keyword.arg in {"member", None} for keyword in node.keywords)
                place = {"function": functions.get(node, ""), "has_member": has_member}
                found |= {each._replace(**place) for each in self._of_call(node)}
                found |= self._of_sequence(node.args)
            elif isinstance(node, ast.Tuple):
                found |= self._of_sequence(node.elts)
            elif isinstance(node, ast.ClassDef):
                found |= self._of_class(node)
        return found

    def _of_call(self, call: ast.Call) -> set[Raised]:
        target = self._object(call.func)
        if _is_refusal(target) and call.args:
            return self._words(call.args[0], _status(target))
        # Not by look-up: some objects that are called cannot be hashed.
        carrier = next((found for one, found in CARRIERS.items() if one == target), None)
        if carrier is None:
            return set()
        status = carrier.status or self._object(call.args[carrier.status_at])
        if len(call.args) <= carrier.word:
            return {Raised(carrier.usual, status, self.file)}
        return self._words(call.args[carrier.word], status)

    def _of_sequence(self, items: list[ast.expr]) -> set[Raised]:
        """A class of refusals that is told together with the word: in a table, or to be made later."""
        found = set()
        for kind, word in pairwise(items):
            target = self._object(kind)
            if _is_refusal(target) and isinstance(word, ast.Constant) and isinstance(word.value, str):
                found.add(Raised(word.value, _status(target), self.file))
        return found

    def _of_class(self, node: ast.ClassDef) -> set[Raised]:
        """The word that a class of refusals gives itself."""
        target = self._object(ast.Name(node.name))
        if not _is_refusal(target):
            return set()
        given = (call for call in ast.walk(node) if isinstance(call, ast.Call) and _is_super(call) and call.args)
        words = [call.args[0] for call in given if isinstance(call.args[0], ast.Constant)]
        return {Raised(word.value, _status(target), self.file) for word in words}

    def _words(self, expression: ast.expr, status: int) -> set[Raised]:
        if isinstance(expression, ast.Constant):
            return {Raised(expression.value, status, self.file)}
        place = (self.file, ast.unparse(expression))
        if place in HANDED_ON:
            return set()
        assert place in COMPUTED, f"{place} is a code that is worked out; say in COMPUTED what it can be."
        return {Raised(word, status, self.file) for word in COMPUTED[place]}

    def _object(self, expression: ast.expr) -> object:
        """What a name, also one with dots, stands for in the module; None for everything else."""
        if isinstance(expression, ast.Attribute):
            owner = self._object(expression.value)
            return None if owner is None else getattr(owner, expression.attr, None)
        return getattr(self._loaded, expression.id, None) if isinstance(expression, ast.Name) else None

    @property
    def _loaded(self) -> object:
        return importlib.import_module(self.file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))


def _is_refusal(target: object) -> bool:
    return isinstance(target, type) and issubclass(target, ServiceError)


def _status(kind: type[ServiceError]) -> int:
    if issubclass(kind, errors.HttpError):
        return int(kind.status_code)
    return next(errors.STATUSES[base].value for base in kind.__mro__ if base in errors.STATUSES)


def _is_super(call: ast.Call) -> bool:
    return ast.unparse(call.func) == "super().__init__"

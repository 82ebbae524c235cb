"""Parts of a template that depend on the query of the address, which a page in a file does not know."""

from collections.abc import Collection, Iterator

from core.stl.attributes import Attributes
from pages.engine.compiling import Compiler, Render
from pages.engine.elements.forms import shows_list
from pages.engine.elements.parts import include_path
from pages.engine.nodes import TEXT, Entity, Node, Nodes, Pairs
from pages.engine.parsing import parse
from pages.engine.scope import Scope
from pages.engine.template import Template

_ASKING = frozenset({"dynamic", "search", "searchoutput"})
_BEGIN, _END = "<!--cms-fragment {}-->", "<!--/cms-fragment-->"
_RAW = ("title", "textarea")  # where a comment would be text


class AskingTemplate(Template):
    """Renders with comments around the outermost parts that depend on the query, or only one of these parts.

    `asking_includes` are paths, casefolded; see `find_asking_includes`.
    """

    def __init__(self, text: str, asking_includes: Collection[str]) -> None:
        self._asking_includes = asking_includes
        self._parts: dict[int, Render] = {}
        super().__init__(text)

    def _compile(self, compiler: Compiler, nodes: Nodes) -> None:
        marked: list[Node] = []
        before = ""
        for node in nodes:
            if isinstance(node, str):
                before += node.lower()
            if _asks(node, self._asking_includes) and _takes_comments(node, before):
                self._parts[node.offset] = compiler.block((node,))  # type: ignore[union-attr]
                marked += [_BEGIN.format(node.offset), node, _END]  # type: ignore[union-attr]
            else:
                marked.append(node)
        super()._compile(compiler, tuple(marked))

    @property
    def positions(self) -> Collection[int]:
        """Return where the parts begin."""
        return self._parts.keys()

    def render_part(self, scope: Scope, position: int) -> str:
        """Return the part that begins there. Raises KeyError, and TooMuch."""
        render = self._parts[position]
        return render(scope.within(paging=self._paging(scope)))


def find_asking_includes(texts: dict[str, str]) -> frozenset[str]:
    """Return the paths, casefolded, of the includes that depend on the query, or include one that does."""
    parsed = {path.casefold(): parse(text)[0] for path, text in texts.items()}
    found: set[str] = set()
    while more := {path for path, nodes in parsed.items() if path not in found and _any_asks(nodes, found)}:
        found |= more
    return frozenset(found)


def _any_asks(nodes: Nodes, includes: Collection[str]) -> bool:
    return any(_asks(node, includes) for node in nodes)


def _asks(node: Node, includes: Collection[str]) -> bool:
    if isinstance(node, str):
        return False
    if any("{request." in value.lower() for value in _values(node.attributes)):
        return True
    if isinstance(node, Entity):
        return node.family == "request" or (node.attributes is not None and node.name.lower() in _ASKING)
    if node.name in _ASKING or _any_asks(node.inner, includes):
        return True
    if node.name == "form" and shows_list(Attributes(node.attributes)):  # whose pages are in the query
        return True
    return node.name == "include" and include_path(dict(node.attributes).get("file", "")).casefold() in includes


def _values(attributes: Pairs | None) -> Iterator[str]:
    return (value for _, value in attributes or ())


def _takes_comments(node: Node, before: str) -> bool:
    """Return whether the node is where HTML may have a comment; `before` is the text so far in lower case."""
    is_raw = any(before.rfind(f"<{name}") > before.rfind(f"</{name}") for name in _RAW)
    return not isinstance(node, str) and node.place is TEXT and not is_raw

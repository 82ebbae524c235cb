"""Records as JSON, for scripts: `var list = {stl:contents totalNum="5"};`."""

import json
from collections.abc import Callable
from typing import Any

from core.stl.attributes import Attributes
from pages.engine.compiling import TAG_ENTITIES, CompileElement, Compiler, Render
from pages.engine.elements.lists import read_channels, read_contents
from pages.engine.html import encode
from pages.engine.nodes import Element, Encoding
from pages.engine.scope import Scope
from pages.engine.source import Record

_WHOLE = frozenset([Encoding.TEXT, Encoding.SCRIPT_CODE, Encoding.SCRIPT_NAME, Encoding.JSON])
_HIDDEN = frozenset({"children", "settingsXml", "addUserName", "lastEditUserName", "writingUserName"})


def _compile_json(read: Callable[[Scope, Attributes], Any]) -> CompileElement:
    def compile_json(compiler: Compiler, node: Element) -> Render:
        given = compiler.given(node)

        def render(scope: Scope) -> str:
            text = json.dumps(read(scope, given.read(scope)), ensure_ascii=False, default=str)
            if node.place.steps[0] not in _WHOLE:
                return encode(text, node.place)
            return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")

        return render

    return compile_json


def _shown(record: Record) -> Record:
    return {name: value for name, value in record.items() if name not in _HIDDEN}


def _or_value(compile_value: CompileElement, compile_json: CompileElement) -> CompileElement:
    """Without `type`, `{stl:content}` in a script is the whole record."""

    def compile_either(compiler: Compiler, node: Element) -> Render:
        is_record = node.encoding is Encoding.SCRIPT and not dict(node.attributes).get("type")
        return (compile_json if is_record else compile_value)(compiler, node)

    return compile_either


TAG_ENTITIES.update(
    {
        "contents": _compile_json(lambda scope, given: [_shown(each) for each in read_contents(scope, given).records]),
        "channels": _compile_json(lambda scope, given: [_shown(each) for each in read_channels(scope, given).records]),
        "content": _or_value(
            TAG_ENTITIES["content"], _compile_json(lambda scope, given: scope.content and _shown(scope.content))
        ),
        "channel": _or_value(
            TAG_ENTITIES["channel"],
            _compile_json(lambda scope, given: _shown(scope.source.find_channel(scope.channel, given))),
        ),
    }
)

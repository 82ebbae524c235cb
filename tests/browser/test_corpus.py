"""Bodies of every kind go through the editor and come out as the same page.

What a page is, is compared by a reader of our own in a blank page, which knows nothing of the editor's.
"""

# ruff: noqa: E501 - what a browser reads stands in one piece

import re
from difflib import unified_diff
from pathlib import Path

import pytest

from tests.browser.corpus import AS_SOURCE, BODIES
from tests.browser.plain_form import plain_form
from tests.transfer.test_site_template import REAL_TEMPLATES, needs_real_templates, read_all

# Loads a body, has it written anew as after an edit, and tells what would be sent: unedited, and written.
_THROUGH = """(body) => {
    const rich = document.querySelector("[data-editor]").editor;
    rich.open(body);
    const unedited = rich.value;
    if (rich.isSource) {
        return { isSource: true, unedited };
    }
    rich.loaded = { html: body, doc: rich.editor.schema.topNodeType.createAndFill() };
    return { isSource: false, unedited, written: rich.value };
}"""
# A page as lists: each block with its name and attributes, each piece of text with the inline elements around it.
_PAGE = """(html) => {
    const BLOCK = new Set(`address article aside blockquote body caption center col colgroup dd details dir div dl dt
        fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main menu nav ol p pre section summary table
        tbody td tfoot th thead tr ul`.split(/\\s+/));
    const WHOLE = new Set("br img video audio iframe svg math object embed script style input map".split(" "));
    const name = (node) => node.nodeName.toLowerCase();
    const style = (text) => text.split(";").map((each) => each.replace(/\\s*:\\s*/, ":").trim().replace(/^[^:]*/, (n) => n.toLowerCase()))
        .filter((each) => /:./.test(each)).join(";");
    const own = (node) => [...node.attributes].map(({ name, value }) => [name, name === "style" ? style(value) : value.trim()])
        .filter(([name, value]) => !(["colspan", "rowspan"].includes(name) && value === "1") && !(name === "style" && !value))
        .map((pair) => pair.join("=")).sort().join(" ");
    const tag = (node) => `${name(node)} ${own(node)}`.trim();
    const hasBlock = (node) => node.nodeType === 1 && (BLOCK.has(name(node)) || [...node.children].some(hasBlock));
    const told = [];
    let run = [];
    const flush = () => {
        let text = [];
        for (const [path, piece] of run) {
            const last = text.at(-1);
            last && last[0] === path && last[2] && typeof piece === "string" ? (last[1] += piece)
                : text.push(typeof piece === "string" ? [path, piece, true] : [path, piece[0], false]);
        }
        run = [];
        // A blank at the edge of a line, or beside another one, is not seen; and blanks belong to nobody.
        let before = " ";
        const seen = [];
        for (const [path, piece, isText] of text) {
            for (const part of isText ? piece.split(/([ \\t\\r\\n\\f]+)/).filter(Boolean) : [piece]) {
                const isBlank = isText && /^[ \\t\\r\\n\\f]+$/.test(part);
                if (isBlank && before === " ") continue;
                const [where, what] = isBlank ? ["", " "] : [path, part];
                if (!isBlank && /^br/.test(what) && !isText && seen.at(-1)?.[1] === " ") seen.pop();
                const last = seen.at(-1);
                last && isText && last[2] && !isBlank && last[0] === where && last[1] !== " " ? (last[1] += what) : seen.push([where, what, isText]);
                before = isBlank || (!isText && /^br/.test(what)) ? " " : "";
            }
        }
        if (seen.at(-1)?.[1] === " ") seen.pop();
        told.push(...seen.map(([path, piece]) => `${path} | ${piece}`));
    };
    const inline = (node, path, exact) => {
        if (node.nodeType === 3) return run.push([path.join(">"), exact ? [JSON.stringify(node.data)] : node.data]);
        if (node.nodeType === 8) return run.push([path.join(">"), [`<!--${node.data}-->`]]);
        if (WHOLE.has(name(node))) return run.push([path.join(">"), [node.children.length || node.textContent ? node.outerHTML : tag(node)]]);
        if (!node.childNodes.length && node.attributes.length) run.push([path.join(">"), [tag(node)]]);
        for (const child of node.childNodes) inline(child, [...new Set([...path, tag(node)])].sort(), exact);
    };
    const walk = (parent, exact) => {
        for (const node of parent.childNodes) {
            if (!hasBlock(node)) { inline(node, [], exact); continue; }
            flush();
            told.push(`<${tag(node)}>`);
            walk(node, exact || name(node) === "pre");
            flush();
            told.push(`</${name(node)}>`);
        }
        flush();
    };
    walk(new DOMParser().parseFromString(`<!doctype html><body>${html}`, "text/html").body, false);
    return told;
}"""


@pytest.fixture(scope="module")
def blank(chromium):
    """A page without a policy, which compares."""
    page = chromium.new_page()
    yield page
    page.close()


@pytest.fixture(scope="module")
def editor(chromium):
    """A page with the editor alone."""
    with plain_form(chromium) as page:
        yield page


@pytest.fixture
def through(editor, blank):
    """What is wrong with these bodies after the editor, by their names, and which of them open as source."""

    def send(bodies):
        wrong, as_source = {}, []
        for name, body in bodies.items():
            answer = editor.evaluate(_THROUGH, body)
            # Browsers have one kind of line end in fields of forms.
            if answer["unedited"] != re.sub("\r\n?", "\n", body):
                wrong[name] = ("unedited", body, answer["unedited"])
            elif answer["isSource"]:
                as_source.append(name)
            elif (before := blank.evaluate(_PAGE, body)) != (after := blank.evaluate(_PAGE, answer["written"])):
                wrong[name] = list(unified_diff(before, after, lineterm="", n=0))[:12]
        return wrong, as_source

    return send


def test_bodies_of_every_kind_come_out_as_the_same_page(through):
    wrong, as_source = through(BODIES)
    assert wrong == {}
    assert as_source == []


def test_what_the_editor_would_change_opens_as_source_and_stays_byte_for_byte(through):
    assert through(AS_SOURCE) == ({}, list(AS_SOURCE))


@needs_real_templates
@pytest.mark.parametrize("template", ["T_aeson", "T_girish", "T_scevola"])
def test_bodies_of_real_sites_come_out_as_the_same_page(through, template):
    wrong, as_source = through(real_bodies(REAL_TEMPLATES / template))
    assert wrong == {}
    assert as_source == []


def real_bodies(template: Path) -> dict[str, str]:
    """The bodies of the contents and channels of a template, by where they stand, each once."""
    _, channels, contents = read_all(template)
    bodies = {each.origin: each.fields.get("content", "") for listed in contents for each in listed}
    bodies |= {f"channel {each.source_id}": each.fields.get("content", "") for each in channels}
    return {name: body for body, name in {body: name for name, body in bodies.items() if body}.items()}


def test_the_comparison_sees_what_is_lost(blank):
    page = "<p class='a'>x <b>y</b></p><ul><li>z</li></ul>"
    others = ["<p>x <b>y</b></p><ul><li>z</li></ul>", "<p class='a'>x y</p><ul><li>z</li></ul>"]
    others += ["<p class='a'>x <b>y</b></p><p>z</p>", "<p class='a'>x<b>y</b></p><ul><li>z</li></ul>"]
    same = "<P CLASS=a>x\n<b>y</b></P>\n<ul>\n<li>z</ul>"
    assert blank.evaluate(_PAGE, page) == blank.evaluate(_PAGE, same)
    assert all(blank.evaluate(_PAGE, page) != blank.evaluate(_PAGE, other) for other in others)

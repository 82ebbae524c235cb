"""Keys in the editor, which follows the selection of the browser a moment later.

Keys that are pressed earlier apply to the old selection.
"""

# After End, nothing of the block follows; after Control+End, nothing of the text either.
_FOLLOWED = """(wholeText) => {
    const { selection, doc } = document.querySelector(".editor-text").editor.state;
    const { $to } = selection;
    const inBlock = $to.parentOffset === $to.parent.content.size;
    return selection.empty && inBlock && (!wholeText || $to.pos + $to.depth === doc.content.size);
}"""


def press_end(page, key="End"):
    """Press `End` or `Control+End`, and wait until the editor has followed."""
    page.keyboard.press(key)
    page.wait_for_function(_FOLLOWED, arg=key.startswith("Control"))

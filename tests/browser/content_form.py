"""The form of a content as people use it: its tabs, its menu of buttons, and the tools behind "More"."""


def open_tab(page, name):
    page.get_by_role("tab", name=name).click()


def save_by(page, name):
    """Press a button that waits behind the arrow."""
    page.click(".save-buttons summary")
    page.click(f'.save-buttons details button[name="{name}"]')


def use_tool(page, name):
    """Press a tool of the text, wherever it is."""
    tool, more = page.locator(f"[data-tool={name}]"), page.locator("[data-tool=more_tools]")
    if not tool.is_visible() and more.get_attribute("aria-expanded") == "false":
        more.click()
    tool.click()

"""Checks pages for accessibility barriers with axe."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe

# The second of each is left to `make test-in-browser`: axe seldom finds there what it does not find in the first.
COLOURS = ["light", pytest.param("dark", marks=pytest.mark.large)]
LOOKS = [("en", "light"), pytest.param("zh-hans", "dark", marks=pytest.mark.large)]

_WCAG = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    "rules": {"target-size": {"enabled": True}},
    "resultTypes": ["violations"],
}
_COLOURS = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}
# Colours that are on their way to others have other contrasts.
# Not by `finished`, which may never settle once the window has another width.
ANIMATIONS_ENDED = """() => document.getAnimations().every(
    ({ effect, playState }) => playState !== "running" || effect.getComputedTiming().endTime === Infinity
)"""


def barriers(page, part=None, *, of_all_rules=False, of_colours=False):
    """The rules of WCAG 2.2 AA that a page or the part of it breaks, with up to three elements each.

    `of_all_rules`: axe's best practices too; `of_colours`: nothing but the contrast of texts.
    """
    page.wait_for_function(ANIMATIONS_ENDED)
    options = {"resultTypes": ["violations"]} if of_all_rules else _COLOURS if of_colours else _WCAG
    report = Axe("" if page.evaluate("Boolean(window.axe)") else AXE_SCRIPT).run(page, context=part, options=options)
    return [
        f"{found['id']}: {', '.join(str(node['target'][0]) for node in found['nodes'][:3])}"
        for found in report.response["violations"]
    ]

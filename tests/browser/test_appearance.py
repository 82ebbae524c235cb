"""What pages look like: each is compared, in both colour schemes, with a small picture of it.

A picture has a pixel for each 16 × 16 of the window, so that a word or a date more or less does not count, and a column
that has moved, a colour or a missing style sheet does. After a change that is wanted, store the pictures anew, and look
at them before committing: `CMS_STORE_APPEARANCE=1 .venv/bin/python -m pytest tests/browser/test_appearance.py`.
"""

import io
import json
import os
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from tests.browser.conftest import new_desk

PAGES = [
    "/admin/login/",
    "/admin/",
    "/admin/components/",
    "/admin/account/",
    "/admin/accounts/administrator/",
    "/admin/accounts/administrator/add/",
    "/admin/accounts/user/",
    "/admin/accounts/user/add/",
    "/admin/apikeys/apikey/",
    "/admin/apikeys/apikey/add/",
    "/admin/audit/auditentry/",
    "/admin/auth/group/",
    "/admin/auth/group/add/",
    "/admin/channels_app/channel/site/1/",
    "/admin/channels_app/channel/2/change/",
    "/admin/cms_sites/site/",
    "/admin/cms_sites/site/1/change/",
    "/admin/contents/content/",
    "/admin/contents/content/?state=pending",
    "/admin/contents/content/add/?channel=2",
    "/admin/contents/content/3/change/",
    "/admin/contents/content/3/history/",
    "/admin/contents/content/calendar/?month=2026-01",
    "/admin/contents/content/waiting/",
    "/admin/contents/contentgroup/",
    "/admin/contents/contenttag/",
    "/admin/contents/trashedcontent/",
    "/admin/jobs/job/",
    "/admin/pages/template/",
    "/admin/webhooks/webhook/add/",
]
WINDOW, TILE = (1280, 800), (80, 50)
COLUMNS = 6
FOLDER = Path(__file__).with_name("appearance")
MOST_LEVELS = 24  # of 255, that a pixel may differ in
MOST_PIXELS = 0.02  # of a picture, that may differ by more
# Advance widths of the letters tell whether the fonts are those of the stored pictures.
_FONT = """() => {
    const context = document.createElement("canvas").getContext("2d");
    context.font = `16px ${getComputedStyle(document.body).fontFamily}`;
    return Math.round(context.measureText("Waiting for approval, 0123456789").width);
}"""
# Moments have one width, and the menu is at its top, once it has brought the entry of the page into view.
_STILL = """async () => {
    for (let frame = 0; frame < 3; frame += 1) {
        await new Promise(requestAnimationFrame);
    }
    for (const time of document.querySelectorAll("time")) {
        time.textContent = "2026-11-29";
    }
    document.querySelector(".menu-entries").scrollTop = 0;
}"""


@pytest.fixture(scope="module")
def untouched_desk(tmp_path_factory):
    """An installation that no other test changes."""
    with new_desk(tmp_path_factory.mktemp("appearance")) as made:
        yield made


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_look_as_they_did(chromium, untouched_desk, scheme, tmp_path):
    desk = untouched_desk
    context = chromium.new_context(
        base_url=desk.address,
        locale="en",
        color_scheme=scheme,
        reduced_motion="reduce",
        viewport=dict(zip(("width", "height"), WINDOW, strict=True)),
    )
    page = context.new_page()
    page.goto("/admin/login/")
    font = page.evaluate(_FONT)
    shots = {PAGES[0]: page.screenshot()}
    page.fill("#id_username", desk.name)
    page.fill("#id_password", desk.password)
    page.press("#id_password", "Enter")
    page.wait_for_url("**/admin/")
    for address in PAGES[1:]:
        assert page.goto(address, wait_until="networkidle").status == 200, address
        page.evaluate(_STILL)
        shots[address] = page.screenshot(caret="hide")
    context.close()
    tiles = [reduced(shot) for shot in shots.values()]
    if os.environ.get("CMS_STORE_APPEARANCE"):
        store(scheme, tiles, font)
    if json.loads((FOLDER / "font.json").read_text()) != font:
        pytest.skip("The fonts are others than those of the stored pictures.")
    different = [address for address, tile, was in zip(PAGES, tiles, stored(scheme), strict=True) if differ(tile, was)]
    for number, address in enumerate(different):
        (tmp_path / f"{number}.png").write_bytes(shots[address])
    assert not different, f"See {tmp_path}, in the same order."


@pytest.mark.parametrize(
    ("change", "is_seen"),
    [
        (lambda image: image, False),
        (lambda image: ImageChops.offset(image, 3, 0), True),  # moved by 48 pixels
        (lambda image: ImageChops.invert(image), True),
        (lambda image: image.point(lambda level: min(level + 12, 255)), False),
    ],
)
def test_a_picture_differs_if_its_page_does(change, is_seen):
    assert differ(change(stored("light")[17]), stored("light")[17]) is is_seen


def reduced(shot):
    return Image.open(io.BytesIO(shot)).convert("RGB").resize(TILE, Image.Resampling.BOX)


def differ(one, other):
    levels = ImageChops.difference(one, other).convert("L").tobytes()
    return sum(level > MOST_LEVELS for level in levels) > MOST_PIXELS * len(levels)


def place_of(number):
    return number % COLUMNS * TILE[0], number // COLUMNS * TILE[1]


def store(scheme, tiles, font):
    sheet = Image.new("RGB", (COLUMNS * TILE[0], -(-len(tiles) // COLUMNS) * TILE[1]))
    for number, tile in enumerate(tiles):
        sheet.paste(tile, place_of(number))
    sheet.save(FOLDER / f"{scheme}.png", optimize=True)
    (FOLDER / "font.json").write_text(f"{json.dumps(font)}\n")


def stored(scheme):
    sheet = Image.open(FOLDER / f"{scheme}.png").convert("RGB")
    corners = [place_of(number) for number in range(len(PAGES))]
    return [sheet.crop((x, y, x + TILE[0], y + TILE[1])) for x, y in corners]

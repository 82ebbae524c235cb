"""Limits of a page: the decoded bytes of its scripts and style sheets, and how far its layout shifts."""

import pytest
from playwright.sync_api import expect

KILOBYTE = 1000
_LIST = "/admin/contents/content/"
_FORM = "/admin/contents/content/3/change/"
_WITH_PICTURE = "/admin/contents/content/9/change/"  # of which no size is stored
_SHIFTS = """() => new Promise((done) => {
    const shifts = [];
    const place = (rect) => [rect.x, rect.y, rect.width, rect.height].map(Math.round).join(" ");
    const named = ({ node, previousRect, currentRect }) =>
        `${node?.nodeName} ${node?.id} ${node?.className}: ${place(previousRect)} to ${place(currentRect)}`;
    const add = (list) => shifts.push(...list.getEntries().filter((entry) => !entry.hadRecentInput)
        .map((entry) => [entry.value, entry.sources.map(named)]));
    const observer = new PerformanceObserver(add);
    observer.observe({ type: "layout-shift", buffered: true });
    setTimeout(() => { add({ getEntries: () => observer.takeRecords() }); done(shifts); }, 300);
})"""


@pytest.fixture
def load(visit, sign_in):
    """Loads a page and returns the decoded bytes of its scripts and of its style sheets, and its layout shifts."""

    def measure(address):
        with visit() as page:
            sign_in(page)
            got = []
            page.on("response", lambda response: got.append(response))
            page.goto(address, wait_until="networkidle")
            sizes = {"script": 0, "stylesheet": 0}
            for response in got:
                if response.request.resource_type in sizes:
                    sizes[response.request.resource_type] += len(response.body())
            return sizes["script"], sizes["stylesheet"], page.evaluate(_SHIFTS)

    return measure


@pytest.mark.parametrize(
    ("address", "scripts"),
    [
        ("/admin/", 37),
        (_LIST, 60),
        (_FORM, 500),
        (_WITH_PICTURE, 500),
        ("/admin/channels_app/channel/site/1/", 60),
        ("/admin/jobs/job/", 60),
        ("/admin/cms_sites/site/1/change/", 60),
    ],
)
def test_a_page_stays_within_its_budget_and_does_not_jump(load, address, scripts):
    got_scripts, got_styles, shifts = load(address)
    assert got_scripts <= scripts * KILOBYTE
    assert got_styles <= 80 * KILOBYTE
    assert sum(value for value, _moved in shifts) <= 0.05, shifts


def test_a_picture_on_a_line_of_its_own_has_room_until_it_has_its_size(visit, sign_in):
    held = []
    with visit() as page:
        sign_in(page)
        page.route("**/upload/images/**", lambda route: held.append(route))
        page.goto(_WITH_PICTURE, wait_until="commit")  # its pictures would come before the end of loading
        picture = page.locator(".editor-text figure img[src]")
        expect(picture).to_have_attribute("width", "1200")
        box, line = picture.bounding_box(), page.locator(".editor-text figure").bounding_box()
        assert abs(box["width"] / box["height"] - 1.5) < 0.01
        assert box["width"] == line["width"]
        svg = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"/>'
        for each in held:
            each.fulfill(content_type="image/svg+xml", body=svg)
        expect(picture).not_to_have_attribute("width", "1200")
        box = picture.bounding_box()
        assert (box["width"], box["height"]) == (90, 30)

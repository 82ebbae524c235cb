"""Limits of a page: the decoded bytes of its scripts and style sheets, and how far its layout shifts."""

import pytest

KILOBYTE = 1000
_LIST = "/admin/contents/content/"
# Its text has no picture: one without a stored size moves what is below it in the text.
_FORM = "/admin/contents/content/3/change/"
_SHIFT = """() => new Promise((done) => {
    let sum = 0;
    const add = (list) => list.getEntries().forEach((entry) => { sum += entry.hadRecentInput ? 0 : entry.value; });
    const observer = new PerformanceObserver(add);
    observer.observe({ type: "layout-shift", buffered: true });
    setTimeout(() => { add({ getEntries: () => observer.takeRecords() }); done(sum); }, 300);
})"""


@pytest.fixture
def load(visit, sign_in):
    """Loads a page and returns the decoded bytes of its scripts and of its style sheets, and its layout shift."""

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
            return sizes["script"], sizes["stylesheet"], page.evaluate(_SHIFT)

    return measure


@pytest.mark.parametrize(
    ("address", "scripts"),
    [
        ("/admin/", 35),
        (_LIST, 60),
        (_FORM, 500),
        ("/admin/channels_app/channel/site/1/", 60),
        ("/admin/jobs/job/", 60),
        ("/admin/cms_sites/site/1/change/", 60),
    ],
)
def test_a_page_stays_within_its_budget_and_does_not_jump(load, address, scripts):
    got_scripts, got_styles, shift = load(address)
    assert got_scripts <= scripts * KILOBYTE
    assert got_styles <= 80 * KILOBYTE
    assert shift <= 0.05

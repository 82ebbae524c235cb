"""Pages run scripts of strangers, which reach nothing of the service even while an administrator is signed in."""

import pytest
from playwright.sync_api import expect

_MAKE = """
from channels_app.services import create_site
from pages.models import Template
site = create_site("Hostile", site_dir="hostile")
made = {"site": site, "is_default": True, "kind": "IndexPageTemplate", "name": "index", "page_path": "index.html"}
Template.objects.create(**made, text=r'''%s''')
made |= {"is_default": False, "kind": "FileTemplate"}
Template.objects.create(**made | {"name": "frame", "page_path": "frame.html"}, text=r'''%s''')
Template.objects.create(**made | {"name": "worker", "page_path": "worker.js"}, text="self.onfetch = () => {}")
"""
# Each attempt is noted as what it got, or as the name of the error.
_HOSTILE = """<!DOCTYPE html><html><head><title>Hostile</title></head><body><script>
const got = {};
async function attempt(name, action) {
    try { got[name] = String(await action()); } catch (error) { got[name] = "! " + error.name; }
}
async function read(path, options) {
    const response = await fetch(path, {credentials: "include", ...options});
    return response.status + " " + (response.ok ? await response.text() : "");
}
async function inWindow(name, open) {
    await attempt(name, async () => {
        const other = open();
        // Until it leaves the empty page that it begins with.
        while (!(other.document.body && other.document.body.innerHTML)) await new Promise(requestAnimationFrame);
        return other.document.body.innerHTML;
    });
}
function post(path, fields, target) {
    const form = document.createElement("form");
    Object.assign(form, {method: "post", action: path, target});
    for (const [name, value] of Object.entries(fields)) {
        const field = document.createElement("input");
        Object.assign(field, {type: "hidden", name, value});
        form.append(field);
    }
    document.body.append(form);
    form.submit();
}
window.begin = async () => {
    await attempt("origin", () => self.origin);
    await attempt("cookie", () => document.cookie);
    await attempt("set cookie", () => { document.cookie = "cms_session=planted; path=/"; return "planted"; });
    await attempt("localStorage", () => localStorage.length);
    await attempt("sessionStorage", () => sessionStorage.length);
    await attempt("indexedDB", () => indexedDB.open("x"));
    await attempt("caches", () => caches.keys());
    await attempt("service worker", () => navigator.serviceWorker.register("/hostile/worker.js"));
    await attempt("api", () => read("/api/v1/administrators"));
    await attempt("api contents", () => read("/api/v1/contents", {method: "POST", body: "{}"}));
    await attempt("admin", () => read("/admin/"));
    await attempt("admin form", () => read("/admin/logout/", {method: "POST"}));
    await attempt("opaque", async () => (await fetch("/admin/", {credentials: "include", mode: "no-cors"})).type);
    await inWindow("frame", () => {
        const frame = document.createElement("iframe");
        frame.src = "/admin/";
        document.body.append(frame);
        return frame.contentWindow;
    });
    await inWindow("window", () => window.open("/admin/"));
    await attempt("top", () => {
        const frame = document.createElement("iframe");
        frame.src = "/hostile/frame.html";
        document.body.append(frame);
        return new Promise((resolve) => { onmessage = (message) => resolve(message.data); });
    });
    await attempt("post", () => post("/admin/logout/", {}, "_blank"));
    await attempt("post language", () => post("/admin/language/", {language: "zh-hans", next: "/admin/"}, "_blank"));
    return got;
};
</script></body></html>"""
_FRAME = """<script>
try { top.location = "/admin/"; parent.postMessage("left", "*"); }
catch (error) { parent.postMessage("! " + error.name, "*"); }
</script>"""
_READ = ["cookie", "set cookie", "localStorage", "sessionStorage", "indexedDB", "caches", "service worker", "top"]


@pytest.fixture(scope="module")
def hostile(desk):
    """A site whose pages try what they can."""
    desk.installation.manage("shell", "-v", "0", "-c", _MAKE % (_HOSTILE, _FRAME))
    return "/hostile/"


def test_a_page_on_the_service_s_host_reaches_neither_cookies_nor_answers(visit, sign_in, hostile, desk):
    with visit(is_heard=False) as page:
        sign_in(page)
        page.goto("/admin/")  # the menu remembers its site
        before = page.context.cookies()
        assert {"cms_session", "cms_csrf"} <= {cookie["name"] for cookie in before}
        page.goto(hostile)
        got = page.evaluate("begin()")
        assert got.pop("origin") == "null"
        assert {name: got.pop(name) for name in _READ} == dict.fromkeys(_READ, "! SecurityError")
        # The API answers any origin by default, but its answers depend on keys and never on cookies.
        assert (got.pop("api"), got.pop("api contents")) == ("401 ", "401 ")
        assert (got.pop("admin"), got.pop("admin form")) == ("! TypeError", "! TypeError")
        assert got.pop("opaque") == "opaque"
        assert {name: got.pop(name) for name in ("frame", "window")} == dict.fromkeys(
            ("frame", "window"), "! SecurityError"
        )
        assert got == {"post": "undefined", "post language": "undefined"}
        expect(page).to_have_url(f"{desk.address}{hostile}")
        # The forms were posted into windows of their own; both were refused.
        for window in page.context.pages[1:]:
            window.wait_for_load_state()
        assert page.context.cookies() == before
        page.goto("/admin/")
        expect(page.locator("html")).to_have_attribute("lang", "en")
        expect(page).to_have_url(f"{desk.address}/admin/")


def test_a_picture_that_is_opened_runs_nothing_in_the_service_s_origin(visit, sign_in, hostile, desk):
    script = "document.documentElement.setAttribute('id', self.origin)"
    svg = f'<svg xmlns="http://www.w3.org/2000/svg"><script>{script}</script></svg>'
    store = (
        "from django.core.files.storage import default_storage as s; from django.core.files.base import ContentFile; "
    )
    store += "from sites.models import Site; site = Site.objects.get(site_dir='hostile'); "
    desk.installation.manage(
        "shell", "-v", "0", "-c", f"{store} s.save(f'sites/{{site.pk}}/a.svg', ContentFile({svg.encode()!r}))"
    )
    with visit(is_heard=False) as page:
        page.goto("/hostile/a.svg")
        assert page.evaluate("document.documentElement.id") == "null"


def test_on_a_host_of_its_own_a_site_has_its_own_storage_and_nothing_of_the_service(chromium, hostile, desk):
    with desk.installation.serve(CMS_SITE_HOSTS="localhost=hostile", CMS_ALLOWED_HOSTS="127.0.0.1") as server:
        context = chromium.new_context(base_url=f"http://localhost:{server.port}")
        page = context.new_page()
        page.goto(hostile)
        assert page.evaluate("self.origin") == f"http://localhost:{server.port}"
        assert page.evaluate("localStorage.length") == 0
        statuses = "Promise.all(['/admin/', '/api/v1/ping'].map(async (path) => (await fetch(path)).status))"
        assert page.evaluate(statuses) == [404, 404]
        # The service's own host is another origin.
        across = (
            f"fetch('http://127.0.0.1:{server.port}/admin/', {{credentials: 'include'}}).catch((error) => error.name)"
        )
        assert page.evaluate(across) == "TypeError"
        context.close()

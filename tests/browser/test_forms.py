"""Forms lose nothing: what every form of the back end does when it is left, sent twice, stopped, or sent signed out.

The forms are found by following links, so a new one is covered without being listed.
"""

import json
import re
from collections import deque
from functools import partial
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import expect

from core.admin.old_forms import SECRET
from tests.browser.content_form import open_tab
from tests.browser.test_every_page import _NO_PAGES, shape

_LINK = re.compile(r'<a\b[^>]*\bhref="([^"]+)"')
_FORM = re.compile(r'<form\b[^>]*\bmethod="post"')
_ASKS = "() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
_DRAFTS = (
    "() => Object.keys(localStorage).filter((name) => name.startsWith('draft:')).map((name) => localStorage[name])"
)
# Changes the first field of the form with that number as a person would; null if it has none.
_CHANGE = """(number) => {
  const form = document.querySelectorAll("main form[method=post]:not(#undo)")[number];
  const isSecret = (field) => /password|secret|token/i.test(field.name) || field.autocomplete === "one-time-code";
  const isFree = (field) => !field.disabled && !field.readOnly && !field.closest("dialog");
  const no = ["hidden", "password", "file", "submit"].map((type) => `[type=${type}]`);
  const fields = [...form.querySelectorAll(`textarea, input:not(${no})`)];
  const field = fields.find((each) => each.name && !isSecret(each) && isFree(each));
  if (!form.querySelector(".unsaved") || !field) {
    return null;
  }
  if (["checkbox", "radio"].includes(field.type)) {
    field.checked = !field.checked;
  } else {
    const typed = { date: "2031-05-04", "datetime-local": "2031-05-04T03:02", number: "7", color: "#123456" };
    // A form that was sent may have been stored, and another one shows its text.
    field.value = typed[field.type] || (field.value === "MY TEXT" ? "OTHER TEXT" : "MY TEXT");
  }
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
  field.form.dispatchEvent(new Event("restored")); // an editor over the field shows it
  return field.name;
}"""
_VALUES = """([number, name]) => {
  const form = document.querySelectorAll("main form[method=post]:not(#undo)")[number];
  form.dispatchEvent(new Event("collect"));
  return [...form.elements].filter((field) => field.name === name).map((field) => [field.value, field.checked]);
}"""
# Opens the panel of the form; others would cover it.
_OPEN = """(number) => {
  const form = document.querySelectorAll("main form[method=post]:not(#undo)")[number];
  for (let panel = form.closest("details"); panel; panel = panel.parentElement.closest("details")) {
    panel.open = true;
  }
}"""
_SEND_TWICE = """(number) => {
  const form = document.querySelectorAll("main form[method=post]:not(#undo)")[number];
  const button = [...form.elements].find((each) => each.type === "submit" && !each.disabled && !each.formTarget);
  form.noValidate = true;
  form.requestSubmit(button ?? null);
  form.requestSubmit(button ?? null);
}"""


def pages_with_forms(page):
    """The addresses of one page of each kind that has a form in its main part, found without the browser."""
    waiting, seen, found = deque(["/admin/"]), {shape("/admin/")}, []
    while waiting:
        address = waiting.popleft()
        answer = page.request.get(address)
        if "text/html" not in answer.headers.get("content-type", ""):
            continue
        html = answer.text()
        if _FORM.search(html.partition("<main")[2]):
            found.append(address)
        for link in _LINK.findall(html):
            whole = urlsplit(urljoin(answer.url, link.replace("&amp;", "&")))
            local = whole._replace(scheme="", netloc="", fragment="").geturl()
            if whole.netloc == urlsplit(answer.url).netloc and not _NO_PAGES.search(local) and shape(local) not in seen:
                seen.add(shape(local))
                waiting.append(local)
    return found


def look_at(page, address, problems):
    """Open the page, and change, leave, open again and send each of its forms; returns how many have fields."""
    page.goto(address)
    count, with_fields = page.locator("main form[method=post]:not(#undo)").count(), 0
    for name in page.eval_on_selector_all("input[type=password]", "all => all.map((each) => each.name)"):
        if not SECRET.search(name):
            problems.append(f"{address}: {name} is a password, and would be written into a page")
    for number in range(count):
        page.goto(address)
        if page.evaluate(_DRAFTS) or page.evaluate(_ASKS):
            problems.append(f"{address} {number}: opening it is a change")
        field = page.evaluate(_CHANGE, number)
        if field:
            with_fields += 1
            problems += [f"{address} {number} {field}: {each}" for each in changed(page, address, number, field)]
        sent = []
        page.route("**/*", partial(take, sent), times=3)
        page.evaluate(_SEND_TWICE, number)
        page.evaluate("() => new Promise((resolve) => setTimeout(resolve))")
        page.unroute("**/*")
        if len(sent) > 1:
            problems.append(f"{address} {number}: sent twice")
        page.evaluate("() => localStorage.clear()")
    return with_fields


def take(sent, route):
    if route.request.method != "POST":
        route.fallback()
        return
    sent.append(route.request.url)
    route.fulfill(status=204)


def changed(page, address, number, field):
    typed = page.evaluate(_VALUES, [number, field])
    if not page.evaluate(_ASKS):
        yield "leaving it does not ask"
    page.evaluate("() => window.dispatchEvent(new Event('pagehide'))")
    drafts = [json.loads(each)["fields"] for each in page.evaluate(_DRAFTS)]
    if [list(each) for each in drafts] != [[field]]:
        yield f"the draft has {drafts}"
        return
    page.goto(address)
    page.evaluate(_OPEN, number)
    page.get_by_role("button", name="Restore the draft").click()
    if page.evaluate(_VALUES, [number, field]) != typed:
        yield f"{page.evaluate(_VALUES, [number, field])} is not {typed}"
    if not page.evaluate(_ASKS):
        yield "what was restored is no change"


@pytest.mark.large
def test_every_form_asks_keeps_a_draft_and_is_sent_once(visit, sign_in):
    with visit() as page:
        sign_in(page)
        addresses, problems = pages_with_forms(page), []
        found = sum(look_at(page, address, problems) for address in addresses)
        assert problems == []
        assert (len(addresses) > 40, found > 30) == (True, True)


# ---- What one form does

_SESSIONS = "from django.contrib.sessions.models import Session; Session.objects.all().delete()"
_MAKE = """
from datetime import datetime
from channels_app.models import Channel
from contents.models import Content, ContentBody
channel = Channel.objects.filter(parent=None).first()
at = datetime(2031, 5, 4, 8, 0, 0)
content = Content.objects.create(site_id=channel.site_id, channel=channel, title="Tides", add_date=at)
ContentBody.objects.create(content=content, text="<p>High water at noon.</p>")
print(content.pk)
"""


@pytest.fixture(scope="module")
def content(desk):
    """The form of a content with a date at a full hour."""
    number = desk.installation.manage("shell", "--no-imports", "-c", _MAKE).split()[-1]
    return f"/admin/contents/content/{number}/change/"


def fill_in_key(page, desk, name):
    page.goto("/admin/apikeys/apikey/add/")
    page.fill("#id_name", name)
    page.check("#id_scope_Contents_1")
    page.check("#id_expiry_0")
    page.fill("#id_own_password", desk.password)
    return page.locator("input[type=submit].default")


def test_a_double_click_on_a_slow_line_issues_one_key_and_shows_it(visit, sign_in, desk):
    with visit() as page:
        sign_in(page)
        button = fill_in_key(page, desk, "Clicked twice")
        posts = []
        page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
        network = page.context.new_cdp_session(page)
        slow = {"offline": False, "latency": 400, "downloadThroughput": -1, "uploadThroughput": -1}
        network.send("Network.emulateNetworkConditions", slow)
        button.dblclick(delay=75, no_wait_after=True)
        expect(page.locator("#token")).to_contain_text("ssk1_")
        assert len(posts) == 1
        page.goto("/admin/apikeys/apikey/")
        expect(page.locator("#result_list a", has_text="Clicked twice")).to_have_count(1)


def test_a_form_sent_twice_without_scripts_shows_the_token_of_the_first(visit, sign_in, desk):
    with visit() as page:
        sign_in(page)
        fill_in_key(page, desk, "Sent twice")
        both = """async () => {
          const form = document.querySelector("#apikey_form");
          const send = async () => (await fetch(form.action, { method: "POST", body: new FormData(form) })).text();
          const pages = await Promise.all([send(), send()]);
          return pages.map((html) => /ssk1_[0-9A-Za-z]+_[0-9A-Za-z]+/.exec(html)?.[0]);
        }"""
        first, second = page.evaluate(both)
        assert first == second is not None


# Eight seconds are over at once.
_SOON = """{
  const real = window.setTimeout;
  window.setTimeout = (act, delay, ...more) => real(act, delay === 8000 ? 200 : delay, ...more);
}"""
# The browser answers no question while a page is on its way, so the page looks and stops by itself.
_SAVE_AND_STOP = """() => new Promise((resolve) => {
  const save = document.querySelector("main [type=submit]");
  const note = () => document.querySelector(".sending-note")?.textContent.slice(0, 6);
  const look = () => [save.value || save.textContent, save.disabled, note()];
  setTimeout(() => save.click());
  setTimeout(() => {
    const saving = look();
    window.stop();
    setTimeout(() => resolve([saving, look()]));
  }, 600);
})"""
_STATES = {
    "stopped": ("", [["Saving…", True, None], ["Save", False, "Stoppe"]]),
    "slow": (_SOON, [["Save", False, "Still "], ["Save", False, "Still "]]),
}


@pytest.mark.parametrize("kind", _STATES)
def test_a_save_that_was_stopped_or_gets_no_answer_can_be_sent_again_and_is_done_once(visit, sign_in, kind):
    script, states = _STATES[kind]
    with visit() as page:
        page.add_init_script(script)
        sign_in(page)
        page.goto("/admin/contents/contentgroup/add/")
        page.fill("#id_name", f"Group that was {kind}")
        network = page.context.new_cdp_session(page)
        line = {"offline": False, "latency": 600_000, "downloadThroughput": -1, "uploadThroughput": -1}
        network.send("Network.emulateNetworkConditions", line)
        assert page.evaluate(_SAVE_AND_STOP) == states
        assert page.evaluate(_ASKS)
        network.send("Network.emulateNetworkConditions", line | {"latency": 0})
        page.get_by_role("button", name="Send again").click()
        expect(page.locator("#result_list a", has_text=f"Group that was {kind}")).to_have_count(1)
        assert page.evaluate(_DRAFTS) == []


def test_what_is_typed_in_a_template_survives_the_end_of_the_session(visit, sign_in, fill_in, desk):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/pages/template/1/change/")
        code = page.locator(".template-code .cm-content")
        code.click()
        page.keyboard.insert_text("MY TEXT")
        desk.installation.manage("shell", "--no-imports", "-c", _SESSIONS)
        page.keyboard.insert_text("!")
        problems = page.locator(".template-problems")
        expect(problems).to_contain_text("The template was not checked. You are signed out.")
        expect(problems.get_by_role("link", name="Sign in in a new window")).to_be_visible()
        page.locator("input[name=_continue]").click()
        expect(page.locator(".messagelist")).to_contain_text("Your session has ended, so the form was not stored.")
        expect(page.get_by_text("Your unsaved text is stored in this browser")).to_be_visible()
        fill_in(page)
        page.get_by_role("button", name="Restore the draft").click()
        expect(code).to_contain_text("MY TEXT!")
        page.locator("input[name=_continue]").click()
        expect(page.locator(".messagelist")).to_contain_text("changed successfully")
        expect(code).to_contain_text("MY TEXT!")
        assert page.evaluate(_DRAFTS) == []


@pytest.fixture
def fill_in(desk):
    def enter(page):
        page.fill("#id_username", desk.name)
        page.fill("#id_password", desk.password)
        page.click("#login-form button")

    return enter


@pytest.mark.parametrize("address", ["/admin/channels_app/channel/2/change/", "/admin/cms_sites/site/1/change/"])
def test_a_form_can_be_saved_after_signing_in_in_another_window(visit, sign_in, fill_in, address):
    with visit() as page:
        sign_in(page)
        page.goto(address)
        page.evaluate(_CHANGE, 0)
        page.context.clear_cookies(name=re.compile("session"))
        other = page.context.new_page()
        other.goto("/admin/account/")
        fill_in(other)
        other.wait_for_url("**/admin/account/")
        page.locator("main input[type=submit].default, main button.default").first.click()
        page.wait_for_load_state()
        assert page.evaluate(_DRAFTS) == []
        expect(page.locator("h1", has_text="The form is too old")).to_have_count(0)


def test_an_old_form_is_sent_again_from_its_page(visit, sign_in, fill_in):
    with visit(is_heard=False) as page:  # the console tells of the 403
        sign_in(page)
        page.goto("/admin/contents/contentgroup/add/")
        page.fill("#id_name", "Old form")
        page.evaluate("document.querySelector('main [name=csrfmiddlewaretoken]').value = 'a'.repeat(64)")
        page.locator("main [type=submit]").first.click()
        expect(page.locator("h1")).to_have_text("The form is too old")
        expect(page.locator(".sent-again dd", has_text="Old form")).to_be_visible()
        page.get_by_role("button", name="Send again").click()
        expect(page.locator("#result_list")).to_contain_text("Old form")


def test_opening_a_content_keeps_no_draft_of_what_nobody_typed(visit, sign_in, content):
    with visit() as page:
        sign_in(page)
        page.goto(content)
        page.locator(".editor-toolbar").wait_for()
        assert page.input_value("#id_add_date") == "2031-05-04T08:00"
        page.evaluate("() => window.dispatchEvent(new Event('pagehide'))")
        page.reload()
        page.evaluate("() => window.dispatchEvent(new Event('pagehide'))")
        assert page.evaluate(_DRAFTS) == []


def test_what_another_has_saved_is_not_taken_back_by_a_draft(visit, sign_in, content):
    with visit() as page:
        sign_in(page)
        page.goto(content)
        open_tab(page, "More")
        page.fill("#id_author", "Mia")
        page.evaluate("() => window.dispatchEvent(new Event('pagehide'))")
        other = page.context.new_page()
        other.goto(content)
        other.fill("#id_sub_title", "Theirs")
        other.locator("button[name=_save]").click()
        other.locator(".messagelist").wait_for()
        page.goto("/admin/")
        page.goto(content)
        notice = page.locator("[data-notice=draft]")
        expect(notice).to_contain_text("This page has changed since then.")
        notice.get_by_role("button", name="Restore the draft").click()
        assert (page.input_value("#id_author"), page.input_value("#id_sub_title")) == ("Mia", "Theirs")


# ---- Requests of scripts


def test_a_link_that_cannot_be_shared_says_why_and_can_be_tried_again(visit, sign_in, content):
    with visit(is_heard=False) as page:
        sign_in(page)
        page.goto(content)
        share, failure = page.locator("[data-share]").first, page.locator(".request-failure")
        page.context.set_offline(True)
        share.evaluate("(button) => button.click()")
        expect(failure).to_contain_text("The server is not responding.")
        page.context.set_offline(False)
        failure.get_by_role("button", name="Try again").click()
        expect(page.locator("#shared input")).to_have_value(re.compile("/previews/"))
        expect(failure).to_have_count(0)
        page.context.clear_cookies(name=re.compile("session"))
        share.evaluate("(button) => button.click()")
        expect(failure).to_contain_text("You are signed out.")
        expect(failure.get_by_role("link", name="Sign in in a new window")).to_be_visible()


def test_places_of_a_group_say_that_they_were_not_found(visit, sign_in):
    with visit(is_heard=False) as page:
        sign_in(page)
        page.goto("/admin/auth/group/add/")
        page.route("**/places/**", lambda route: route.fulfill(status=500, body="<h1>Oops</h1>"))
        page.fill("#id_more_branches", "news")
        expect(page.locator(".request-failure")).to_contain_text("The server is not responding.")


@pytest.mark.parametrize("trouble", ["offline", "signed out", "bad gateway"])
def test_the_preview_stays_while_there_is_no_other(visit, sign_in, content, trouble):
    with visit(is_heard=False, width=1440) as page:
        sign_in(page)
        page.goto(content)
        page.locator(".editor-toolbar").wait_for()
        page.locator("button[data-preview]").click()
        shown = page.frame_locator(".preview-stage iframe:not(.is-loading)").get_by_text("High water at noon.")
        expect(shown).to_be_visible()
        if trouble == "offline":
            page.context.set_offline(True)
        elif trouble == "signed out":
            page.context.clear_cookies(name=re.compile("session"))
        else:
            page.route("**/preview/**", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))
        page.fill("#id_title", "Other")
        expect(page.locator(".request-failure")).to_be_visible()
        expect(shown).to_be_visible()
        expect(page.locator(".preview-stage iframe")).to_have_count(1)


def test_one_failure_does_not_end_completion(visit, sign_in):
    with visit(is_heard=False) as page:
        sign_in(page)
        page.goto("/admin/pages/template/1/change/")
        page.route("**/vocabulary/", lambda route: route.fulfill(status=500), times=1)
        page.locator(".template-code .cm-content").click()
        with page.expect_response("**/vocabulary/"):
            page.keyboard.type("<stl:ch")
        page.keyboard.press("Escape")
        with page.expect_response("**/vocabulary/"):
            page.keyboard.type("a")
        expect(page.locator(".cm-tooltip-autocomplete")).to_contain_text("stl:channel")


def test_a_group_of_choices_stands_in_the_columns_of_its_form(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/webhooks/webhook/add/")
        left = {place: page.locator(place).bounding_box()["x"] for place in (".field-events legend", "#id_events")}
        assert left[".field-events legend"] == page.locator(".field-name label").bounding_box()["x"]
        assert left["#id_events"] == page.locator("#id_name").bounding_box()["x"]
        assert page.locator("#id_url").bounding_box()["width"] > 400

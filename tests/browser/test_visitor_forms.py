"""Forms of a site as visitors fill them in, with and without scripts."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import barriers
from tools.servers import Installation

_MAKE = """
from channels_app.services import create_site
from forms.models import Field, Form
from pages.models import Template
site = create_site("Harbour", site_dir="harbour")
visit = Form.objects.create(site=site, name="visit", title="Book a visit")
for key, kind, needed in [("name", "text", True), ("mail", "email", True), ("remark", "textarea", False)]:
    Field.objects.create(form=visit, key=key, label=key.title(), kind=kind, is_required=needed)
news = Form.objects.create(site=site, name="news", success_text="Welcome")
Field.objects.create(form=news, key="name", label="Name")
jobs = Form.objects.create(site=site, name="jobs")
for key, kind in [("name", "text"), ("papers", "file")]:
    Field.objects.create(form=jobs, key=key, label=key.title(), kind=kind, is_required=True)
text = '''<!DOCTYPE html><html lang="en"><head><title>Visit</title></head><body><main><h1>Visit</h1>
<stl:input inputName="visit"></stl:input>
<div class="second"><stl:input inputName="news"><stl:template><form action="/elsewhere"><table><tr><td>
<label>Your name <input id="name" onblur="checkAttributeValue(this)"></label></td></tr></table>
<script>event_observe('name', 'blur', checkAttributeValue);</script>
<a id="submit" href="javascript:;">Subscribe</a></form></stl:template><stl:yes><b>You are in</b></stl:yes>
</stl:input></div></main></body></html>'''
kind, path = "IndexPageTemplate", "index.html"
Template.objects.create(site=site, kind=kind, name="t", is_default=True, page_path=path, text=text)
text = '<!DOCTYPE html><html lang="en"><head><title>Guarded</title></head><body><main><h1>Guarded</h1>'
for guard in ("proof", "captcha"):
    form = Form.objects.create(site=site, name=guard, guard=guard, success_text=f"Past the {guard}")
    Field.objects.create(form=form, key="name", label="Name", is_required=True)
    text += f'<div id="{guard}"><stl:input inputName="{guard}"></stl:input></div>'
Template.objects.create(site=site, kind="FileTemplate", name="g", page_path="guarded.html", text=f"{text}</main>")
"""
_ENTRIES = "from forms.models import Entry; print([list(e.values.values()) for e in Entry.objects.order_by('pk')])"
_WITHOUT_SUBTLE = "Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })"  # as on http


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    made = Installation(tmp_path_factory.mktemp("forms"))
    made.manage("shell", "-v", "0", "-c", _MAKE)
    return made


def entries(installation):
    return installation.manage("shell", "-v", "0", "-c", _ENTRIES)


def test_a_visitor_sends_both_forms_of_a_page_in_place(chromium, installation):
    with installation.serve() as server:
        page = chromium.new_page(base_url=server.address)
        problems = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto("/harbour/index.html")
        assert barriers(page, "main") == []
        first, second = page.locator("main > form"), page.locator(".second form")
        first.get_by_role("textbox", name="Name").fill("Ann")
        first.get_by_role("textbox", name="Mail").fill("ann@")
        first.get_by_role("button", name="Send").click()  # the browser itself refuses
        assert first.get_by_role("textbox", name="Mail").evaluate("input => input.validity.typeMismatch")
        first.get_by_role("textbox", name="Mail").fill("ann@example")
        first.get_by_role("button", name="Send").click()
        expect(first.get_by_role("textbox", name="Mail")).to_have_attribute("aria-invalid", "true")
        expect(first.get_by_role("textbox", name="Mail")).to_be_focused()
        expect(first.get_by_role("textbox", name="Mail")).to_have_accessible_description("Enter an email address.")
        assert barriers(page, "main") == []
        first.get_by_role("textbox", name="Mail").fill("ann@example.org")
        first.get_by_role("button", name="Send").click()
        told = page.get_by_text("Thank you. We have received what you sent.")
        expect(told).to_be_focused()
        second.get_by_label("Your name").fill("Bob")
        second.get_by_role("button", name="Subscribe").click()
        expect(page.locator(".second b")).to_have_text("You are in")
        assert page.url.endswith("/harbour/index.html") and problems == []
        page.close()
    assert entries(installation) == "[['Ann', 'ann@example.org'], ['Bob']]"


def test_without_scripts_a_page_says_what_is_wrong_and_then_thanks(chromium, installation):
    with installation.serve() as server:
        page = chromium.new_page(base_url=server.address, java_script_enabled=False, locale="zh-CN")
        page.goto("/harbour/index.html")
        page.get_by_role("textbox", name="Name").first.fill("Eve")
        page.get_by_role("textbox", name="Mail").fill("eve@example")
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("textbox", name="Name")).to_have_value("Eve")
        expect(page.get_by_role("textbox", name="Mail")).to_have_attribute("aria-invalid", "true")
        page.get_by_role("textbox", name="Mail").fill("eve@example.org")
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("heading")).to_have_text("Book a visit")
        page.get_by_role("link").click()
        assert page.url == f"{server.address}/harbour/index.html"
        page.close()
    assert "eve@example.org" in entries(installation)


def answer_the_sum(page):
    question = page.get_by_label("or the sum of")
    first, second = re.findall(r"\d+", question.evaluate("input => input.labels[0].textContent"))
    question.fill(str(int(first) + int(second)))


@pytest.mark.parametrize("script", ["", _WITHOUT_SUBTLE], ids=["https", "http"])
def test_a_browser_proves_its_work_while_the_visitor_types(chromium, installation, script):
    with installation.serve() as server:
        page = chromium.new_page(base_url=server.address)
        page.add_init_script(script)
        page.goto("/harbour/guarded.html")
        form = page.locator("#proof > form")
        form.get_by_label("Name").fill(f"Proof {len(script)}")
        form.get_by_role("button", name="Send").click()
        expect(page.get_by_text("Past the proof")).to_be_focused(timeout=15_000)
        assert page.url.endswith("/harbour/guarded.html")
        page.close()
    assert f"Proof {len(script)}" in entries(installation)


def test_a_question_appears_in_the_page_and_again_after_a_wrong_answer(chromium, installation):
    with installation.serve() as server:
        page = chromium.new_page(base_url=server.address)
        page.goto("/harbour/guarded.html")
        form = page.locator("#captcha > form")
        form.get_by_label("Name").fill("Question")
        expect(form.get_by_role("img", name="Picture with characters")).to_be_visible()
        assert barriers(page, "main") == []
        question = form.get_by_label("or the sum of")
        form.get_by_role("button", name="Send").click()  # the browser itself refuses
        expect(question).to_be_focused()
        question.fill("12")
        form.get_by_role("button", name="Send").click()
        expect(question).to_have_attribute("aria-invalid", "true")
        expect(question).to_have_value("")
        answer_the_sum(page)
        form.get_by_role("button", name="Send").click()
        expect(page.get_by_text("Past the captcha")).to_be_focused()
        page.close()
    assert "Question" in entries(installation)


@pytest.mark.parametrize("guard", ["proof", "captcha"])
def test_without_scripts_a_question_is_one_more_step(chromium, installation, guard):
    with installation.serve() as server:
        page = chromium.new_page(base_url=server.address, java_script_enabled=False)
        page.goto("/harbour/guarded.html")
        form = page.locator(f"#{guard} > form")
        form.get_by_label("Name").fill(f"Step {guard}")
        form.get_by_role("button", name="Send").click()
        expect(page.get_by_label("Name")).to_have_value(f"Step {guard}")
        answer_the_sum(page)
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_text("That was very quick.")).to_be_visible()
        page.wait_for_timeout(3_000)
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_text(f"Past the {guard}")).to_be_visible()
        page.close()
    assert f"Step {guard}" in entries(installation)


def test_if_no_token_comes_the_next_page_asks_and_its_script_sends(chromium, installation):
    with installation.serve() as server:
        page = chromium.new_page(base_url=server.address)
        page.route("**/token", lambda route: route.abort())
        page.goto("/harbour/guarded.html")
        form = page.locator("#proof > form")
        form.get_by_label("Name").fill("No token")
        form.get_by_role("button", name="Send").click()
        expect(page.get_by_text("One more step")).to_be_visible()
        expect(page.get_by_label("Name")).to_have_value("No token")
        answer_the_sum(page)
        page.get_by_role("button", name="Send").click()  # the script waits until the token counts
        expect(page.get_by_text("Past the proof")).to_be_focused()
        page.close()
    assert "No token" in entries(installation)


def test_a_token_that_has_ended_is_replaced_unseen(chromium, installation):
    with installation.serve() as server:
        page = chromium.new_page(base_url=server.address)
        ended = {"token": "ended", "wait": 0}
        headers = {"Access-Control-Allow-Origin": "*"}
        page.route("**/token", lambda route: route.fulfill(json=ended, headers=headers), times=1)
        page.goto("/harbour/guarded.html")
        form = page.locator("#proof > form")
        form.get_by_label("Name").fill("Ended")
        form.get_by_role("button", name="Send").click()
        expect(page.get_by_text("Past the proof")).to_be_focused(timeout=15_000)
        page.close()
    assert "Ended" in entries(installation)


def test_a_visitor_sends_files(chromium, installation):
    pdf = {"name": "papers.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7"}
    with installation.serve() as server:
        for has_scripts in (True, False):
            page = chromium.new_page(base_url=server.address, java_script_enabled=has_scripts)
            page.goto("/harbour/_forms/3")
            assert not has_scripts or barriers(page, "main") == []  # they are found by a script
            papers = page.get_by_label("Papers")
            page.get_by_role("textbox", name="Name").fill(f"Ann {has_scripts}")
            papers.set_input_files(pdf | {"name": "papers.txt", "buffer": b"x" * (5 * 1024 * 1024 + 1)})
            page.get_by_role("button", name="Send").click()
            expect(papers).to_have_attribute("aria-invalid", "true")
            expect(page.get_by_text("is larger than 5 MB.").first).to_be_visible()
            expect(page.get_by_role("textbox", name="Name")).to_have_value(f"Ann {has_scripts}")
            papers.set_input_files([pdf])
            page.get_by_role("button", name="Send").click()
            expect(page.get_by_text("Thank you. We have received what you sent.")).to_be_visible()
            page.close()
    assert entries(installation).endswith("['Ann True', ['papers.pdf']], ['Ann False', ['papers.pdf']]]")

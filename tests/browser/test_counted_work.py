"""Everyday work, from the start page: it takes at most so many clicks and loaded pages."""

import re
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import new_desk
from tests.browser.counting import Counted
from tests.browser.test_editor import picture

AUTHOR, CHIEF = "ada", "carl"
PASSWORD = "harbour-lantern-27"
_MAKE = """
from django.contrib.auth.models import Group
from accounts.models import Administrator
for name, role in (("ada", "Author"), ("carl", "Chief editor")):
    made = Administrator.objects.create_user(name, "harbour-lantern-27")
    made.groups.add(Group.objects.get(name=role))
"""

_OLD_PICTURE = """
from datetime import timedelta
from django.core.files.storage import default_storage
from core.lib import clock
from media_library.models import MediaFile
old = clock.now() - timedelta(days=400)
first = MediaFile.objects.filter(kind="image").first()
for number in range(30):
    path = f"upload/new{number}.jpg"
    with default_storage.open(f"sites/{first.site_id}/{first.path}") as file:
        default_storage.save(f"sites/{first.site_id}/{path}", file)
    MediaFile.objects.create(site_id=first.site_id, path=path, kind="image", bytes=9, title=f"New {number}")
texts = {"title": "A lighthouse", "alternative_text": "A white lighthouse", "created_at": old}
MediaFile.objects.filter(pk=first.pk).update(**texts)
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A back end that no other file changes."""
    with new_desk(tmp_path_factory.mktemp("work")) as made:
        yield made


@pytest.fixture(scope="module")
def staff(desk):
    """An author and a chief editor, besides the first superuser."""
    desk.installation.manage("shell", "--no-imports", "-c", _MAKE)


@pytest.fixture
def working(visit, sign_in, staff):
    """Opens the start page of a person: `with working("ada") as work`; by default of the superuser."""
    from contextlib import contextmanager

    @contextmanager
    def begin(*person, **options):
        with visit(**options) as page:
            sign_in(page, *person, *([PASSWORD] if person else []))
            page.goto("/admin/", wait_until="networkidle")
            yield Counted(page)

    return begin


def test_an_article_with_two_pictures_and_a_table(working):
    with working(AUTHOR) as work:
        page = work.page
        work.click(page.locator(".panel-writing .panel-buttons a").first)
        page.wait_for_url("**/add/**")
        page.keyboard.type("The boat hall opens again")  # the title has the focus
        page.locator(".editor-text").focus()
        page.keyboard.type("From May on.")
        for name in ("quay.png", "hall.png"):
            work.click(page.locator("[data-tool=picture]"))
            dialog = page.get_by_role("dialog", name="Picture")
            work.clicks += 1  # opens the dialog of the operating system
            dialog.locator("input[type=file]").set_input_files(
                [{"name": name, "mimeType": "image/png", "buffer": picture()}]
            )
            expect(dialog).to_have_count(0)
        work.click(page.locator("[data-tool=table]"))
        work.click(page.get_by_role("button", name="2 × 2"))
        work.click(page.locator(".save-buttons button.default").first)
        page.wait_for_url(lambda address: "/add/" not in address)
        work.check(clicks=8, loads=2)
        expect(page.locator(".messagelist")).to_contain_text("saved and submitted for approval")


def test_a_picture_of_last_year_is_used_again(working, desk):
    desk.installation.manage("shell", "--no-imports", "-c", _OLD_PICTURE)
    with working(AUTHOR) as work:
        page = work.page
        work.click(page.locator(".panel-changed .rows a").last)
        page.wait_for_url("**/change/")
        work.click(page.locator("[data-tool=picture]"))
        dialog = page.get_by_role("dialog", name="Picture")
        page.keyboard.type("lighthouse")  # the search has the focus
        work.click(dialog.get_by_role("button", name="A lighthouse"))
        expect(page.locator(".editor-text img[alt='A white lighthouse']")).to_have_count(1)
        work.click(page.locator(".save-buttons button.default").first)
        page.wait_for_url(lambda address: not address.endswith("/change/"))
        work.check(clicks=4, loads=2)


def test_a_public_article_is_corrected_by_who_may_not_publish(working):
    with working(AUTHOR) as work:
        page = work.page
        work.click(page.locator(".panel-changed .rows a").last)
        page.wait_for_url("**/change/")
        page.get_by_label("Subtitle").fill("Until the end of May")
        work.click(page.locator(".save-buttons button.default").first)
        page.wait_for_url(lambda address: not address.endswith("/change/"))
        work.check(clicks=2, loads=2)


def test_an_article_is_approved_on_a_phone(working):
    with working(CHIEF, width=390, height=844) as work:
        page = work.page
        waiting = page.locator(".panel-waiting .rows a").first
        title = waiting.inner_text()
        work.click(waiting)
        page.wait_for_url("**/review/**")
        expect(page.get_by_text(title).first).to_be_visible()
        work.click(page.get_by_role("button", name=re.compile("^Approve( and publish)?$")))
        expect(page.locator(".messagelist")).to_contain_text("approved")
        work.check(clicks=2, loads=2)


def test_an_article_is_planned_for_tomorrow_and_the_week_is_looked_at(working):
    with working() as work:
        page = work.page
        work.click(page.locator(".panel-changed .rows a").first)
        page.wait_for_url("**/change/")
        moment = (datetime.now() + timedelta(days=1)).replace(hour=8, minute=0)
        page.get_by_label("Unpublish on").fill(f"{moment:%Y-%m-%dT%H:%M}")
        work.click(page.locator(".save-buttons button.default").first)
        work.click(page.locator(".messagelist").get_by_role("link", name="Show the week"))
        week = page.get_by_role("dialog", name="Calendar of publications")
        expect(week.locator(f'[data-day="{moment:%Y-%m-%d}"]')).to_contain_text("08:00")
        work.check(clicks=3, loads=2)
        week.get_by_role("link", name="Next week").click()
        expect(week.locator(f'[data-day="{moment + timedelta(days=7):%Y-%m-%d}"]')).to_be_visible()
        assert work.loads == 2


def test_thirty_articles_are_moved_and_moved_back(working):
    with working() as work:
        page = work.page
        work.click(page.get_by_role("navigation", name="Menu").get_by_role("link", name="Contents", exact=True))
        page.wait_for_url("**/contents/content/**")
        total, rows = page.locator(".total"), page.locator("tr input.action-select")
        before = total.inner_text()
        work.click(rows.first)
        work.clicks += 1
        rows.nth(30).click(modifiers=["Shift"])  # one of these is there already
        work.click(page.get_by_role("button", name="Move", exact=True))
        dialog = page.get_by_role("dialog", name="Move")
        field = dialog.get_by_role("combobox")
        expect(field).to_be_focused()
        page.keyboard.type("Opening hours")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")  # takes the channel
        page.keyboard.press("Enter")  # moves
        told = page.locator(".messagelist")
        expect(told).to_contain_text("moved")
        expect(dialog).to_have_count(0)
        work.click(told.get_by_role("button", name="Undo"))
        expect(told).to_contain_text("30 changes were undone.")
        expect(total).to_have_text(before)
        work.check(clicks=5, loads=2)


def test_a_channel_is_copied_with_all_below(working):
    with working() as work:
        page = work.page
        work.click(page.get_by_role("navigation", name="Menu").get_by_role("link", name="Channels"))
        page.wait_for_url("**/site/**")
        work.click(page.locator("tr", has_text="Visit").first.locator(".row-actions button"))
        work.click(page.get_by_role("menuitem", name="Copy"))
        expect(page.get_by_role("dialog", name="Copy the channel").get_by_label("Name of the copy")).to_be_focused()
        page.keyboard.press("Enter")
        page.wait_for_url("**/jobs/job/**")
        expect(page.get_by_role("button", name="Undo")).to_be_visible()
        work.check(clicks=3, loads=2)


def test_a_site_is_copied_with_its_contents(working):
    with working() as work:
        page = work.page
        work.click(page.locator(".menu-administration summary"))
        work.click(page.get_by_role("navigation", name="Menu").get_by_role("link", name="Sites"))
        page.wait_for_url("**/cms_sites/site/")
        work.click(page.get_by_role("link", name="Copy the site").first)
        expect(page.get_by_role("dialog", name="Copy the site").get_by_label("Name")).to_be_focused()
        page.keyboard.press("Enter")
        page.wait_for_url("**/jobs/job/**")
        work.check(clicks=3, loads=2)


def test_a_field_is_added(working):
    with working() as work:
        page = work.page
        work.click(page.get_by_role("navigation", name="Menu").get_by_role("link", name="Custom fields"))
        page.wait_for_url("**/fields/**")
        page.locator("[name=new-name]").fill("capacity")
        work.click(page.get_by_role("button", name="Save", exact=True))
        expect(page.locator(".messagelist")).to_contain_text("saved")
        work.check(clicks=2, loads=2)


def test_an_editor_gets_a_role_in_one_branch(working, desk):
    with working() as work:
        page = work.page
        work.click(page.get_by_role("navigation", name="Menu").get_by_role("link", name="Channels"))
        page.wait_for_url("**/site/**")
        work.click(page.locator("tr", has_text="News").first.locator(".row-actions button"))
        work.click(page.get_by_role("menuitem", name="People"))
        page.wait_for_url("**/people/**")
        work.choose(page.get_by_label("Person"), AUTHOR)
        work.choose(page.get_by_label("Role"), "Editor")
        if page.get_by_label("Your password").is_visible():
            page.get_by_label("Your password").fill(desk.password)
        work.click(page.get_by_role("button", name="Give this role"))
        expect(page.locator(".messagelist")).to_contain_text("Editor")
        work.check(clicks=7, loads=3)

"""Views of lists that people save, and the columns that they hide."""

import pytest
from django.test import Client

from contents.models import Content
from core.admin.list_views import MAX_VIEWS
from core.models import SavedView
from tests.admin.pages.browsing import listed, place, told, undo, undo_button
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
PAGE = "contents_content"
PENDING = {"state": "pending", "o": "-5"}


def browser_of(user):
    made = Client()
    made.force_login(user)
    return made


@pytest.fixture
def owner():
    return administrator_with("contents.view_content")


def save(browser, name="To do", query="state=pending&o=-5&p=3", page=PAGE, **sent):
    return browser.post(place(page, "views"), {"name": name, "query": query} | sent)


def tabs(browser, page=PAGE, **query):
    shown = browser.get(place(page), query).context
    return [(view.name, view.is_current) for view in shown["views"]]


def test_a_view_keeps_search_filters_and_order_and_is_a_tab_of_its_owner(owner):
    browser = browser_of(owner)
    answer = save(browser)
    assert answer.url == f"{place(PAGE)}?state=pending&o=-5"  # without the page's number
    assert told(answer) == ["The view “To do” was saved."]
    assert tabs(browser) == [("To do", False)]
    assert tabs(browser, **PENDING, p="2") == [("To do", True)]
    assert (tabs(browser_of(AdministratorFactory())), tabs(browser, "contents_contenttag")) == ([], [])


def test_saving_under_the_same_name_replaces_the_view(owner):
    browser = browser_of(owner)
    save(browser)
    save(browser, query="state=approved")
    assert [(view.name, view.query) for view in SavedView.objects.all()] == [("To do", "state=approved")]


@pytest.mark.parametrize("sent", [{"name": " "}, {"name": "x" * 61}, {"query": f"q={'x' * 2000}"}])
def test_a_view_without_a_name_or_too_long_is_refused(owner, sent):
    assert told(save(browser_of(owner), **sent))[0].startswith("The view was not saved")
    assert not SavedView.objects.exists()


def test_a_person_has_a_bounded_number_of_views(owner):
    browser = browser_of(owner)
    for number in range(MAX_VIEWS):
        save(browser, f"View {number}")
    assert told(save(browser, "One more"))[-1:] == [f"Delete a view of this list first: you have {MAX_VIEWS}."]
    assert told(save(browser, "View 3"))[-1:] == ["The view “View 3” was saved."]
    assert SavedView.objects.count() == MAX_VIEWS


def test_only_superusers_share_views_and_what_is_shared_shows_everyone_only_what_they_may_see(owner):
    save(browser_of(owner), shared="1")
    assert not SavedView.objects.get().is_shared
    SavedView.objects.all().delete()
    save(browser_of(AdministratorFactory()), query="", shared="1")
    content = ContentFactory()
    assert tabs(browser_of(owner)) == [("To do", True)]
    elsewhere = AdministratorFactory(is_superuser=False, site_id_collection=str(SiteFactory().pk))
    assert tabs(browser_of(elsewhere)) == [("To do", True)]
    assert content not in listed(browser_of(elsewhere), PAGE)


def test_views_of_others_cannot_be_deleted_and_shared_ones_only_by_superusers(owner):
    browser = browser_of(owner)
    shared = SavedView.objects.create(
        administrator=AdministratorFactory(), page="contents.content", name="Ours", query="", is_shared=True
    )
    private = SavedView.objects.create(
        administrator=shared.administrator, page="contents.content", name="Mine", query=""
    )
    for view in (shared, private):
        assert browser.post(place(PAGE, "views"), {"delete": view.pk}).status_code == 404
    superuser = browser_of(AdministratorFactory())
    assert superuser.post(place(PAGE, "views"), {"delete": private.pk}).status_code == 404
    assert told(superuser.post(place(PAGE, "views"), {"delete": shared.pk})) == ["The view “Ours” was deleted."]
    assert list(SavedView.objects.all()) == [private]


def test_hidden_columns_stay_hidden_in_this_list_and_no_other(owner):
    browser = browser_of(owner)
    shown = [name for name, _label, _is_shown in browser.get(place(PAGE)).context["columns"]]
    assert "headline" not in shown  # the title always stays
    kept = [name for name in shown if name != "hits_shown"]
    answer = browser.post(place(PAGE, "columns"), {"columns": kept, "query": "o=-5&x=%0d%0aSet-Cookie:1"})
    assert answer.url == f"{place(PAGE)}?o=-5&x=%0D%0ASet-Cookie%3A1"
    assert answer.cookies["cms_hidden_columns"]["path"] == place(PAGE)
    listing = browser.get(place(PAGE)).context
    assert [name for name, _label, is_shown in listing["columns"] if not is_shown] == ["hits_shown"]
    position = list(listing["cl"].list_display).index("hits_shown") + 1
    assert listing["column_classes"] == f"own-columns hides-{position}"


def test_harmless_actions_are_done_without_a_question_and_can_be_undone():
    browser = browser_of(AdministratorFactory())
    contents = [ContentFactory() for _ in range(3)]
    sent = {"action": "pin", "_selected_action": [one.pk for one in contents[:2]], "index": "0"}
    answer = browser.post(f"{place(PAGE)}?o=-5", sent)
    assert answer.url == f"{place(PAGE)}?o=-5"
    assert told(answer) == ["2 content items were pinned."]
    assert set(Content.objects.filter(is_top=True)) == set(contents[:2])
    assert undo_button(answer)
    undo(browser, answer)
    assert not Content.objects.filter(is_top=True).exists()


def test_all_that_match_are_not_changed_without_a_question():
    browser = browser_of(AdministratorFactory())
    content = ContentFactory()
    sent = {"action": "pin", "_selected_action": [content.pk], "index": "0", "select_across": "1"}
    assert browser.post(place(PAGE), sent).templates[0].name == "cms_admin/action.html"
    assert not Content.objects.filter(is_top=True).exists()


def test_a_harmless_action_does_not_reach_records_outside_ones_rights():
    ours, theirs = ContentFactory(), ContentFactory()
    browser = browser_of(AdministratorFactory(is_superuser=False, site_id_collection=str(ours.site_id)))
    sent = {"action": "pin", "_selected_action": [ours.pk, theirs.pk], "index": "0"}
    browser.post(place(PAGE), sent)
    assert list(Content.objects.filter(is_top=True)) == [ours]

"""Two people who write the same content: nothing is overwritten unseen, and nothing that was typed is lost."""

import html
import re
from threading import Barrier, Thread

import pytest
from django.db import connection
from django.test import Client

from contents.models import Content, ContentChange, CustomField
from contents.services.single import trash_content
from core.lib import clock
from tests.admin.browser_forms import posted_by
from tests.admin.pages.browsing import place
from tests.admin.pages.writing.forms import PAGE, change, open_form, open_new, save, save_new, sent_by
from tests.admin.world import administrator_with
from tests.contents.derived import assert_derived
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db


def browser(name):
    client = Client()
    client.force_login(AdministratorFactory(user_name=name))
    return client


@world
def others():
    """A content, the browsers of two people, and the form that the second has open since before the first saved."""
    content = ContentFactory(title="Title", author="Ann", source="Gazette", content="<p>old</p>")
    ann, bob = browser("ann"), browser("bob")
    return content, ann, bob, open_form(bob, content)


def stored(content):
    return Content.objects.select_related("body").get(pk=content.pk)


def test_a_stale_form_stores_nothing_and_comes_back_with_everything_that_was_typed(others):
    content, ann, bob, sent = others
    change(ann, content, title="Hers", author="Cleo", body="<p>hers</p>")
    answer = save(bob, content, sent | {"title": "His", "body": "<p>his</p>", "tags": "new"})
    assert answer.status_code == 409
    after = stored(content)
    assert (after.title, after.body.text, after.tags, after.version) == ("Hers", "<p>hers</p>", "", 2)
    conflict = answer.context["conflict"]
    assert conflict.user_name == "ann"
    assert abs((clock.now() - conflict.at).total_seconds()) < 60
    assert conflict.taken_over == ["Author"]
    assert {row.name: (row.mine, row.theirs) for row in conflict.contested} == {
        "title": ("His", "Hers"),
        "body": ("<p>his</p>", "<p>hers</p>"),
    }
    shown = sent_by(answer.context["form"])
    assert (shown["title"], shown["body"], shown["tags"], shown["author"]) == ("His", "<p>his</p>", "new", "Cleo")
    assert shown["seen_version"] == "2"


def test_of_long_texts_the_page_tells_what_differs(others):
    content, ann, bob, sent = others
    shared = "<p>上午九点开门，欢迎参观。</p><p>All are welcome.</p>"
    change(ann, content, title="Hers", summary="Doors open. " * 30 + "Ann", body=shared)
    body = shared.replace("九", "十")
    answer = save(bob, content, sent | {"title": "His", "summary": "Doors open. " * 30 + "Bob", "body": body})
    text = answer.content.decode()
    assert "上午<del>九</del><ins>十</ins>点开门，欢迎参观。" in text
    assert "<del>Ann</del><ins>Bob</ins>" in text
    assert [row.name for row in answer.context["conflict"].short] == ["title"]
    assert text.count('name="take"') == text.count('name="contested"') == 3


def test_bodies_with_the_same_words_are_compared_by_their_source(others):
    content, ann, bob, sent = others
    change(ann, content, body="<p><strong>old</strong> text</p>")
    text = save(bob, content, sent | {"body": "<p><em>old</em> text</p>"}).content.decode()
    assert "&lt;<del>strong</del><ins>em</ins>&gt;" in text


def test_long_bodies_add_little_to_the_page(others):
    content, ann, bob, sent = others
    mine, theirs = (
        "".join(f"<p>{word} of the quay {n * 7919 % 10007}</p>" for n in range(12_000)) for word in ("mine", "theirs")
    )
    change(ann, content, body=theirs)
    answer = save(bob, content, sent | {"body": mine})
    assert answer.status_code == 409
    assert len(answer.content) - len(html.escape(mine)) < 300_000


def test_the_form_that_came_back_can_be_saved_with_a_choice_for_each_field(others):
    content, ann, bob, sent = others
    change(ann, content, title="Hers", author="Cleo", body="<p>hers</p>")
    answer = save(bob, content, sent | {"title": "His", "body": "<p>his</p>", "tags": "new"})
    again = sent_by(answer.context["form"]) | {"contested": ["title", "body"], "take": ["body"]}
    assert save(bob, content, again).status_code == 302
    after = stored(content)
    assert (after.title, after.body.text, after.author, after.tags) == ("His", "<p>hers</p>", "Cleo", "new")
    assert after.version == 3


def test_a_choice_survives_a_mistake_elsewhere_in_the_form(others):
    content, ann, bob, sent = others
    change(ann, content, title="Hers", body="<p>hers</p>")
    answer = save(bob, content, sent | {"title": "His", "body": "<p>his</p>"})
    again = sent_by(answer.context["form"]) | {"contested": ["title", "body"], "take": ["body"]}
    wrong = save(bob, content, again | {"link_url": "javascript:x"})
    rows = wrong.context["conflict"].contested
    assert {row.name: row.takes_theirs for row in rows} == {"title": False, "body": True}
    assert 'value="body" checked' in wrong.content.decode()


def test_a_third_who_saves_meanwhile_is_noticed_too(others):
    content, ann, bob, sent = others
    change(ann, content, title="Hers")
    again = sent_by(save(bob, content, sent | {"title": "His"}).context["form"])
    change(ann, content, author="Cleo")
    answer = save(bob, content, again)
    assert answer.status_code == 409
    assert answer.context["conflict"].taken_over == ["Author"]
    assert save(bob, content, sent_by(answer.context["form"])).status_code == 302
    assert (stored(content).title, stored(content).author) == ("His", "Cleo")


def test_fields_that_the_other_has_changed_to_the_same_are_no_conflict(others):
    content, ann, bob, sent = others
    change(ann, content, title="Same")
    answer = save(bob, content, sent | {"title": "Same"})
    assert answer.context["conflict"].contested == []


def test_without_a_history_every_field_that_differs_is_shown(others):
    content, ann, bob, sent = others
    change(ann, content, title="Hers")
    change(ann, content, author="Cleo")
    ContentChange.objects.all().delete()
    answer = save(bob, content, sent | {"source": "His"})
    assert {row.name for row in answer.context["conflict"].contested} == {"title", "author", "source"}


def test_a_change_of_the_api_counts_and_hits_do_not(others, api):
    content, _ann, bob, sent = others
    address = f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"
    api.put(address, {"hits": 5})
    assert save(bob, content, sent | {"title": "His"}).status_code == 302
    sent = open_form(bob, content)
    api.put(address, {"title": "Of the API"})
    answer = save(bob, content, sent | {"title": "His again"})
    assert answer.status_code == 409
    assert "Of the API" in answer.content.decode()


@pytest.mark.parametrize("seen", ["", "0", "99", "x"])
def test_a_form_that_does_not_say_what_it_has_seen_overwrites_nothing(others, seen):
    content, _ann, bob, sent = others
    answer = save(bob, content, sent | {"title": "His", "seen_version": seen})
    assert answer.status_code in {200, 409}
    assert stored(content).title == "Title"


def test_custom_fields_are_part_of_it(others):
    content, ann, bob, _sent = others
    field = CustomField.objects.create(site=content.site, name="subject", folded_name="subject", label="Subject")
    name = f"custom_{field.pk}"
    sent = open_form(bob, content)
    change(ann, content, **{name: "hers"})
    answer = save(bob, content, sent | {name: "his"})
    assert [(row.label, row.mine, row.theirs) for row in answer.context["conflict"].contested] == [
        ("Subject", "his", "hers")
    ]


def test_what_others_typed_does_not_act_in_the_page(others):
    content, ann, bob, sent = others
    change(ann, content, title="<script>alert(1)</script>")
    page = save(bob, content, sent | {"title": "<img src=x onerror=alert(1)>"}).content.decode()
    assert not re.search(r"<script>|<img[^>]*onerror", page)


def test_the_version_tells_who_has_saved_last(others):
    content, ann, bob, _sent = others
    address = place(PAGE, "version", content.pk)
    assert bob.get(address).json()["version"] == 1
    change(ann, content, title="Hers")
    told = bob.get(address).json()
    assert (told["version"], told["user_name"]) == (2, "ann")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", told["at"])
    trash_content(content.site_id, content.channel_id, content.pk)
    gone = bob.get(address)
    assert (gone.status_code, gone.json()["message"]) == (404, "The content item no longer exists.")


def test_the_version_is_told_to_whoever_may_see_the_content_only(client):
    own, other = ContentFactory(), ContentFactory()
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.site_id)))
    assert client.get(place(PAGE, "version", own.pk)).status_code == 200
    assert client.get(place(PAGE, "version", other.pk)).status_code == 404
    client.force_login(administrator_with("contents.view_content"))
    assert client.get(place(PAGE, "version", other.pk)).status_code == 200
    client.logout()
    assert client.get(place(PAGE, "version", own.pk)).status_code == 401


# ---- at the same moment


def at_once(*admin_actions):
    """The answers of the actions, all begun at the same moment, each in a thread with a connection of its own."""
    start, answers = Barrier(len(admin_actions)), [None] * len(admin_actions)

    def run(number, perform):
        try:
            start.wait()
            answers[number] = perform()
        finally:
            connection.close()

    threads = [Thread(target=run, args=pair) for pair in enumerate(admin_actions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@pytest.mark.django_db(transaction=True)
def test_of_two_who_save_at_the_same_moment_exactly_one_wins():
    content = ContentFactory()
    people = [browser(name) for name in ("ann", "bob", "cleo", "dan")]
    forms = [open_form(client, content) | {"title": f"Title of {number}"} for number, client in enumerate(people)]
    admin_actions = [
        lambda client=client, sent=sent: save(client, content, sent) for client, sent in zip(people, forms, strict=True)
    ]
    answers = at_once(*admin_actions)
    assert sorted(answer.status_code for answer in answers) == [302, 409, 409, 409]
    winner = next(number for number, answer in enumerate(answers) if answer.status_code == 302)
    assert (stored(content).title, stored(content).version) == (f"Title of {winner}", 2)
    assert_derived()


@pytest.mark.django_db(transaction=True)
def test_a_form_that_is_sent_several_times_at_the_same_moment_makes_one_content():
    channel, client = ChannelFactory(), browser("ann")
    sent = open_new(client, channel) | {"title": "Once", "state": "approved"}

    def same_browser():
        other = Client()
        other.cookies = client.cookies
        return save_new(other, channel, sent)

    answers = at_once(*[same_browser] * 4)
    assert [answer.status_code for answer in answers] == [302] * 4
    assert Content.objects.count() == 1
    assert_derived()


def test_what_a_browser_cannot_post_is_no_edit_of_mine(others):
    content, ann, bob, _sent = others
    field = CustomField.objects.create(site=content.site, name="venue", folded_name="venue")
    Content.objects.filter(pk=content.pk).update(settings_xml='{"venue":"one\\ntwo"}', source="a\nb")
    sent = posted_by(bob.get(place(PAGE, "change", content.pk))) | {"title": "His"}
    change(ann, content, **{f"custom_{field.pk}": "three", "source": "c"})
    answer = save(bob, content, sent)
    assert answer.status_code == 409
    assert (answer.context["conflict"].taken_over, answer.context["conflict"].contested) == (["Source", "Venue"], [])
    assert sent_by(answer.context["form"])[f"custom_{field.pk}"] == "three"

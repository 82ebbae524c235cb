"""The wizard that makes sites: each beginning, what it refuses, and that a site is made once."""

import pytest

from channels_app.models import Channel
from contents.models import Content
from core.audit.models import AuditEntry
from core.jobs import enqueueing
from core.jobs.models import Job
from forms.models import Entry, Field, Form
from media_library.models import MediaFile
from pages.models import Template
from sites.models import FieldDefinition, Site
from tests.accounts.forms import keep_media_in
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.transfer.wizard import ADD, answer, ask, do, job_of, token_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def one_at_a_time(settings):
    settings.CMS_JOBS_AT_ONCE = 1


@pytest.fixture
def highest(client):
    client.force_login(AdministratorFactory(user_name="harriet"))
    return client


def tree(site):
    rows = Channel.objects.filter(site=site).order_by("taxis").values_list("parents_count", "channel_name")
    return [(depth, name) for depth, name in rows if depth]


@pytest.mark.parametrize(("language", "home_name"), [("en", "Home"), ("zh-hans", "首页")])
def test_an_empty_site_has_a_home_in_the_language_of_who_made_it(highest, language, home_name):
    highest.cookies["cms_language"] = language
    job = do(ask(highest, {"begin": "empty"}))
    assert (job.state, job.report["channels"], job.report["contents"]) == ("done", 1, 0)
    site = Site.objects.get(pk=job.report["site_id"])
    assert (site.site_name, site.site_dir, site.is_root, site.web_url) == ("Harbour", "harbour", False, "/harbour")
    home = Channel.objects.get(pk=site.pk)
    assert (home.channel_name, home.index_name) == (home_name, home_name)


def test_channels_are_made_as_they_were_typed(highest):
    outline = "News\n  Local\n\n    Quays\n  World\r\n- About us\n\tContact\n\u3000Map"
    job = do(ask(highest, {"begin": "outline", "outline": outline}))
    assert tree(job.report["site_id"]) == [
        (1, "News"), (2, "Local"), (3, "Quays"), (2, "World"), (1, "About us"), (2, "Contact"), (2, "Map"),
    ]  # fmt: skip


@pytest.mark.parametrize(("language", "first"), [("en", "About us"), ("zh-hans", None)])
def test_a_starter_is_a_tree_that_can_be_changed(highest, language, first):
    highest.cookies["cms_language"] = language
    highest.get(ADD)
    answer(highest, "place", site_name="Harbour", site_dir="harbour")
    answer(highest, "begin", begin="company")
    shown = highest.get(ADD, {"step": "channels"}).context["form"]["outline"].value()
    assert len(shown.splitlines()) > 8
    assert first is None or shown.startswith(first)


def test_the_channels_of_another_site_are_copied_without_contents(highest):
    source = SiteFactory()
    news = ChannelFactory(site=source, channel_name="News", index_name="news", keywords="ships")
    local = ChannelFactory(site=source, parent=news, channel_name="Local")
    news.settings = {"transChannelIds": str(local.pk), "colour": "blue"}
    news.save()
    ContentFactory(channel=local)
    job = do(ask(highest, {"begin": "copy", "copy_from": source.pk}))
    assert tree(job.report["site_id"]) == [(1, "News"), (2, "Local")]
    copied = Channel.objects.get(site_id=job.report["site_id"], index_name="news")
    below = Channel.objects.get(parent=copied)
    assert (copied.keywords, copied.settings) == ("ships", {"transChannelIds": str(below.pk), "colour": "blue"})
    assert Content.objects.filter(site_id=job.report["site_id"]).count() == 0


def test_templates_and_kinds_of_custom_fields_are_copied_with_the_channels(highest):
    source = SiteFactory()
    lists = Template.objects.create(site=source, kind="ChannelTemplate", name="Lists", text="<p>", is_default=True)
    Template.objects.create(site=source, kind="IncludeFile", name="include/head.html", text="head", version=4)
    FieldDefinition.objects.create(site=source, owner="channel", name="logo", folded_name="logo", kind="Image")
    ChannelFactory(site=source, channel_template_id=lists.pk, content_template_id=lists.pk + 5_000)
    site = do(ask(highest, {"begin": "copy", "copy_from": source.pk})).report["site_id"]
    copied = Template.objects.filter(site=site).order_by("name")
    assert list(copied.values_list("name", "text", "version", "is_default")) == [
        ("Lists", "<p>", 1, True),
        ("include/head.html", "head", 1, False),
    ]
    channel = Channel.objects.get(site=site, parent=site)
    assert (channel.channel_template_id, channel.content_template_id) == (copied[0].pk, 0)
    assert FieldDefinition.objects.get(site=site).kind == "Image"


def test_forms_are_copied_with_the_channels_but_no_entries(highest):
    source = SiteFactory()
    form = Form.objects.create(site=source, name="Contact", keep_days=30, origin="input", origin_id=7)
    field = Field.objects.create(form=form, key="Mail", label="Mail", rules=[{"type": "Email"}])
    Entry.objects.create(form=form, values={str(field.pk): "ada@example.org"})
    site = do(ask(highest, {"begin": "copy", "copy_from": source.pk})).report["site_id"]
    copied = Field.objects.get(form__site=site)
    assert (copied.folded_key, copied.rules) == ("mail", [{"type": "Email"}])
    assert (copied.form.name, copied.form.keep_days, copied.form.origin_id) == ("Contact", 30, 7)
    assert not copied.form.entries.exists()


def test_the_files_that_the_channels_name_are_copied_with_them(highest, settings, tmp_path):
    keep_media_in(settings, tmp_path)
    source = SiteFactory(site_dir="port")
    folder = tmp_path / f"sites/{source.pk}"
    for path in ("upload/a.jpg", "upload/images/b.jpg", "upload/files/c d.jpg", "upload/images/no.jpg", "css/main.css"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    Template.objects.create(site=source, kind="ChannelTemplate", name="Lists", text="<p>")
    others = '<a href="/port/a/7.html">d</a><img src="https://a.example/port/upload/a.jpg"><img src="@/upload/e.jpg">'
    links = '<img src="/port/upload/images/b.jpg"><a href="/media/sites/{}/upload/files/c%20d.jpg">c</a>'
    text = links.format(source.pk) + others
    named = {"image_url": "@/upload/a.jpg", "content": text, "settings": {"logo": "@/none.png"}}
    ChannelFactory(site=source, index_name="news", **named)
    report = do(ask(highest, {"begin": "copy", "copy_from": source.pk})).report
    site = report["site_id"]
    copied = Channel.objects.get(site=site, index_name="news")
    assert copied.image_url == "@/upload/a.jpg"
    assert copied.content == f'<img src="@/upload/images/b.jpg"><a href="@/upload/files/c%20d.jpg">c</a>{others}'
    folder = tmp_path / f"sites/{site}"
    stored = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.*")}
    paths = {"upload/a.jpg", "upload/images/b.jpg", "upload/files/c d.jpg", "css/main.css"}
    assert stored == {path: path for path in paths}
    assert MediaFile.objects.filter(site=site).count() == 3  # without the style sheet
    assert (report["files"], report["missing_named"]) == (4, ["none.png", "upload/e.jpg"])


def test_a_site_stands_below_another(highest):
    above = SiteFactory(site_dir="port")
    job = do(ask(highest, {"begin": "empty"}, parent=str(above.pk)))
    assert Site.objects.get(pk=job.report["site_id"]).web_url == "/port/harbour"


def test_administrators_are_appointed_who_lose_nothing_by_it(highest):
    other = SiteFactory()
    keeper = AdministratorFactory(is_superuser=False, site_id_collection=str(other.pk))
    newcomer = AdministratorFactory(is_superuser=False)
    editor = administrator_with("contents.view_content")
    answered = ask(highest, {"begin": "empty"}, people=[keeper.pk, newcomer.pk])
    site = do(answered).report["site_id"]
    for each, sites in ((keeper, {other.pk, site}), (newcomer, {site})):
        each.refresh_from_db()
        assert each.reachable_site_ids == sites
    refused = answer_people(highest, editor)
    assert "people" in refused.context["form"].errors


def answer_people(browser, person):
    browser.get(ADD)
    answer(browser, "place", site_name="B", site_dir="b")
    answer(browser, "begin", begin="empty")
    return answer(browser, "people", people=[person.pk])


def test_the_audit_names_who_asked(highest):
    job = do(ask(highest, {"begin": "empty"}))
    entry = AuditEntry.objects.get(action="site.created", site_id=job.report["site_id"])
    assert (entry.actor_kind, entry.actor_name, entry.request_id) == (
        "administrator", "harriet", job.actor["request_id"],
    )  # fmt: skip


@pytest.mark.parametrize(("sent", "field"), [
    ({"site_dir": "API"}, "site_dir"),
    ({"site_dir": "a/b"}, "site_dir"),
    ({"site_dir": "Taken"}, "site_dir"),
    ({"site_dir": "a" * 256}, "site_dir"),
    ({"site_dir": ""}, "site_dir"),
    ({"site_dir": "x", "is_root": "on"}, "is_root"),
    ({"site_dir": "x", "parent": "999"}, "parent"),
    ({"site_dir": "x", "site_name": " "}, "site_name"),
])  # fmt: skip
def test_a_place_that_cannot_be_is_told_at_its_field(highest, sent, field):
    SiteFactory(site_dir="taken")
    SiteFactory(is_root=True, site_dir="")
    highest.get(ADD)
    refused = answer(highest, "place", **({"site_name": "Harbour"} | sent))
    assert list(refused.context["form"].errors) == [field]
    assert Job.objects.count() == 0


@pytest.mark.parametrize(("query", "is_free"), [
    ({"site_dir": "taken"}, False), ({"site_dir": "admin"}, False), ({"site_dir": "free"}, True),
    ({"site_dir": "free", "parent": "x"}, True),
])  # fmt: skip
def test_a_folder_is_looked_at_while_it_is_typed(highest, query, is_free):
    SiteFactory(site_dir="taken")
    assert (highest.get(f"{ADD}folder/", query).json()["problem"] == "") == is_free


@pytest.mark.parametrize("outline", ["\n".join(" " * n + "x" for n in range(11)), "x\n" * 1001, "x" * 256])
def test_a_tree_that_cannot_be_is_refused(highest, outline):
    highest.get(ADD)
    answer(highest, "place", site_name="B", site_dir="b")
    answer(highest, "begin", begin="outline")
    assert "outline" in answer(highest, "channels", outline=outline).context["form"].errors


def test_pressing_twice_makes_one_site(highest):
    highest.get(ADD)
    answer(highest, "place", site_name="Harbour", site_dir="harbour")
    answer(highest, "begin", begin="empty")
    answer(highest, "people")
    token = token_of(highest.get(ADD, {"step": "summary"}))
    first = highest.post(f"{ADD}?step=summary", {"token": token})
    again = highest.post(f"{ADD}?step=summary", {"token": token})
    assert first["Location"] == again["Location"]
    assert Job.objects.count() == 1


def test_one_job_too_many_is_told_on_the_summary_and_can_be_asked_for_later(highest):
    begun = [ask(highest, {"begin": "empty"}, site_dir=f"harbour{number}") for number in range(enqueueing.MAX)]
    refused = ask(highest, {"begin": "empty"}, site_dir="one-more")
    assert refused["Location"] == f"{ADD}?step=summary"
    shown = highest.get(refused["Location"])
    assert "You already have 3 jobs waiting or running." in shown.content.decode()
    assert shown.context["answers"]["site_dir"] == "one-more"
    do(begun[0])
    assert do(answer(highest, "summary")).state == "done"
    assert Site.objects.filter(site_dir="one-more").exists()


def test_a_place_that_was_taken_meanwhile_fails_in_words_and_leaves_nothing(highest):
    asked = ask(highest, {"begin": "empty"})
    SiteFactory(site_dir="Harbour", site_name="Quay")
    before = Site.objects.count()
    job = do(asked)
    assert (job.state, job.report["problem"]) == ("failed", "The folder belongs to the site Quay.")
    assert Site.objects.count() == before
    highest.cookies["cms_language"] = "zh-hans"  # whoever reads it does so in their own language
    told = highest.get(job.get_absolute_url()).content.decode()
    assert "Quay" in told
    assert "The folder belongs" not in told


def test_a_site_begins_with_nothing_unless_something_is_chosen(highest):
    highest.get(ADD)
    answer(highest, "place", site_name="Harbour", site_dir="harbour")
    assert highest.get(ADD, {"step": "begin"}).context["form"]["begin"].value() == "empty"


def test_who_may_no_longer_make_sites_has_none_made(client):
    asker = AdministratorFactory()
    client.force_login(asker)
    asked = ask(client, {"begin": "empty"})
    asker.is_superuser = False
    asker.save()
    assert do(asked).state == "failed"
    assert Site.objects.count() == 0


def test_going_back_keeps_the_answers(highest):
    highest.get(ADD)
    answer(highest, "place", site_name="Harbour", site_dir="harbour")
    answer(highest, "begin", begin="outline")
    answer(highest, "channels", outline="News")
    assert highest.get(ADD, {"step": "place"}).context["form"]["site_name"].value() == "Harbour"
    assert highest.get(ADD, {"step": "channels"}).context["form"]["outline"].value() == "News"


def test_no_step_is_reached_before_the_ones_it_needs(highest):
    highest.get(ADD)
    assert highest.get(ADD, {"step": "summary"}).context["step"] == "place"
    assert highest.get(ADD, {"step": "nothing"}).context["step"] == "place"


def test_site_administrators_make_no_sites(client):
    site = SiteFactory()
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(site.pk)))
    places = [ADD, f"{ADD}folder/", "/admin/cms_sites/site/template/"]
    assert [client.get(place).status_code for place in places] == [403, 403, 403]


def test_a_job_is_seen_by_who_asked_and_by_the_highest_rank(highest, client):
    job = job_of(ask(highest, {"begin": "empty"}))
    place = f"/admin/jobs/job/{job.pk}/change/"
    assert highest.get(place).status_code == 200
    client.force_login(AdministratorFactory(is_superuser=False))
    assert client.get(place).status_code == 404

"""Saving an untouched form changes nothing, regardless of the stored values."""

import json
from datetime import datetime

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from django.db import connection
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from accounts.folding import fold_guessed
from accounts.models import Administrator, User
from apikeys.models import ApiKey
from channels_app.models import Channel
from contents.models import Content, ContentBody, ContentGroup, CustomField
from contents.services.drafts import save_draft
from contents.wire.serializers import ContentSerializer
from pages.models import Template
from sites.attributes import REGISTRY
from sites.models import Site
from tests.accounts.signing_in import PASSWORD, account_of, nothing_counted
from tests.admin.browser_forms import posted_by
from tests.admin.pages.browsing import place
from tests.factories import AdministratorFactory, ApiKeyFactory, ChannelFactory, ContentFactory, UserFactory
from webhooks.models import Webhook

__all__ = ["nothing_counted"]

pytestmark = pytest.mark.django_db

# Sessions, the count of passwords given, and the response in case the form comes again.
_OUTSIDE = {"sessions.session", "cms_api.sharedcounter", "cms_api.sentform"}
_SENDER = "harriet"  # whose last activity is that of the password
TEXTS = st.text(
    st.one_of(st.sampled_from("a\n\r\t \u3000'\"<&,é中"), st.characters(exclude_characters="\0", codec="utf-8"))
)
LINES = TEXTS.map(lambda text: f"x{text}")  # not blank
NAMES = LINES.map(lambda text: text.replace(",", "").strip()[:99])  # of groups and tags
DATES = st.datetimes(datetime(1800, 1, 1), datetime(2100, 1, 1))
KINDS = {
    "line": TEXTS,
    "text": TEXTS,
    "switch": st.sampled_from(["", "True", "true", "yes", "0", "False", "perhaps", True, False, 1]),
    "choice": TEXTS,
    "date": st.one_of(
        DATES.map(lambda moment: moment.isoformat(" ", "minutes")),
        DATES.map(lambda moment: moment.isoformat()),
        DATES.map(lambda moment: moment.date().isoformat()),
        TEXTS,
    ),
    "day": st.one_of(DATES.map(lambda moment: moment.date().isoformat()), DATES.map(str), TEXTS),
    "image": TEXTS,
    "video": TEXTS,
    "file": TEXTS,
}

unchanged = settings(
    max_examples=12,
    phases=[Phase.explicit, Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def browser(client):
    """A browser in which a superuser has signed in."""
    client.force_login(account_of("administrators", user_name=_SENDER))
    return client


def everything():
    """All rows of all tables, as the database has them."""
    models = [model for model in apps.get_models() if model._meta.label_lower not in _OUTSIDE and model._meta.managed]
    found = {}
    with connection.cursor() as cursor:
        for table in {model._meta.db_table for model in models}:
            others, sender = (
                (" WHERE user_name <> %s", [_SENDER]) if table == Administrator._meta.db_table else ("", [])
            )
            cursor.execute(f"SELECT * FROM {table}{others}", sender)
            found[table] = sorted(map(repr, cursor.fetchall()))
    return found


def save(browser, address, **typed):
    """Open the form and save it as the browser has it, with what was typed."""
    page = browser.get(address)
    assert page.status_code == 200
    before = everything()
    answer = browser.post(address, posted_by(page) | typed)
    assert answer.status_code == 302, _problems(answer)
    after = everything()
    return {name: (before[name], rows) for name, rows in after.items() if rows != before[name]}


def _problems(answer):
    form = answer.context.get("form") or answer.context["adminform"].form
    return dict(form.errors)


def test_a_content(browser):
    content = ContentFactory(is_checked=True)
    fields = [CustomField(site=content.site, name=kind, folded_name=kind, kind=kind, choices="a\nb") for kind in KINDS]
    CustomField.objects.bulk_create(fields)
    names = ("sub_title", "summary", "image_url", "author", "source", "link_url", "tags")

    @unchanged
    @given(
        title=LINES,
        texts=st.fixed_dictionaries(dict.fromkeys(names, TEXTS.map(lambda text: text[:200]))),
        body=TEXTS,
        custom=st.fixed_dictionaries({}, optional=KINDS),
        moment=DATES,
        groups=st.lists(NAMES, max_size=2, unique=True),
    )
    def holds(title, texts, body, custom, moment, groups):
        values = texts | {"title": title, "add_date": moment, "group_name_collection": ",".join(groups)}
        Content.objects.filter(pk=content.pk).update(**values, settings_xml=json.dumps(custom))
        ContentBody.objects.filter(content=content).update(text=body)
        assert not save(browser, place("contents_content", "change", content.pk))

    holds()


def test_a_draft(browser):
    content = ContentFactory(is_checked=True)
    field = CustomField.objects.create(site=content.site, name="opens", folded_name="opens", kind="date")

    @unchanged
    @given(title=LINES, summary=TEXTS, author=TEXTS, body=TEXTS, opens=KINDS["date"])
    def holds(title, summary, author, body, opens):
        members = {"title": title, "summary": summary, "author": author[:200], "content": body, field.name: opens}
        save_draft(content.site_id, content.channel_id, content.pk, ContentSerializer.read(members), "harriet")
        assert not save(browser, place("contents_content", "change", content.pk))

    holds()


def test_a_channel(browser):
    channel = ChannelFactory()
    names = ("image_url", "content", "link_url", "keywords", "description", "file_path")

    @unchanged
    @given(
        name=LINES,
        texts=st.fixed_dictionaries(dict.fromkeys(names, TEXTS)),
        custom=st.dictionaries(st.sampled_from(["one", "two", "a\nb"]), TEXTS),
    )
    def holds(name, texts, custom):
        Channel.objects.filter(pk=channel.pk).update(**texts, channel_name=name, index_name=name, settings=custom)
        assert not save(browser, place("channels_app_channel", "change", channel.pk))

    holds()


def test_a_user(browser):
    user = UserFactory()
    names = (
        "display_name",
        "email",
        "mobile",
        "organization",
        "gender",
        "birthday",
        "address",
        "interests",
        "signature",
    )

    @unchanged
    @given(name=LINES, texts=st.fixed_dictionaries(dict.fromkeys(names, TEXTS)))
    def holds(name, texts):
        User.objects.filter(pk=user.pk).update(**texts, user_name=name)
        fold_guessed()
        assert not save(browser, place("accounts_user", "change", user.pk))

    holds()


def test_an_administrator(browser):
    administrator = AdministratorFactory()

    @unchanged
    @given(name=LINES, texts=st.fixed_dictionaries(dict.fromkeys(("display_name", "email", "mobile"), TEXTS)))
    def holds(name, texts):
        Administrator.objects.filter(pk=administrator.pk).update(**texts, user_name=name)
        fold_guessed()
        address = place("accounts_administrator", "change", administrator.pk)
        assert not save(browser, address, own_password=PASSWORD)

    holds()


def test_a_group_of_administrators(browser):
    group = Group.objects.create(name="editors")

    @unchanged
    @given(name=LINES)
    def holds(name):
        Group.objects.filter(pk=group.pk).update(name=name[:150])
        assert not save(browser, place("auth_group", "change", group.pk))

    holds()


def test_the_settings_of_a_site(browser):
    site = ContentFactory().site
    texts = [each.name for each in REGISTRY if each.kind == "text" and not each.is_computed]
    others = [each.name for each in REGISTRY if each.kind != "text" and not each.is_computed]

    @unchanged
    @given(
        name=LINES,
        texts=st.dictionaries(st.sampled_from(texts), LINES, max_size=5),
        others=st.dictionaries(st.sampled_from(others), st.one_of(st.integers(-5, 5), TEXTS), max_size=5),
    )
    @example(name="x", texts={}, others={"createStaticContentAddDate": ""})
    def holds(name, texts, others):
        Site.objects.filter(pk=site.pk).update(site_name=name[:50], settings=texts | others)
        assert not save(browser, place("cms_sites_site", "change", site.pk))

    holds()


def test_custom_fields(browser):
    site = ContentFactory().site
    field = CustomField.objects.create(site=site, name="venue", folded_name="venue", kind="line")

    @unchanged
    @given(texts=st.fixed_dictionaries(dict.fromkeys(("label", "choices", "help_text"), TEXTS)))
    def holds(texts):
        CustomField.objects.filter(pk=field.pk).update(**texts)
        assert not save(browser, place("contents_content", "fields", site.pk))

    holds()


def test_a_group_of_contents(browser):
    group = ContentGroup.objects.create(site=ContentFactory().site, group_name="harbour")

    @unchanged
    @given(name=NAMES, description=TEXTS)
    def holds(name, description):
        ContentGroup.objects.filter(pk=group.pk).update(group_name=name, description=description)
        assert not save(browser, place("contents_contentgroup", "change", group.pk))

    holds()


def test_a_template(browser):
    site = ContentFactory().site
    template = Template.objects.create(site=site, kind="ChannelTemplate", name="list")

    @unchanged
    @given(name=LINES, text=TEXTS)
    def holds(name, text):
        Template.objects.filter(pk=template.pk).update(name=name, text=text)
        assert not save(browser, place("pages_template", "change", template.pk))

    holds()


def test_a_webhook(browser):
    hook = Webhook.objects.create(name="n", url="https://receiver.example/", site_id=0)

    @unchanged
    @given(
        name=LINES,
        site_id=st.integers(0, 3),
        events=st.sampled_from(["", "content.created", "content.changed,content.created"]),
    )
    def holds(name, site_id, events):
        Webhook.objects.filter(pk=hook.pk).update(name=name[:200], site_id=site_id, event_names=events)
        changed = save(browser, place("webhooks_webhook", "edit", hook.pk), own_password=PASSWORD)
        assert not changed, (name, site_id, events, changed)

    holds()


def test_a_key(browser):
    key = ApiKeyFactory()

    @unchanged
    @given(name=LINES)
    def holds(name):
        ApiKey.objects.filter(pk=key.pk).update(name=name[:200])
        assert not save(browser, place("apikeys_apikey", "edit", key.pk), own_password=PASSWORD)

    holds()

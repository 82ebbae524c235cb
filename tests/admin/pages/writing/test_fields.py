"""Custom fields of a site: described on a page of their own, written in the form of each content."""

import orjson
import pytest

from contents.models import Content, CustomField
from tests.admin.pages.browsing import noted, place, told
from tests.admin.pages.writing.forms import add, change, open_form
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db


def field(site, name, **more):
    return CustomField.objects.create(site=site, name=name, folded_name=name.casefold(), **more)


def address(site):
    return place("contents_content", "fields", site.pk)


def described(client, site, new=None, **typed):
    """What the page answers when it is sent as it is shown, but for what was typed."""
    page = client.get(address(site)).context
    sent = {"seen": page["seen"]}
    for form in page["forms"]:
        sent |= {
            each.html_name: each.value() for each in form if each.value() is not None and each.value() is not False
        }
    sent |= {f"new-{name}": value for name, value in (new or {}).items()}
    return client.post(address(site), sent | typed)


def settings_of(content):
    return orjson.loads(Content.objects.get(pk=content.pk).settings_xml)


def test_a_field_is_described_and_a_new_one_is_added_by_the_rules_of_the_api(highest):
    site = SiteFactory()
    known = field(site, "videoLength")
    new = {"name": "Subject", "label": "题材", "kind": "choice", "choices": "a\r\nb", "taxis": "1", "is_offered": "on"}
    answer = described(highest, site, new, **{f"field-{known.pk}-label": "Length", f"field-{known.pk}-taxis": "2"})
    assert told(answer) == ["The fields were saved."]
    known.refresh_from_db()
    assert (known.name, known.label, known.taxis) == ("videoLength", "Length", 2)
    made = CustomField.objects.get(name="subject")
    assert (made.label, made.kind, made.choices.split(), made.folded_name) == ("题材", "choice", ["a", "b"], "subject")
    (entry,) = noted("site.changed")
    assert str(site.pk) == entry.object_id


@pytest.mark.parametrize("name", ["title", "SettingsXml", "check_reasons", "", "  ", "x" * 256, "id", "videolength"])
def test_a_name_that_cannot_be_one_is_refused(highest, name):
    site = SiteFactory()
    field(site, "videoLength")
    described(highest, site, {"name": name, "kind": "line", "taxis": "0"})
    assert CustomField.objects.count() == 1


def test_a_list_without_choices_is_refused(highest):
    site = SiteFactory()
    answer = described(highest, site, {"name": "subject", "kind": "choice", "taxis": "0"})
    assert "choices" in answer.context["new"].errors
    assert not CustomField.objects.exists()


def test_what_somebody_else_has_changed_meanwhile_is_not_overwritten_unseen(highest):
    site = SiteFactory()
    known = field(site, "a", label="One")
    stale = highest.get(address(site)).context["seen"]
    CustomField.objects.update(label="Two")
    answer = described(highest, site, seen=stale, **{f"field-{known.pk}-label": "Three"})
    assert "Another user has changed the fields" in answer.content.decode()
    assert CustomField.objects.get().label == "Two"
    described(highest, site, seen=answer.context["seen"], **{f"field-{known.pk}-label": "Three"})
    assert CustomField.objects.get().label == "Three"


def test_who_may_change_the_settings_of_the_site_may_describe_its_fields(client):
    own, other = SiteFactory(), SiteFactory()
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.pk)))
    assert described(client, own, {"name": "a", "kind": "line", "taxis": "0"}).status_code == 302
    assert client.get(address(other)).status_code == 404
    assert client.post(address(other), {"new-name": "b"}).status_code == 404
    client.force_login(administrator_with("contents.change_content"))
    assert client.get(address(own)).status_code == 404
    assert list(CustomField.objects.values_list("name", flat=True)) == ["a"]


def test_the_form_has_an_input_for_each_kind_and_stores_texts(highest):
    channel = ChannelFactory()
    site = channel.site
    kinds = {"line": "one", "text": "a\r\nb", "switch": "on", "choice": "红", "date": "2026-11-20T09:30:00"}
    made = {kind: field(site, f"{kind}Field", kind=kind, choices="红\n蓝") for kind in kinds}
    add(highest, channel, title="x", **{f"custom_{made[kind].pk}": value for kind, value in kinds.items()})
    content = Content.objects.get()
    assert settings_of(content) == {
        "lineField": "one",
        "textField": "a\r\nb",
        "switchField": "True",
        "choiceField": "红",
        "dateField": "2026-11-20 09:30:00",
    }
    sent = open_form(highest, content)
    assert sent[f"custom_{made['date'].pk}"] == "2026-11-20T09:30"
    del sent[f"custom_{made['switch'].pk}"]
    highest.post(place("contents_content", "change", content.pk), sent)
    assert settings_of(content)["switchField"] == "False"


def test_a_value_that_no_input_of_its_kind_can_show_stays(highest):
    content = ContentFactory(settings_xml='{"A":"gone","b":"soon","c":{"x":1},"d":true,"other":1}')
    for name, kind in {"A": "choice", "b": "date", "c": "line", "d": "switch"}.items():
        field(content.site, name, kind=kind, choices="x\ny")
    change(highest, content, title="Another")
    assert settings_of(content) == {"A": "gone", "b": "soon", "c": {"x": 1}, "d": True, "other": 1}


def test_a_choice_that_is_none_is_refused(highest):
    content = ContentFactory()
    made = field(content.site, "a", kind="choice", choices="x\ny")
    answer = change(highest, content, **{f"custom_{made.pk}": "z"})
    assert list(answer.context["form"].errors) == [f"custom_{made.pk}"]
    assert settings_of(content) == {}


def test_what_approval_notes_and_what_is_not_offered_is_no_input(highest):
    content = ContentFactory()
    hidden = [field(content.site, "check_reasons"), field(content.site, "secret", is_offered=False)]
    sent = open_form(highest, content)
    assert not [each for each in hidden if f"custom_{each.pk}" in sent]
    change(highest, content, **{f"custom_{hidden[0].pk}": "x", "title": "y"})
    assert settings_of(content) == {}


@pytest.mark.parametrize(
    ("kind", "stored", "shown", "typed", "then"),
    [
        ("date", "2026-12-10 19:00", "2026-12-10T19:00", "2026-12-10T20:00", "2026-12-10 20:00:00"),
        ("date", "2026-09-18", "2026-09-18T00:00", "2026-09-19T00:00", "2026-09-19 00:00:00"),
        ("day", "2026-09-18", "2026-09-18", "2026-09-19", "2026-09-19"),
        ("day", "2026-09-18 00:00:00", "2026-09-18", "2026-09-19", "2026-09-19"),
        ("day", "2026-09-18 19:00", "2026-09-18 19:00", "2026-09-18 20:00", "2026-09-18 20:00"),
        ("day", "", "", "2026-09-19", "2026-09-19"),
    ],
)
def test_a_date_keeps_its_spelling_until_it_is_changed(highest, kind, stored, shown, typed, then):
    content = ContentFactory(settings_xml=orjson.dumps({"opens": stored}).decode())
    field = CustomField.objects.create(site=content.site, name="opens", folded_name="opens", kind=kind)
    name = f"custom_{field.pk}"
    assert open_form(highest, content)[name] == shown
    change(highest, content, title="New")
    content.refresh_from_db()
    assert (content.title, orjson.loads(content.settings_xml)) == ("New", {"opens": stored})
    change(highest, content, **{name: typed})
    content.refresh_from_db()
    assert orjson.loads(content.settings_xml) == {"opens": then}

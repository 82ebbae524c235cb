"""Addresses of SiteServer that hand-written pages send forms to."""

import json
import re

import pytest

from forms.models import Entry, Field, Form
from tests.factories import ChannelFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db


@world
def site():
    site = SiteFactory()
    for origin in (Form.Origin.INPUT, Form.Origin.PLUGIN, Form.Origin.FORM):
        form = Form.objects.create(site=site, name=origin, origin=origin, origin_id=1, title="Book")
        Field.objects.create(form=form, key="name", label="姓名", is_required=True, taxis=1)
        Field.objects.create(form=form, key="day", label="Day", kind="select", choices=["Mon", "Fri"], taxis=2)
    return site


def values():
    return list(Entry.objects.get().values.values())


@pytest.mark.parametrize("kind", ["application/json", None])
def test_a_page_sends_titles_to_the_plugins_address(client, site, kind):
    sent = {"姓名": "王小明", "Day": "Fri", "replyContent": "forged", "isReplied": "true"}
    body = (json.dumps(sent), kind) if kind else (sent,)
    response = client.post(f"/api/ss.form/{site.pk}/1", *body, HTTP_ORIGIN="null")
    assert values() == ["王小明", "Fri"] and Entry.objects.get().form.origin == "ss.form"
    row = response.json()
    assert (row["guid"], row["姓名"], row["isReplied"]) == (str(Entry.objects.get().token), "王小明", False)
    assert "replyContent" not in row and response.headers["Access-Control-Allow-Origin"] in {"*", "null"}


def test_the_plugins_definition_names_fields_and_choices(client, site):
    told = client.post(f"/api/ss.form/{site.pk}/1/actions/get").json()
    assert [(field["title"], field["fieldType"], field["validate"]) for field in told["value"]] == [
        ("姓名", "Text", "required"),
        ("Day", "SelectOne", ""),
    ]
    assert [item["value"] for item in told["value"][1]["items"]] == ["Mon", "Fri"]


@pytest.mark.parametrize("prefix", ["/api/stl", "/api/sys/stl"])
def test_a_hidden_frame_tells_the_page_around_it(client, site, prefix):
    response = client.post(f"{prefix}/actions/input_add/{site.pk}/1", {"name": "Ann", "successTemplateString": "x"})
    assert values() == ["Ann"] and response.headers["Content-Type"].startswith("text/html")
    assert '"isSuccess":true' in response.content.decode()
    refused = client.post(f"{prefix}/actions/input_add/{site.pk}/1", {"day": "</script>"}).content.decode()
    told = json.loads(re.search(r"const told = (\{.*?\}), number = 1;", refused)[1])
    assert told["isSuccess"] is False and "required" in told["message"]


def test_a_form_of_our_own_is_found_by_its_number_but_not_in_another_site(client, site):
    form = Form.objects.create(site=site, name="Own")
    Field.objects.create(form=form, key="name", label="Name")
    assert client.post(f"/api/ss.form/{site.pk}/{form.pk}", {"Name": "Ann"}).status_code == 200
    other = SiteFactory()
    for address in (f"ss.form/{other.pk}/{form.pk}", f"ss.form/{other.pk}/1", f"stl/actions/input_add/{other.pk}/1"):
        response = client.post(f"/api/{address}", {"Name": "Bob"})
        assert response.status_code == 404 and response.json()["message"] == "There is no such form."
    assert Entry.objects.count() == 1


@pytest.mark.parametrize("kind", ["application/json", None])
def test_a_page_sends_site_and_form_in_the_body(client, site, kind):
    channel = ChannelFactory(site=site)
    sent = {"siteId": site.pk, "formId": 1, "channelId": channel.pk, "contentId": 0, "Name": "王小明", "day": "Fri"}
    sent |= {"isReplied": "true", "replyContent": "forged", "smsCode": "1"}
    response = client.post("/api/form", *((json.dumps(sent), kind) if kind else (sent,)), HTTP_ORIGIN="null")
    entry = Entry.objects.get()
    assert values() == ["王小明", "Fri"] and (entry.form.origin, entry.channel_id, entry.reply) == (
        "form",
        channel.pk,
        "",
    )
    row = response.json()
    assert (row["guid"], row["name"], row["formId"], row["isReplied"]) == (str(entry.token), "王小明", 1, False)
    assert response.headers["Access-Control-Allow-Origin"] in {"*", "null"}


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({}, 400),
        ({"formId": 1}, 400),
        ({"siteId": "x", "formId": 1}, 400),
        ({"siteId": 999, "formId": 1}, 404),
        ({"siteId": [[]], "formId": 2**70}, 400),
    ],
)
def test_bodies_that_name_no_form_are_refused(client, site, sent, status):
    response = client.post("/api/form", json.dumps(sent | {"name": "Ann"}), "application/json")
    assert response.status_code == status and response.json()["message"] and not Entry.objects.exists()
    assert client.post("/api/form", b"[", "application/json").status_code == 400


def test_the_definition_of_siteserver_7_has_the_row_of_defaults(client, site):
    told = client.post(f"/api/form/{site.pk}/1/actions/getForm").json()
    assert [style["attributeName"] for style in told["styles"]] == ["name", "day"]
    assert told["dataInfo"] == {"name": "", "day": ""} and told["title"] == "Book" and told["successMessage"]
    Form.objects.update(is_open=False)
    assert client.post(f"/api/form/{site.pk}/1/actions/getForm").status_code == 400
    assert client.post(f"/api/form/{site.pk}/999/actions/getForm").status_code == 404


def test_no_text_messages_are_sent(client, site):
    refused = client.post(f"/api/form/{site.pk}/1/actions/sendSms", json.dumps({"mobile": "1"}), "application/json")
    assert (refused.status_code, refused.json()["message"]) == (400, "This service sends no text messages.")


def test_nobody_reads_entries_there(client, site):
    Entry.objects.create(form=Form.objects.get(origin=Form.Origin.PLUGIN))
    for address in ("ss.form/{}/1", "form/{}/1"):
        response = client.get(f"/api/{address.format(site.pk)}", {"page": "1", "word": "a"})
        assert (response.status_code, response.json()["message"]) == (404, "There is no such form.")
    for address in ("ss.form/{}/1/actions/get", "stl/actions/input_add/{}/1", "form/{}/1/actions/getForm"):
        response = client.get(f"/api/{address.format(site.pk)}")
        assert (response.status_code, response.headers["Allow"]) == (405, "POST")
    assert client.post(f"/api/form/{site.pk}/1").status_code == 405

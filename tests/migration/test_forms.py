"""Forms of an installation, and what visitors have sent by them."""

import json

import pytest

from forms.models import Entry, Form
from migration.report import Outcome

_ITEMS = json.dumps([{"label": "Red", "value": "r", "selected": True}, {"label": "Blue", "value": "b"}])
_RULES = json.dumps(
    [{"type": "Required"}, {"type": "Email", "message": "Mail?"}, {"type": "Regex", "value": "a"}, {"type": "Other"}]
)


def style(number, name, kind, **more):
    row = {
        "Id": number,
        "TableName": "siteserver_FormData",
        "RelatedIdentity": 5,
        "AttributeName": name,
        "Taxis": number,
    }
    return row | {"InputType": kind, "DisplayName": name.upper(), "ExtendValues": json.dumps(more)}


def version_7(tables):
    """A form of version 7 in the site 36, with an entry."""
    tables["siteserver_Form"] = [{"Id": 5, "SiteId": 36, "Title": "Contact", "Description": "Ask us", "Taxis": 1}]
    tables["siteserver_TableStyle"] += [
        style(902, "Colours", "CheckBox", itemValues=_ITEMS),
        style(901, "Mail", "Text", ruleValues=_RULES),
    ]
    values = json.dumps({"mail": "ada@example.org", "colours": ["r", "b"], "other": "x"})
    entry = {
        "Id": 3,
        "FormId": 5,
        "ChannelId": 36,
        "IsReplied": True,
        "ReplyContent": "Danke",
        "ReplyDate": "2023-02-02 10:00:00",
    }
    tables["siteserver_FormData"] = [entry | {"CreatedDate": "2023-02-01 09:00:00", "ExtendValues": values}]


def extension(tables):
    """A form of the extension for version 6 in the site 36, with an entry."""
    tables["ss_form"] = [{"Id": 5, "SiteId": 36, "Title": "Contact", "Description": "Ask us", "Taxis": 1}]
    field = {"FormId": 5, "FieldType": "Text", "Validate": "required|email|regex:a|other", "Title": "mail", "Taxis": 1}
    tables["ss_form_field"] = [
        {"Id": 2, "FormId": 5, "FieldType": "CheckBox", "Title": "colours", "Taxis": 2, "Validate": None},
        {"Id": 1} | field,
    ]
    tables["ss_form_field_item"] = [
        {"Id": number, "FormId": 5, "FieldId": 2, "Value": value, "IsSelected": not number}
        for number, value in enumerate(("Red", "Blue"))
    ]
    values = json.dumps({"mail": "ada@example.org", "colours": '["Red","Blue"]', "other": "x"})
    entry = {"Id": 3, "FormId": 5, "IsReplied": "True", "ReplyContent": "Danke", "ReplyDate": "2023-02-02 10:00:00"}
    tables["ss_form_log"] = [entry | {"AddDate": "2023-02-01 09:00:00", "AttributeValues": values}]


def version_5(tables, styles="siteserver_TableStyle"):
    """A form of version 5 in the site 36, which the database of a later version still has, with an entry."""
    settings = "isanomynous=True&messagesuccess=Thanks"
    form = {"InputID": 5, "InputName": "Contact", "PublishmentSystemID": 36, "Taxis": 1, "SettingsXML": settings}
    tables["siteserver_Input"] = [form]
    checked = "isvalidate=True&isrequired=True&validatetype=Email&regexp=a"
    kinds = {
        "Mail": ("Text", 2, checked),
        "Colours": ("CheckBox", 1, ""),
        "Custom": ("Text", 0, "isvalidate=True&validatetype=Custom"),
    }
    pk = "Id" if styles == "siteserver_TableStyle" else "TableStyleID"
    rows = [
        {
            pk: number,
            "TableName": "siteserver_InputContent",
            "RelatedIdentity": 5,
            "AttributeName": name,
            "InputType": kind,
            "IsVisible": str(name != "Custom"),
            "Taxis": taxis,
            "ExtendValues": settings,
        }
        for number, (name, (kind, taxis, settings)) in enumerate(kinds.items(), start=901)
    ]
    items = [
        {
            pk.replace("Table", "Item"): n,
            "TableStyleID": 902,
            "ItemTitle": title,
            "ItemValue": title[0],
            "IsSelected": "False",
        }
        for n, title in enumerate(("Red", "Blue"), start=1)
    ]
    tables[styles] = [*tables.get(styles, []), *rows]
    tables[f"{styles}Item"] = [*tables.get(f"{styles}Item", []), *items]
    values = "mail=ada@example.org&colours=R,B&custom=x&other=y"
    row = {"ID": 3, "InputID": 5, "IsChecked": "True", "IPAddress": "203.0.113.9", "UserName": "ada", "Reply": "Danke"}
    tables["siteserver_InputContent"] = [row | {"AddDate": "2023-02-01 09:00:00", "SettingsXML": values}]


@pytest.mark.parametrize("styles", ["siteserver_TableStyle", "bairong_TableStyle"])
def test_forms_of_version_5_come_once_without_addresses(moved, small, styles):
    version_5(small, styles)
    moved(small)
    assert not Entry.objects.exists()
    for _run in range(2):
        report = moved(small, with_entries=True)
    form = Form.objects.get()
    assert (form.name, form.success_text, form.origin, form.origin_id) == ("Contact", "Thanks", "input", 5)
    mail, colours, custom = form.fields.all()
    assert (mail.key, mail.is_required, mail.rules) == ("Mail", True, [{"type": "Email"}])
    assert (colours.kind, colours.choices, custom.is_visible) == ("checkbox", ["Red", "Blue"], False)
    entry = Entry.objects.get()
    assert entry.values == {str(mail.pk): "ada@example.org", str(colours.pk): ["Red", "Blue"]}
    assert (str(entry.created_at), entry.reply, entry.state) == ("2023-02-01 09:00:00", "Danke", "read")
    assert "203.0.113.9" not in str(vars(entry))
    assert not [kind for kind in report.outcomes if "not used" in kind and ("input" in kind or "bairong" in kind)]


VERSIONS = [(version_7, "form", "siteserver_formdata"), (extension, "ss.form", "ss_form_log")]


@pytest.mark.parametrize(("make", "origin", "entries"), VERSIONS)
def test_forms_come_without_entries(moved, small, make, origin, entries):
    make(small)
    report = moved(small)
    form = Form.objects.get()
    assert (form.site_id, form.name, form.description, form.origin, form.origin_id) == (
        *(36, "Contact", "Ask us", origin, 5),
    )
    mail, colours = form.fields.all()
    assert (mail.folded_key, mail.is_required) == ("mail", True)
    assert [(rule["type"], rule.get("value")) for rule in mail.rules] == [("Email", None), ("Regex", "a")]
    assert (colours.kind, colours.choices, colours.default) == ("checkbox", ["Red", "Blue"], "Red")
    assert not Entry.objects.exists()
    assert report.outcomes[f"{entries}, not used"][Outcome.LEFT_OUT] == 1
    assert any(sentence.startswith("Rules of fields have no counterpart") for sentence in report.findings)


@pytest.mark.parametrize(("make", "origin", "entries"), VERSIONS)
def test_entries_come_once_if_they_are_asked_for(moved, small, make, origin, entries):
    make(small)
    for _run in range(2):
        report = moved(small, with_entries=True)
    assert [report.outcomes[kind][Outcome.UNCHANGED] for kind in ("forms", "entries of forms")] == [1, 1]
    assert f"{entries}, not used" not in report.outcomes
    entry = Entry.objects.get()
    keys = dict(entry.form.fields.values_list("pk", "folded_key"))
    values = {keys[int(pk)]: value for pk, value in entry.values.items()}
    assert values == {"mail": "ada@example.org", "colours": ["Red", "Blue"]}
    assert (str(entry.created_at), str(entry.replied_at)) == ("2023-02-01 09:00:00", "2023-02-02 10:00:00")
    assert (entry.reply, entry.state, entry.source) == ("Danke", "read", "import")
    assert (entry.channel_id, entry.content_id) == (36 if make is version_7 else None, None)


def test_settings_of_a_form_come_with_it(moved, small):
    version_7(small)
    more = {"isClosed": True, "successMessage": "Thanks", "listAttributeNames": "Mail", "pageSize": 0}
    small["siteserver_Form"][0]["ExtendValues"] = json.dumps(more)
    moved(small)
    form = Form.objects.get()
    assert (form.is_open, form.success_text, form.page_size) == (False, "Thanks", 30)
    assert [field.is_listed for field in form.fields.all()] == [True, False]
    form.fields.update(is_listed=False)
    small["siteserver_Form"][0]["Description"] = "Changed there"
    assert moved(small).outcomes["forms"][Outcome.UPDATED] == 1
    assert not form.fields.filter(is_listed=True).exists()  # what everybody sees is decided here


def test_a_further_run_updates_changed_forms_and_leaves_deleted_ones(moved, small):
    version_7(small)
    moved(small)
    Form.objects.get().fields.update(label="Changed here")
    number = Form.objects.get().fields.first().pk
    moved(small)
    assert Form.objects.get().fields.first().label == "Changed here"
    small["siteserver_TableStyle"][-1]["DisplayName"] = "E-Mail"
    report = moved(small)
    assert report.outcomes["forms"][Outcome.UPDATED] == 1
    assert (Form.objects.get().fields.first().label, Form.objects.get().fields.first().pk) == ("E-Mail", number)
    Form.objects.all().delete()
    assert moved(small).outcomes["forms"][Outcome.LEFT_OUT] == 1
    assert not Form.objects.exists()


def test_rows_that_cannot_be_read_stop_nothing(moved, small):
    version_7(small)
    small["siteserver_TableStyle"][-1]["ExtendValues"] = json.dumps({"ruleValues": "[", "itemValues": "7"})
    small["siteserver_FormData"][0] |= {"ExtendValues": "{", "CreatedDate": "never"}
    small["siteserver_Form"].append({"Id": 6, "SiteId": 36, "Title": "CONTACT", "Taxis": 2**40})
    moved(small, with_entries=True)
    assert list(Form.objects.order_by("pk").values_list("name", flat=True)) == ["Contact", "CONTACT_1"]
    assert Entry.objects.get().values == {}

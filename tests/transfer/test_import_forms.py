"""Forms of a site template, and what visitors have sent by them."""

import pytest
from django.core.files.storage import default_storage

from forms.models import MAX_CHARACTERS, MAX_CHOICES, MAX_FIELDS, Entry, Field, Form
from sites.models import Site
from tests.transfer.form_zips import package_of_7, row_of_7, style, zipped
from tests.transfer.test_import_site_template import refusal, run
from tools.site_templates import METADATA, OLD_SITE, encoded, feed, old_channel
from tools.site_templates import Template as Package

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]

CHECKED = "isvalidate=True&isrequired=True"


def form(name="留言", *entries, number=7, settings="MessageSuccess=谢谢_and_再见", **elements):
    """The file of a form with the rows of its entries."""
    head = {"InputID": str(number), "InputName": name, "Taxis": "1", "SettingsXML": encoded(settings)} | elements
    return feed(head, entries)


def field(key, kind="Text", *choices, **elements):
    """The file of a field; `choices` are pairs of a text and a value."""
    items = [{"ItemTitle": title, "ItemValue": value, "IsSelected": "False"} for title, value in choices]
    head = {"AttributeName": key, "InputType": kind, "Taxis": "1", "IsVisible": "True"} | elements
    return feed(head, items)


def entry(**columns):
    """The row of an entry, with the columns in small letters."""
    row = {"id": "3", "inputid": "7", "ischecked": "True", "ipaddress": "203.0.113.9", "adddate": "2018/1/29 17:41:00"}
    return row | columns


def package(forms, fields=(), **options):
    """A package with forms by number, and with fields by path below the folder of forms."""
    others = {f"{METADATA}/Input/{number}.xml": text for number, text in forms.items()}
    others |= {f"{METADATA}/Input/{path}.xml": text for path, text in dict(fields).items()}
    return Package(site=OLD_SITE, channels={"1": feed(old_channel(7))}, others=others, **options)


def told(lines, part):
    return [line for line in lines if part in line]


def test_a_form_arrives_with_its_fields_in_the_order_of_the_original(tmp_path):
    fields = {
        "7/Name": field("Name", Taxis="3", DisplayName="姓名", ExtendValues=f"{CHECKED}&maxnum=20&minnum=0"),
        "7/Email": field("email", Taxis="2", ExtendValues=f"{CHECKED}&validatetype=Email&errormessage=Bitte_and_so"),
        "7/Remark": field("Remark", "TextArea", Taxis="1", HelpText="up to you", DefaultValue="hello"),
        "7/Size": field("Size", "SelectOne", ("Small", "Small"), ("Large", "Large"), Taxis="0", DefaultValue="Large"),
    }
    lines = run(package({7: form()}, fields).write_folder(tmp_path))
    stored = Form.objects.get()
    assert (stored.site, stored.name, stored.folded_name) == (Site.objects.get(), "留言", "留言")
    assert (stored.origin, stored.origin_id, stored.success_text, stored.is_open) == ("input", 7, "谢谢&再见", True)
    members = ("key", "label", "kind", "is_required", "rules", "choices", "default", "help_text", "taxis")
    assert list(stored.fields.values_list(*members)) == [
        ("Name", "姓名", "text", True, [{"type": "Max", "value": "20"}], [], "", "", 1),
        ("email", "email", "text", True, [{"type": "Email", "message": "Bitte&so"}], [], "", "", 2),
        ("Remark", "Remark", "textarea", False, [], [], "hello", "up to you", 3),
        ("Size", "Size", "select", False, [], ["Small", "Large"], "Large", "", 4),
    ]
    assert {each.folded_key for each in stored.fields.all()} == {"name", "email", "remark", "size"}
    assert told(lines, "Forms:") == ["Forms: 1 with 4 fields, and 0 of 0 entries."]


@pytest.mark.parametrize(
    ("kind", "elements", "expected", "note"),
    [
        ("TextEditor", {}, {"kind": "textarea"}, ""),
        ("RelatedField", {}, {"kind": "text"}, "unknown kind"),
        ("SpecifiedValue", {}, {"kind": "hidden"}, "filled by code"),
        ("Image", {"ExtendValues": CHECKED}, {"kind": "image", "is_visible": True, "is_required": True}, ""),
        ("File", {"DefaultValue": "a"}, {"kind": "file", "rules": [], "default": ""}, ""),
        ("Video", {}, {"kind": "file"}, "took videos"),
        ("Radio", {}, {"kind": "text"}, "no choices"),
        ("Text", {"ExtendValues": f"{CHECKED}&validatetype=Other"}, {"rules": []}, "Rules of fields"),
        (
            "Text",
            {"ExtendValues": f"{CHECKED}&validatetype=Custom&regexp=a"},
            {"rules": [{"type": "Regex", "value": "a"}]},
            "",
        ),
        ("Text", {"ExtendValues": f"{CHECKED}&validatetype=Custom&regexp=("}, {"rules": []}, "Regular expressions"),
        ("Text", {"ExtendValues": "isvalidate=False&isrequired=True"}, {"is_required": False}, ""),
        ("Text", {"IsVisible": "False"}, {"is_visible": False}, ""),
        ("Text", {"DisplayName": "x" * 300}, {"label": "x" * 255}, "too long"),
    ],
)
def test_a_field_that_has_no_counterpart_is_noted(kind, elements, expected, note, tmp_path):
    lines = run(package({7: form()}, {"7/A": field("A", kind, **elements)}).write_folder(tmp_path))
    stored = Field.objects.get()
    assert {name: getattr(stored, name) for name in expected} == expected
    assert bool(told(lines, "(留言: A")) == bool(note)
    assert all(note in line for line in told(lines, "(留言: A"))


def test_too_much_is_noted_and_the_rest_arrives(tmp_path):
    choices = [(str(number), str(number)) for number in range(MAX_CHOICES + 5)]
    fields = {f"7/F{number}": field(f"F{number}", Taxis=str(1000 - number)) for number in range(MAX_FIELDS * 4 + 3)}
    fields |= {
        "8/A": field("A", "Radio", ("x" * 501, ""), *choices),
        "8/B": field("a"),
        "8/C": field("c" * 101),
        "8/D": field(" "),
    }
    lines = run(package({7: form(), 8: form("Other")}, fields).write_folder(tmp_path))
    many, other = Form.objects.order_by("origin_id")
    assert many.fields.count() == MAX_FIELDS
    assert [len(each.choices) for each in other.fields.all()] == [MAX_CHOICES]
    notes = ("too many fields", "too many choices", "without a usable name", "Texts of forms are too long")
    assert [len(told(lines, note)) for note in notes] == [1, 1, 1, 1]


def test_names_that_are_taken_get_a_number(tmp_path):
    forms = {7: form("Contact"), 8: form("contact"), 9: form(" CONTACT "), 10: form("\u200b")}
    run(package(forms).write_folder(tmp_path))
    assert list(Form.objects.order_by("origin_id").values_list("name", flat=True)) == [
        *("Contact", "contact_1", "CONTACT_2", "10"),
    ]


def test_entries_are_left_out_unless_they_are_asked_for(tmp_path):
    path = package({7: form("留言", entry(name="Ada"))}, {"7/Name": field("Name")}).write_folder(tmp_path)
    lines = run(path)
    assert (Form.objects.count(), Entry.objects.count()) == (1, 0)
    assert told(lines, "Forms:") == ["Forms: 1 with 1 fields, and 0 of 1 entries."]


def test_entries_that_are_asked_for_keep_values_date_and_reply_but_no_address(tmp_path):
    fields = {
        "7/iPhone": field("iPhone"),
        "7/Day": field("Day", "Date"),
        "7/Kinds": field("Kinds", "CheckBox", ("First", "1"), ("Second", "2")),
        "7/Photo": field("Photo", "Image"),
    }
    rows = [
        entry(iphone="139", day="2018/2/3", kinds="1,2", photo="@/upload/a.png", other="x", reply="Danke"),
        entry(ischecked="False", adddate="some day", iphone="x" * (MAX_CHARACTERS + 1)),
    ]
    lines = run(package({7: form("留言", *rows)}, fields).write_folder(tmp_path), "--with-entries")
    keys = dict(Field.objects.values_list("pk", "key"))
    first, second = Entry.objects.order_by("pk")
    named = {keys[int(pk)]: value for pk, value in first.values.items()}
    assert named == {"iPhone": "139", "Day": "2018-02-03", "Kinds": ["First", "Second"], "Photo": ["@/upload/a.png"]}
    assert (str(first.created_at), first.state, first.reply, first.source) == (
        *("2018-01-29 17:41:00", "read", "Danke", "import"),
    )
    assert "203.0.113.9" not in str(vars(first))
    assert (second.state, list(map(len, second.values.values()))) == ("new", [MAX_CHARACTERS])
    assert first.token != second.token
    assert len(told(lines, "Values of entries are too long")) == 1


def test_a_dry_run_stores_nothing(tmp_path):
    path = package({7: form("留言", entry())}).write_folder(tmp_path)
    assert told(run(path, "--dry-run", "--with-entries"), "Forms:") == ["Forms: 1 with 0 fields, and 1 of 1 entries."]
    assert not Form.objects.exists()


@pytest.mark.parametrize("path", ["7", "7/Name"])
def test_broken_xml_is_refused_with_its_file(path, tmp_path):
    files = package({7: form()}, {"7/Name": field("Name")})
    name = f"{METADATA}/Input/{path}.xml"
    files.others[name] = files.others[name][:-20]
    assert refusal(files.write_folder(tmp_path)).startswith(name)
    assert not Form.objects.exists()


def test_settings_that_cannot_be_read_are_no_settings(tmp_path):
    fields = {"7/A": field("A", ExtendValues="{not JSON}", Taxis="first")}
    run(package({7: form(settings="\0=\0&{")}, fields).write_folder(tmp_path))
    assert Field.objects.get().rules == []


def test_forms_that_templates_show_and_the_package_lacks_are_told(tmp_path):
    files = package({7: form("Visit")}, {"7/A": field("A")})
    texts = '<stl:input inputName="VISIT"></stl:input><stl:form title="Ask"></stl:form><stl:input></stl:input>'
    head = {"TemplateID": "1", "TemplateName": "T", "TemplateType": "IndexPageTemplate", "RelatedFileName": "T_T.html"}
    files.others[f"{METADATA}/Template.xml"] = feed({}, [head | {"IsDefault": "True", "Content": encoded(texts)}])
    assert told(run(files.write_folder(tmp_path)), "Templates show forms")[0].endswith(": 1 (Ask)")


# ---- version 7


def test_a_form_of_version_7_arrives_with_its_settings_and_the_files_of_its_pages(tmp_path):
    settings = {"successMessage": "Thanks", "isClosed": True, "listAttributeNames": "mail,x", "pageSize": 7}
    times = {"isTimeout": True, "timeToStart": "2023-01-01 08:00:00", "timeToEnd": "2023-02-01 08:00:00"}
    package = package_of_7(row_of_7(), isReply=True, **settings, **times)
    lines = run(package.write_zip(tmp_path / "T_Harbour.zip"))
    form = Form.objects.get()
    assert (form.name, form.description, form.origin, form.origin_id) == ("Contact", "Ask us", "form", 5)
    assert (form.success_text, form.is_open, form.page_size, form.public_list) == ("Thanks", False, 7, "none")
    assert (str(form.opens_at), str(form.closes_at)) == ("2023-01-01 08:00:00", "2023-02-01 08:00:00")
    mail, colours = form.fields.all()
    assert (mail.key, mail.label, mail.is_required, mail.rules) == ("mail", "MAIL", True, [{"type": "Email"}])
    assert (colours.kind, colours.choices, colours.default) == ("checkbox", ["Red, dark", "Blue"], "Red, dark")
    assert (mail.is_listed, colours.is_listed) == (True, False)
    assert default_storage.exists(f"sites/{form.site_id}/forms/own/index.html")
    assert told(lines, "Forms:") == ["Forms: 1 with 2 fields, and 0 of 1 entries."]
    assert len(told(lines, "public list")) == 1


def test_entries_of_version_7_keep_their_date_and_reply(tmp_path):
    rows = [row_of_7(), row_of_7(IsReplied="False", CreatedDate="never", Colours='["r"')]
    run(package_of_7(*rows).write_zip(tmp_path / "T_Harbour.zip"), "--with-entries")
    keys = dict(Field.objects.values_list("pk", "key"))
    first, second = Entry.objects.order_by("pk")
    assert {keys[int(pk)]: value for pk, value in first.values.items()} == {
        "mail": "ada@example.org",
        "colours": ["Red, dark", "Blue"],
    }
    assert (str(first.created_at), str(first.replied_at)) == ("2023-02-01 09:00:00", "2023-02-02 10:00:00")
    assert (first.reply, first.state, first.source) == ("Danke", "read", "import")
    assert (second.reply, second.state, second.replied_at) == ("", "new", None)


@pytest.mark.parametrize(
    ("styles", "reason"),
    [
        (b"PK but no zip", "not a readable zip file"),
        (zipped({"../1.xml": style("Mail")}), "points outside"),
        (zipped({"1.xml": "<!DOCTYPE feed><feed/>"}), "Document types and entities"),
        (zipped({"1.xml": "<feed>"}), "well-formed"),
        (bytes(4 * 1024**2 + 1), "4194304 are allowed"),
        (zipped({"1.xml": style("Mail"), "2.bin": bytes(64 * 1024**2)}), "67108864 are allowed"),
    ],
    ids=["no zip", "path outside", "document type", "broken", "large", "large when unpacked"],
)
def test_a_hostile_zip_of_fields_is_refused_with_its_name(styles, reason, tmp_path):
    hostile = package_of_7()
    hostile.others[f"{METADATA}/Form/5/tableStyle.zip"] = styles
    refused = refusal(hostile.write_zip(tmp_path / "T_Harbour.zip"))
    assert reason in refused
    assert not Form.objects.exists()

"""Writes the zip of a form as versions 5 to 7 do, and a package of version 7 with forms."""

import io
import json
import zipfile

from tools.site_templates import METADATA, OLD_SITE, encoded, feed, old_channel
from tools.site_templates import Template as Package

ROW_OF_7 = {
    "Id": "3",
    "IsReplied": "True",
    "ReplyDate": "2023-02-02 10:00:00",
    "ReplyContent": "Danke",
    "CreatedDate": "2023-02-01 09:00:00",
}
COLOURS = [{"label": "Red, dark", "value": "r", "selected": True}, {"label": "Blue", "value": "b"}]


def zipped(files):
    """The bytes of a zip with texts and bytes by path."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


def style(key, kind="Text", taxis=1, **more):
    """The file of a field of version 7; `more` are its settings."""
    head = {"AttributeName": key, "DisplayName": key.upper(), "InputType": kind, "Taxis": str(taxis)}
    return feed(head | {"ExtendValues": encoded(json.dumps(more))})


def styles(**more):
    """The zip of two fields of version 7."""
    mail = style("Mail", taxis=1, ruleValues=json.dumps([{"type": "Required"}, {"type": "Email"}]))
    colours = style("Colours", "CheckBox", taxis=2, itemValues=json.dumps(COLOURS))
    return zipped({"12.xml": colours, "11.xml": mail} | more)


def row_of_7(**values):
    return ROW_OF_7 | ({"Mail": "ada@example.org", "Colours": '["r","b"]'} | values)


def form_of_7(*rows, title="Contact", **settings):
    """The file of a form of version 7, with its rows."""
    head = {"Id": "5", "Title": title, "Description": "Ask us", "Taxis": "1"}
    return feed(head | {"ExtendValues": encoded(json.dumps(settings))}, rows)


def zip_of_7(*rows, version='{"version": "1.2.2"}', **settings):
    found = {"5.xml": form_of_7(*rows, **settings), "5/tableStyle.zip": styles()}
    return zipped(found | ({"version.json": version} if version else {}))


def zip_of_6(*rows, **settings):
    form = {"Id": "5", "Title": "Contact", "Settings": encoded(json.dumps(settings)), "Taxis": "1"}
    mail = feed({"Id": "11", "Title": "Mail", "FieldType": "Text", "Validate": "required|email", "Taxis": "1"})
    items = [{"Value": title, "IsSelected": str(title == "Red, dark")} for title in ("Red, dark", "Blue")]
    colours = feed({"Id": "5", "Title": "Colours", "FieldType": "CheckBox", "Taxis": "2"}, items)
    return zipped({"5.xml": feed(form, rows), "5/11.xml": mail, "5/5.xml": colours, "version.txt": "2.1"})


def row_of_6():
    values = json.dumps({"Mail": "ada@example.org", "Colours": '["Red, dark","Blue"]', "Other": "x"})
    row = {name: text for name, text in ROW_OF_7.items() if name != "CreatedDate"}
    return row | {"AddDate": "2023-02-01 09:00:00", "AttributeValues": values}


def zip_of_5(*rows):
    form = {"InputID": "5", "InputName": "Contact", "Taxis": "1", "SettingsXML": encoded("MessageSuccess=Thanks")}
    checked = "isvalidate=True&isrequired=True&validatetype=Email"
    mail = feed({"AttributeName": "Mail", "InputType": "Text", "Taxis": "2", "ExtendValues": checked})
    items = [{"ItemTitle": title, "ItemValue": value} for title, value in (("Red, dark", "r"), ("Blue", "b"))]
    colours = feed({"AttributeName": "Colours", "InputType": "CheckBox", "Taxis": "1"}, items)
    return zipped({"5.xml": feed(form, rows), "5/Mail.xml": mail, "5/Colours.xml": colours})


def row_of_5():
    row = {"id": "3", "ischecked": "True", "adddate": "2023-02-01 09:00:00", "reply": "Danke", "ipaddress": "192.0.2.9"}
    return row | {"mail": "ada@example.org", "colours": "r,b"}


def package_of_7(*rows, **settings):
    """A package whose folder of forms has a form, as the product from version 7.2 writes it."""
    folder = f"{METADATA}/Form/5"
    others = {f"{folder}/5.xml": form_of_7(*rows, **settings), f"{folder}/tableStyle.zip": styles()}
    others["forms/own/index.html"] = "<p>own</p>"
    return Package(site=OLD_SITE, channels={"1": feed(old_channel(7))}, others=others)

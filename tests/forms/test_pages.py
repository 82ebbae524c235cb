"""`input`: a form in the page of a site."""

import pytest

from forms.models import Field, Form
from forms.records import record_of
from pages.checking import check_templates
from pages.engine.elements.forms import with_fields
from pages.models import TemplateKind
from tests.pages.exporting import Exported
from tests.pages.showing import Museum
from tests.pages.sites import make_template
from tests.worlds import world

pytestmark = pytest.mark.django_db


@world
def museum():
    museum = Museum()
    form = Form.objects.create(site=museum.site, name="Visit")
    kinds = {"name": "text", "phone": "tel", "remark": "textarea", "day": "select"}
    for taxis, (key, kind) in enumerate(kinds.items()):
        choices = ["Monday", "Friday"] if kind == "select" else []
        Field.objects.create(
            form=form, key=key, label=key.title(), kind=kind, is_required=key == "name", choices=choices, taxis=taxis
        )
    museum.form = form
    return museum


def test_without_markup_every_field_has_a_label_and_the_form_a_button(museum):
    shown = museum.show('<stl:input inputName="visit"></stl:input>')
    assert f'action="/museum/_forms/{museum.form.pk}" method="post"' in shown
    for key in ("name", "phone", "remark", "day"):
        number = f"form_{museum.form.pk}_{key}"
        assert f'<label for="{number}">' in shown and f'id="{number}" name="{key}"' in shown
    assert f'<input type="text" value="" id="form_{museum.form.pk}_name" name="name" required>' in shown
    assert "<option>Friday</option>" in shown and '<button type="submit">Send</button>' in shown


def test_markup_of_the_template_is_bound_by_ids(museum):
    shown = museum.show(
        '<stl:input inputName="Visit"><form action="https://elsewhere.example" onsubmit="x()"><table><tr><td>'
        '<input ID=Name class="is_text" onblur="checkAttributeValue(this)" formaction="//elsewhere.example">'
        '<input id="other" name="other"></td></tr></table>'
        '<a id="submit" href="javascript:;" class="b">Book <b>now</b></a>'
        "</form><script>var a = '<form>';</script></stl:input>"
    )
    assert shown.count("<form") == 2 and shown.count("</form>") == 1 and "elsewhere" not in shown  # one in the script
    assert '<input id="name" class="is_text" name="name" required title="Name">' in shown
    assert '<input id="other" name="other">' in shown
    assert '<button class="b" type="submit">Book <b>now</b></button>' in shown


@pytest.mark.parametrize(
    ("markup", "button"),
    [
        (
            '<input type="button" s-role="submit" name="submit" value="Go" onclick="f()">',
            '<input type="submit" value="Go">',
        ),
        ('<img id="submit" src="go.png">', '<input src="go.png" type="image">'),
        ('<button id="submit">Go</button>', '<button type="submit">Go</button>'),
        ('<input type="submit" value="Go">', '<input type="submit" value="Go">'),
        ("<input id=submit value=it's><b>that's</b>", '<input value="it&#x27;s" type="submit"><b>that\'s</b>'),
        ("<i>none</i>", '<i>none</i><button type="submit">Send</button>'),
    ],
)
def test_whatever_the_template_calls_its_button_sends(museum, markup, button):
    assert button in museum.show(f"<stl:input>{markup}</stl:input>")


def test_parts_for_the_results_wait_in_templates(museum):
    shown = museum.show(
        "<stl:input><stl:template><input id='phone'></stl:template><stl:loading>wait</stl:loading>"
        "<stl:yes><b>Thanks</b></stl:yes><stl:failureTemplate>Sorry {channel.title}</stl:failureTemplate></stl:input>"
    )
    assert "<template data-yes><b>Thanks</b></template>" in shown
    assert f"<template data-no>Sorry {museum.home.channel_name}</template>" in shown
    assert "wait" not in shown.partition("<script>")[0]


def test_an_unknown_name_shows_the_newest_form_and_a_site_without_forms_nothing(museum):
    newest = Form.objects.create(site=museum.site, name="Newest")
    for name in ("", "gone"):
        assert f'id="stl_form_{newest.pk}"' in museum.show(f'<stl:input inputName="{name}"></stl:input>')
    Form.objects.all().delete()
    assert museum.show("<stl:input>x</stl:input>") == ""


@pytest.mark.parametrize("attributes", ['title="visit"', 'name="Visit" type="submit1" height="300"'])
def test_the_element_of_later_releases_shows_the_same_in_the_page(museum, attributes):
    Form.objects.create(site=museum.site, name="Newest")
    shown = museum.show(f"<stl:form {attributes}></stl:form>")
    plain = museum.show('<stl:input inputName="visit"></stl:input>')
    assert shown.replace(' height="300"', "") == plain and "iframe" not in shown
    assert museum.show('<stl:form name="visit" type="list1"></stl:form>') == ""


def test_texts_of_a_form_are_escaped(museum):
    hostile = '"><script>alert(1)</script>'
    museum.form.fields.update(label=hostile, help_text=hostile, default=hostile, choices=[hostile])
    for markup in ("", '<input id="phone">'):
        shown = museum.show(f"<stl:input>{markup}</stl:input>")
        assert "<script>alert" not in shown and '"><script' not in shown and "&lt;script&gt;" in shown


def test_defaults_are_chosen_until_the_visitor_has_sent(client, museum):
    Field.objects.filter(key="day").update(kind="checkbox", default="Monday,Friday")
    make_template(museum.site, TemplateKind.INDEX, is_default=True, page_path="index.html")
    shown = museum.show("<stl:input></stl:input>")
    assert shown.count(" checked") == 2
    again = client.post(f"/museum/_forms/{museum.form.pk}", {"phone": "x", "_page": "/museum/"}).content.decode()
    assert " checked" not in again and 'value="x"' in again


@pytest.mark.parametrize(
    "markup", ["<a " * 200_000, "<a '" * 200_001, '<a "<b ' * 200_000, "<script " * 100_000, "<!--" * 200_000]
)
def test_broken_markup_takes_no_longer_than_other(museum, markup):
    # It would take hours if each beginning were read to the end.
    assert with_fields(markup, record_of(museum.form)).endswith("Send</button>")


def test_a_closed_form_says_so(museum):
    Form.objects.update(is_open=False)
    assert museum.show("<stl:input></stl:input>") == "<p>This form is closed.</p>"
    museum.form.fields.update(label="姓名")
    assert museum.show("<stl:input></stl:input>") == "<p>此表单已关闭。</p>"


def test_a_changed_form_changes_its_kept_pages(client, museum):
    make_template(
        museum.site, TemplateKind.INDEX, is_default=True, page_path="index.html", text="<stl:input></stl:input>"
    )
    assert ">Phone<" in client.get("/museum/index.html").content.decode()
    Field.objects.filter(key="phone").update(label="Telephone")
    assert ">Telephone<" in client.get("/museum/index.html").content.decode()
    Form.objects.filter(pk=museum.form.pk).update(is_open=False)
    assert "closed" in client.get("/museum/index.html").content.decode()
    museum.form.delete()
    assert client.get("/museum/index.html").content == b""


def test_forms_of_exported_pages_send_to_the_service(museum, tmp_path):
    text = '<stl:input></stl:input><a href="/museum/_forms/1">x</a>'
    make_template(museum.site, TemplateKind.INDEX, is_default=True, page_path="index.html", text=text)
    exported = Exported(tmp_path / "museum", museum.site)
    exported.run("--service", "https://cms.example.org")
    page = exported.files["/index.html"].decode()
    assert (
        f'action="https://cms.example.org/museum/_forms/{museum.form.pk}"' in page and 'href="/museum/_forms/1"' in page
    )


def test_the_check_of_templates_names_forms_that_do_not_exist(museum):
    text = '<stl:input inputName="visit"></stl:input>\n<stl:form name="gone"></stl:form><stl:input></stl:input>'
    make_template(museum.site, TemplateKind.FILE, text=text)

    def told():
        return [(problem.line, problem.message) for _, problem in check_templates(museum.site.pk)]

    assert told() == [(2, "The site has no form gone; <stl:form> shows its newest one, Visit.")]
    museum.form.delete()
    assert told()[0] == (1, "<stl:input> shows nothing: the site has no form.") and len(told()) == 3

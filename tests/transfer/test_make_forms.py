"""Forms made from the inputs of the templates that show them."""

import io

import pytest
from django.core.management import CommandError, call_command

from core.audit.models import AuditEntry
from forms.models import Form
from forms.records import record_of
from pages.engine.elements.forms import with_fields
from pages.models import Template
from tests.factories import SiteFactory

pytestmark = pytest.mark.django_db

INPUTS = """<form><table><tr><td><label for="name">您的姓名：</label><input ID="name" isValidate="true" isRequire="true"
validateType="Chinese" minNum="2" maxNum="20"></td></tr></table>
<label>Email * <input id="email" type="email" required></label> <input id="phone" type="tel" placeholder="Phone">
<textarea id="remark" displayName="Remark"></textarea> <input id="page" type="hidden" value="a"> <input name="without">
<select id="hall"><option value="">Choose</option><option value="n">North</option><option>South</option></select>
<input id="day" type="radio" value="Monday"><input id="day" type="radio" value="Friday"> <input id="cv" type="file">
<input type="submit" id="send" value="Go"><a id="submit">Send</a></form>"""
MARKUP = f"<stl:template>{INPUTS}</stl:template><stl:yes><input id='no'></stl:yes>"


@pytest.fixture
def site():
    return SiteFactory()


def write(site, text, name="T", kind="FileTemplate"):
    Template.objects.create(site=site, kind=kind, name=name, text=text)


def run(site, *arguments):
    out = io.StringIO()
    call_command("make_forms", str(site.pk), *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_a_form_is_made_from_the_inputs_with_an_id(site):
    write(site, f'<p>x</p><stl:input inputName="Visit">{MARKUP}</stl:input>')
    *lines, last = run(site, "--dry-run")
    assert last == "Forms: 1, not written." and not Form.objects.exists()
    assert lines[0] == "Visit: name, email, phone, remark, page, hall, day, cv"
    run(site)
    form = Form.objects.get()
    assert (form.site, form.name, form.origin, form.origin_id) == (site, "Visit", "", None)
    fields = {each.key: each for each in form.fields.all()}
    assert {key: (each.label, each.kind, each.is_required) for key, each in fields.items() if key != "cv"} == {
        "name": ("您的姓名", "text", True),
        "email": ("Email", "text", True),
        "phone": ("Phone", "text", False),
        "remark": ("Remark", "textarea", False),
        "page": ("page", "hidden", False),
        "hall": ("hall", "select", False),
        "day": ("day", "radio", False),
    }
    rules = [{each["type"]: each.get("value", "") for each in fields[key].rules} for key in ("name", "email", "phone")]
    assert rules == [{"Min": "2", "Max": "20", "Chinese": ""}, {"Email": ""}, {"Phone": ""}]
    assert (fields["hall"].choices, fields["day"].choices) == (["n", "South"], ["Monday", "Friday"])
    assert fields["page"].default == "a"
    bound = with_fields(INPUTS, record_of(form))
    assert all(f'name="{key}"' in bound for key in ("name", "email", "phone", "remark", "hall", "day"))
    assert AuditEntry.objects.get(action="form.created").details["source"] == "templates"
    assert run(site) == ["Forms: 0."]


def test_several_templates_give_one_form_its_fields(site):
    write(site, '<stl:form title="Ask"><input id="a"></stl:form>', name="A")
    write(
        site, '<stl:input inputName="ASK"><stl:if type="x"><input id="A"><input id="b"></stl:if></stl:input>', name="B"
    )
    assert run(site)[0] == "Ask: a, b"


def test_what_cannot_be_made_is_told_or_no_form_at_all(site):
    Form.objects.create(site=site, name="There")
    Form.objects.create(site=SiteFactory(), name="empty")
    inputs = '<input id="a">'
    for number, tag in enumerate(
        (
            '<stl:input inputName="Empty"></stl:input>',
            f'<stl:input inputName="there">{inputs}</stl:input>',
            f"<stl:input>{inputs}</stl:input>",
            f'<stl:input inputName="{{Content.Title}}">{inputs}</stl:input>',
            f'<stl:form title="Answers" type="list1">{inputs}</stl:form>',
        )
    ):
        write(site, tag, name=str(number))
    assert run(site) == [
        "Templates show forms that do not exist, without inputs from which to make them: Empty",
        "Forms: 0.",
    ]


def test_hostile_markup_ends(site):
    write(site, f'<stl:input inputName="X">{"<select id=a><option>" * 2000}<input id="\x07{"k" * 200}"></stl:input>')
    run(site)
    assert [each.key for each in Form.objects.get().fields.all()] == ["a"]


def test_a_site_that_does_not_exist_is_told(site):
    site.pk += 1
    with pytest.raises(CommandError, match="not found"):
        run(site)

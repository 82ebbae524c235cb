"""Entries that everybody may read: which ones, what of them, and how pages show them."""

import re
from datetime import datetime, timedelta
from html import escape, unescape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app.models import TreeVersion
from forms import services
from forms.models import Entry, Field, Form
from forms.public_lists import MAX_PAGE, rows
from forms.retention import delete_old
from pages.checking import check_templates
from pages.models import TemplateKind
from sites.models import Site
from tests.admin.browser_forms import posted_by
from tests.admin.pages.browsing import act, listed, noted, place, told, undo
from tests.factories import SiteFactory
from tests.pages.exporting import Exported
from tests.pages.hostile import PAYLOADS
from tests.pages.showing import Museum
from tests.pages.sites import make_template
from tests.worlds import world

pytestmark = pytest.mark.django_db
State = Entry.State
FIRST = datetime(2026, 3, 1, 10, 30)
FIELDS = {  # which the list shows, and why not
    "name": {"is_listed": True},
    "topics": {"is_listed": True, "kind": "checkbox", "choices": ["ships", "lamps"]},
    "day": {"is_listed": True, "kind": "date"},
    "email": {},
    "note": {"is_listed": True, "is_visible": False},
    "health": {"is_listed": True, "is_sensitive": True},
    "letter": {"is_listed": True, "kind": "file"},
    "portrait": {"is_listed": True, "kind": "image"},
}
SECRET = "secret"  # of members that are not public


def make_form(site, name="Guests", public_list="approved", **members):
    form = Form.objects.create(site=site, name=name, public_list=public_list, **members)
    for taxis, (key, more) in enumerate(FIELDS.items()):
        Field.objects.create(form=form, key=key, label=key.title(), taxis=taxis, **more)
    return form


def add(form, name, age=0, **members):
    """An entry that was sent so many days after the first; members are those of the model, or values by key."""
    ids = dict(form.fields.values_list("key", "pk"))
    values = {"name": name, **{key: members.pop(key) for key in FIELDS if key in members}}
    given = {"state": State.APPROVED, "created_at": FIRST + timedelta(days=age), **members}
    return Entry.objects.create(form=form, values={str(ids[key]): value for key, value in values.items()}, **given)


@world
def museum():
    museum = Museum()
    museum.form = make_form(museum.site)
    return museum


def names(form, *args, **options):
    return [entry.values["name"] for entry in rows(form, *args, **options)[0]]


@pytest.mark.parametrize(
    ("public_list", "expected"),
    [
        ("none", set()),
        ("approved", {"approved", "approved, replied"}),
        ("replied", {"new, replied", "read, replied", "approved, replied"}),
    ],
)
def test_the_kind_of_list_decides_with_state_and_reply(museum, public_list, expected):
    Form.objects.update(public_list=public_list)
    museum.form.refresh_from_db()
    for state in State:
        add(museum.form, state.value, state=state)
        add(museum.form, f"{state.value}, replied", state=state, reply="Welcome")
    assert set(names(museum.form)) == expected and rows(museum.form)[1] == len(expected)
    shown = museum.show('<stl:inputContents inputName="guests">[{inputContent.name}]</stl:inputContents>')
    assert set(re.findall(r"\[(.*?)\]", shown)) == expected


def test_only_listed_fields_and_the_reply_are_shown(museum):
    values = dict.fromkeys(FIELDS, SECRET) | {"name": "Ann", "topics": ["ships", "lamps"], "day": "2026-04-02"}
    entry = add(
        museum.form, reply="Welcome", replied_at=FIRST, replied_by=SECRET, consent=SECRET, page=f"/{SECRET}", **values
    )
    ((shown,), total) = rows(museum.form)
    assert (shown.id, shown.created_at, shown.reply, shown.replied_at, total) == (entry.pk, FIRST, "Welcome", FIRST, 1)
    assert shown.values == {"name": "Ann", "topics": ["ships", "lamps"], "day": "2026-04-02"}
    types = [*FIELDS, "token", "page", "consent", "replied_by", "userName", "values", "state", "source"]
    parts = [f'<stl:inputContent type="{name}"></stl:inputContent>{{inputContent.{name}}}' for name in types]
    for markup in (f"<stl:inputContents>{''.join(parts)}</stl:inputContents>", "<stl:form type='list1'></stl:form>"):
        page = museum.show(markup)
        assert "Ann" in page and SECRET not in page and str(entry.token) not in page


def test_a_form_that_lists_no_field_shows_dates_and_replies(museum):
    museum.form.fields.update(is_listed=False)
    add(museum.form, SECRET, reply="Welcome")
    assert rows(museum.form)[0][0].values == {}
    page = museum.show("<stl:form type='list'></stl:form>")
    assert "2026-03-01 10:30" in page and "Welcome" in page and SECRET not in page


def test_the_newest_come_first_by_pages(museum):
    for age, name in enumerate("abcde"):
        add(museum.form, name, age // 2)
    assert names(museum.form) == list("edcba")
    assert (names(museum.form, 2, 2), rows(museum.form, 2, 2)[1]) == (["c", "b"], 5)
    museum.form.page_size = 3
    assert (names(museum.form, 2), names(museum.form, 0), names(museum.form, 9)) == (["b", "a"], ["e", "d", "c"], [])
    museum.form.page_size = MAX_PAGE + 9
    Entry.objects.bulk_create(
        Entry(form=museum.form, state=State.APPROVED, values={}, created_at=FIRST) for _ in range(MAX_PAGE)
    )
    assert len(rows(museum.form)[0]) == len(rows(museum.form, 1, 10**9)[0]) == MAX_PAGE


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("ANN", ["Ann"]),
        ("张", ["张三"]),
        ("lamps ann", ["Ann"]),
        ("mooring", ["Ann"]),  # in the reply
        ("50%", ["50% \\ of"]),
        ("\\", ["50% \\ of"]),
        ("_", []),
        (SECRET, []),
        ("\0", ["50% \\ of", "张三", "Ann"]),
        ("bob", []),  # waits for approval
    ],
)
def test_words_are_found_in_what_is_public(museum, word, expected):
    add(museum.form, "Ann", topics=["lamps"], email=SECRET, note=SECRET, consent=SECRET, reply="A mooring is free")
    add(museum.form, "张三", 1)
    add(museum.form, "50% \\ of", 2)
    add(museum.form, "Bob", 3, state=State.READ)
    assert names(museum.form, word=word) == expected and rows(museum.form, word=word)[1] == len(expected)


def test_rows_of_a_channel_or_content_are_those_sent_from_it(museum):
    add(museum.form, "a", channel_id=1, content_id=2)
    add(museum.form, "b", 1, channel_id=1, content_id=3)
    assert names(museum.form, channel_id=1) == ["b", "a"] and names(museum.form, channel_id=1, content_id=2) == ["a"]
    assert names(museum.form, content_id=0) == []


def test_a_site_in_the_trash_has_no_lists(museum):
    add(museum.form, "Ann")
    Site.objects.filter(pk=museum.site.pk).update(trashed_at=FIRST)
    assert rows(museum.form) == ([], 0)


def test_lists_are_those_of_the_site(museum):
    other = make_form(SiteFactory())
    add(other, SECRET)
    add(museum.form, "Ann")
    Form.objects.create(site=museum.site, name="Newest")
    for markup in ("<stl:inputContents inputName='GUESTS'>", "<stl:pageInputContents inputName='guests'>"):
        name = markup[1:].partition(" ")[0]
        assert museum.show(f"{markup}{{inputContent.name}};</{name}>") == "Ann;"
    for text in (
        '<stl:form name="guests" type="List1"></stl:form>',
        '<stl:form title="Guests" type="list"></stl:form>',
    ):
        assert "<dd>Ann</dd>" in museum.show(text)


@pytest.mark.parametrize("name", ["gone", "Newest", ""])
def test_other_forms_do_not_stand_in_for_a_list(museum, name):
    add(museum.form, "Ann")
    Form.objects.create(site=museum.site, name="Newest")  # without a list
    for tag in ("inputContents", "pageInputContents"):
        assert museum.show(f'<stl:{tag} inputName="{name}">x</stl:{tag}>') == ""
    assert museum.show(f'<stl:form name="{name}" type="list1"></stl:form>') == ""


def test_the_attributes_of_a_list_choose_entries(museum):
    add(museum.form, "Ann", 0, topics=["ships", "lamps"], reply="Yes")
    add(museum.form, "Bob", 1, topics=["ships"], email="bob@example.org")
    add(museum.form, "Cid", 2)

    def shown(given):
        return museum.show(f"<stl:inputContents {given}>{{inputContent.name}} </stl:inputContents>").split()

    assert shown("") == ["Cid", "Bob", "Ann"]
    assert shown('order="AddDateBack"') == shown('order="back"') == ["Ann", "Bob", "Cid"]
    assert shown('isReply="true"') == ["Ann"] and shown('isReply="False"') == ["Cid", "Bob"]
    assert shown('startNum="2" totalNum="1"') == ["Bob"]
    assert shown('TOPICS="ships"') == ["Bob", "Ann"] and shown('topics="ships" name="ann"') == ["Ann"]
    assert shown('topics="ship"') == shown('topics="%"') == shown('name="_ob"') == []
    assert shown('class="x" name=""') == ["Cid", "Bob", "Ann"]  # no fields of the form, and no value
    # By a field that is not listed, the values of others could be guessed.
    assert shown('email="bob@example.org"') == shown('email="b"') == []


def test_an_attribute_of_the_element_is_no_field(museum):
    Field.objects.create(form=museum.form, key="Order", label="Order", is_listed=True)
    add(museum.form, "Ann")
    assert museum.show('<stl:inputContents order="Back">{inputContent.name}</stl:inputContents>') == "Ann"


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('type="Id"', "{pk}"),
        ("", "{pk}"),
        ('type="AddDate"', "2026-03-01"),
        ('type="addDate" formatString="yyyy"', "2026"),
        ('type="ReplyDate" formatString="HH:mm"', "11:30"),
        ('type="reply"', "One &lt;b&gt;\nTwo"),
        ('type="reply" isReturnToBr="true"', "One &lt;b&gt;<br />Two"),
        ('type="ItemIndex"', "1"),
        ('type="itemindex+4"', "5"),
        ('type="NAME"', "Ann &amp; &lt;Bob&gt;"),
        ('type="name" isUpper="true" leftText="<b>" rightText="</b>"', "<b>ANN &amp; &lt;BOB&gt;</b>"),
        ('type="name" length="5"', "Ann &amp;"),
        ('type="name" replace="Ann" to="<i>"', "&lt;i&gt; &amp; &lt;Bob&gt;"),
        ('type="topics"', "ships,lamps"),
        ('type="topics" separator=" + "', "ships + lamps"),
        ('type="day"', "2026-04-02"),
        ('type="day" formatString="d MMMM"', "2 April"),
        ('type="UserName" leftText="by "', ""),
        ('type="gone"', ""),
    ],
)
def test_a_value_is_shaped_by_its_kind_and_escaped(museum, attributes, expected):
    entry = add(
        museum.form,
        "Ann & <Bob>",
        topics=["ships", "lamps"],
        day="2026-04-02",
        reply="One <b>\nTwo",
        replied_at=FIRST + timedelta(hours=1),
    )
    tag = f"<stl:inputContent {attributes}></stl:inputContent>"
    assert museum.show(f"<stl:inputContents>{tag}</stl:inputContents>") == expected.replace("{pk}", str(entry.pk))


def test_a_date_that_is_none_stays_as_it_is(museum):
    add(museum.form, "Ann", day="tomorrow <x>")
    tag = '<stl:inputContent type="day" formatString="yyyy"></stl:inputContent>'
    assert museum.show(f"<stl:inputContents>{tag}</stl:inputContents>") == "tomorrow &lt;x&gt;"


PLACES = [
    "<b title='@'></b>",
    "<b title=@></b>",
    "<a href='@'></a>",
    "<script>f('@')</script>",
    "<p onclick='f(\"@\")'></p>",
    "<style>p { color: @ }</style>",
    "<!-- @ -->",
]


@pytest.mark.parametrize("value", ["{inputContent.name}", "{stl:inputContent type='name'}"])
@pytest.mark.parametrize("place", PLACES)
def test_text_of_visitors_is_encoded_as_their_query_is(museum, place, value):
    template = place.replace("@", value.replace("'", '"') if "'" in place.partition("@")[0] else value)
    for text in PAYLOADS:
        Entry.objects.all().delete()
        add(museum.form, text)
        shown = museum.show(f"<stl:inputContents>{template}</stl:inputContents>")
        assert shown == museum.show(place.replace("@", "{request.x}"), query={"x": text.replace("\0", "")}), text


@pytest.mark.parametrize("value", ["{inputContent.name}", "{stl:inputContent type='name'}"])
def test_text_of_visitors_stays_text(museum, value):
    for text in ("<b>&amp;", "data: 5 sheets", "{stl.siteName} <stl:value type='siteName'></stl:value>"):
        Entry.objects.all().delete()
        add(museum.form, text)
        assert museum.show(f"<stl:inputContents><b>{value}</b></stl:inputContents>") == f"<b>{escape(text)}</b>"


@pytest.mark.parametrize(
    "markup", ["<stl:inputContents></stl:inputContents>", "<stl:form name='guests' type='list'></stl:form>"]
)
def test_our_markup_escapes_all_texts(museum, markup):
    hostile = '"><script>alert(1)</script>\n&amp;'
    museum.form.fields.update(label=hostile)
    add(museum.form, hostile, topics=[hostile], reply=hostile)
    shown = museum.show(markup)
    assert shown.count("&lt;script&gt;") == 5 and "<script" not in shown and '">&lt;' not in shown.replace('d">', "")
    assert unescape(re.search(r"<dd>(.*?)</dd>", shown)[1].replace("<br>", "\n")) == hostile


def test_our_markup_is_in_the_language_of_the_labels(museum):
    add(museum.form, "Ann", reply="Welcome", replied_at=FIRST)
    shown = museum.show("<stl:inputContents></stl:inputContents>")
    assert shown == (
        '<article class="cms-entry"><p><time datetime="2026-03-01T10:30:00">2026-03-01 10:30</time></p><dl>'
        '<dt>Name</dt><dd>Ann</dd><dt>Reply <time datetime="2026-03-01T10:30:00">2026-03-01 10:30</time></dt>'
        "<dd>Welcome</dd></dl></article>"
    )
    museum.form.fields.filter(key="name").update(label="姓名")
    assert "<dt>回复 " in museum.show("<stl:inputContents></stl:inputContents>")


def test_a_paged_list_has_pages_of_its_channel(museum):
    for age, name in enumerate("abcde"):
        add(museum.form, name, age)
    text = (
        '<stl:pageInputContents pageNum="2">{inputContent.name}{inputContent.itemIndex} </stl:pageInputContents>'
        '<stl:pageItems><stl:pageItem type="nextPage"></stl:pageItem></stl:pageItems>'
    )
    first, last = (museum.page(text, museum.news, number=number) for number in (1, 3))
    assert first.page_count == 3
    assert first.html.startswith("e1 d2 ") and f'href="/museum/channels/{museum.news.pk}_2.html"' in first.html
    assert last.html.startswith("a5 ") and "href" not in last.html


def test_a_paged_list_in_a_dynamic_part_has_pages_by_the_query(museum):
    for age, name in enumerate("abc"):
        add(museum.form, name, age)
    text = (
        '<stl:dynamic><stl:pageInputContents pageNum="2">{inputContent.name}</stl:pageInputContents>'
        '<stl:pageItem type="previousPage"></stl:pageItem></stl:dynamic>'
    )
    shown = museum.show(text, query={"page": "2"}, kind=TemplateKind.FILE)
    assert shown.startswith("a") and "?page=1" in shown


def test_our_list_has_pages_by_the_query(museum):
    Form.objects.update(page_size=2)
    for age, name in enumerate("abcde"):
        add(museum.form, name, age)

    def shown(**query):
        page = museum.page('<stl:form type="list1"></stl:form>', query=query)
        links = re.findall(r'rel="(\w+)" href="([^"]*)"', page.html)
        return re.findall(r"<dd>(\w)</dd>", page.html), {name: href.partition("?")[2] for name, href in links}

    assert shown(x="1&2") == (["e", "d"], {"next": "x=1%262&amp;page=2"})
    assert shown(page="2") == (["c", "b"], {"prev": "page=1", "next": "page=3"})
    assert shown(page="9" * 30) == shown(page="x") == shown() != shown(page="3")
    assert shown(page="7") == shown(page="3") == (["a"], {"prev": "page=2"})
    Form.objects.update(page_size=5)
    page = museum.page('<stl:form type="list1"></stl:form>', query={"page": "2"})
    assert "<nav" not in page.html and not page.reads_query  # so strangers cannot fill the cache with it


def test_a_list_takes_the_same_statements_however_long_it_is(museum):
    def statements(show):
        with CaptureQueriesContext(connection) as counted:
            show()
        return len(counted)

    text = (
        "<stl:inputContents>{inputContent.name}<stl:inputContent type='topics'></stl:inputContent></stl:inputContents>"
    )
    add(museum.form, "Ann")
    few = statements(lambda: rows(museum.form)), statements(lambda: museum.show(text))
    for age in range(20):
        add(museum.form, "Bob", age, topics=["ships"], reply="x")
    assert (statements(lambda: rows(museum.form)), statements(lambda: museum.show(text))) == few
    assert few[0] == 3  # fields, rows and their number


SHOWN = "<stl:inputContents>{inputContent.name} {inputContent.reply};</stl:inputContents>"


@pytest.mark.parametrize("public_list", ["approved", "replied"])
def test_kept_pages_are_renewed_with_what_they_show(client, museum, public_list):
    Form.objects.update(public_list=public_list)
    make_template(museum.site, TemplateKind.INDEX, is_default=True, page_path="index.html", text=SHOWN)

    def page():
        return client.get("/museum/index.html").content.decode()

    assert page() == ""
    entry = add(museum.form, "Ann", state=State.READ)
    assert page() == ""
    services.reply(entry, "Welcome", "")
    if public_list == "approved":
        assert page() == ""
        services.change_state(entry, State.APPROVED, was=State.READ)
    assert page() == "Ann Welcome;"
    services.reply(entry, "Hello", "Welcome")
    assert page() == "Ann Hello;"
    field = museum.form.fields.get(key="name")
    Entry.objects.update(values={str(field.pk): "Anna"})
    assert page() == "Anna Hello;"
    services.change_state(entry, State.SPAM, was=Entry.objects.get().state)
    assert page() == ""
    services.change_state(entry, State.APPROVED, was=State.SPAM)
    assert page() == "Anna Hello;"
    services.delete_entry(entry)
    assert page() == ""
    add(museum.form, "Bob", reply="x")  # as an import does
    assert page() == "Bob x;"
    Form.objects.update(keep_days=1)
    delete_old()
    assert page() == ""
    add(museum.form, "Cid", reply="y")
    assert page() == "Cid y;"
    field.delete()
    assert page() == " y;"
    Form.objects.update(public_list="none")
    assert page() == ""


def test_entries_that_come_together_renew_the_pages_of_each_site(museum):
    forms = [museum.form, make_form(SiteFactory()), make_form(SiteFactory(), public_list="replied")]
    before = [number_of(form.site) for form in forms]
    Entry.objects.bulk_create(Entry(form=form, state=State.APPROVED) for form in [*forms, *forms])
    between = [number_of(form.site) for form in forms]
    assert [one != other for one, other in zip(before, between, strict=True)] == [True, True, False]
    add(museum.form, "Ann")
    assert number_of(museum.site) != between[0]


def number_of(site):
    return TreeVersion.objects.get(site=site).number


@pytest.mark.parametrize(
    ("public_list", "act"),
    [
        ("approved", lambda form: add(form, "new", state=State.NEW)),
        ("approved", lambda form: add(form, "spam", state=State.SPAM, reply="x")),
        ("replied", lambda form: add(form, "spam", state=State.SPAM, reply="x")),
        ("replied", lambda form: add(form, "approved")),
        ("none", lambda form: add(form, "approved", reply="x")),
        ("approved", lambda form: Entry.objects.filter(state=State.NEW).update(state=State.SPAM)),
        ("approved", lambda form: Entry.objects.filter(state=State.NEW).update(reply="x")),
        ("approved", lambda form: Entry.objects.update(digest="x", spam_at=FIRST, replied_by="x")),
        ("approved", lambda form: Entry.objects.filter(state=State.NEW).delete()),
        ("replied", lambda form: Entry.objects.filter(reply="").delete()),
        ("replied", lambda form: Entry.objects.filter(reply="").update(state=State.APPROVED)),
        ("none", lambda form: Entry.objects.all().delete()),
    ],
)
def test_other_changes_of_entries_renew_no_page(museum, public_list, act):
    Form.objects.update(public_list=public_list)
    add(museum.form, "listed", reply="x")
    add(museum.form, "new", state=State.NEW)
    before = number_of(museum.site)
    act(museum.form)
    assert number_of(museum.site) == before


@pytest.mark.parametrize("act", [Entry.objects.all().delete, lambda: Entry.objects.update(reply="y")])
def test_pages_of_other_sites_are_not_renewed(museum, act):
    other = make_form(SiteFactory())
    add(other, "Bob", state=State.READ)
    add(museum.form, "Ann")
    before = number_of(museum.site), number_of(other.site)
    act()
    assert number_of(museum.site) != before[0] and number_of(other.site) == before[1]


def test_the_check_of_templates_tells_why_a_list_is_empty(museum):
    text = (
        '<stl:inputContents inputName="Guests" name="x" {request.x}></stl:inputContents>\n'
        '<stl:inputContents inputName="gone"></stl:inputContents>\n<stl:form name="Newest" type="list1"></stl:form>\n'
        '<stl:pageInputContents inputName="guests" email="x" isRepli="true" columns="2"></stl:pageInputContents>\n'
        '<stl:inputContents inputName="{request.x}"></stl:inputContents><stl:form name="Newest"></stl:form>'
    )
    make_template(museum.site, TemplateKind.FILE, text=text.replace(" {request.x}>", ">"))
    Form.objects.create(site=museum.site, name="Newest")
    assert [(problem.line, problem.message) for _, problem in check_templates(museum.site.pk)] == [
        (2, "<stl:inputContents> shows nothing: the site has no form gone."),
        (3, "<stl:form> shows nothing: the form Newest has no public list."),
        (4, "<stl:pageInputContents> has no attribute email."),
        (4, "<stl:pageInputContents> has no attribute isRepli. Did you mean isReply?"),
    ]


def test_exported_pages_have_the_list_and_load_its_other_pages(client, museum, tmp_path):
    Form.objects.update(page_size=1)
    add(museum.form, "Ann")
    add(museum.form, "Bob", 1)
    text = "<html><body><stl:form type='list1'></stl:form></body></html>"
    template = make_template(museum.site, TemplateKind.INDEX, is_default=True, page_path="index.html", text=text)
    exported = Exported(tmp_path / "museum", museum.site)
    exported.run("--service", "https://cms.example.org")
    page = exported.files["/index.html"].decode()
    assert "<dd>Bob</dd>" in page and "_cms/fragments.js" in page
    part = f"/museum/_fragments/{template.pk}/{text.index('<stl:form')}/index.html"
    assert "<dd>Ann</dd>" in client.get(part, {"page": "2"}).content.decode()
    services.delete_entry(Entry.objects.get(created_at=FIRST + timedelta(days=1)))
    exported.run("--service", "https://cms.example.org")
    assert "<dd>Ann</dd>" in exported.files["/index.html"].decode()


ENTRIES, FORMS = "forms_entry", "forms_form"


def test_approvals_are_given_and_taken_back_together(highest, museum):
    entries = [add(museum.form, "Ann", state=state) for state in State]

    def states():
        return list(Entry.objects.order_by("pk").values_list("state", flat=True))

    def do(name):
        sent = {"action": name, "_selected_action": [entry.pk for entry in entries]}
        return highest.post(f"{place(ENTRIES)}?form__id__exact={museum.form.pk}", sent)

    answer = do("approve")
    assert states() == ["approved", "approved", "approved", "spam"]
    assert told(answer) == ["2 entries were approved."]
    undo(highest, answer)
    assert states() == ["new", "read", "approved", "spam"]
    answer = do("take-back")
    assert states() == ["new", "read", "read", "spam"] and told(answer)[-1] == "1 entry is no longer approved."
    undo(highest, answer)
    assert [entry.details["state"] for entry in noted("entry.changed")][-2:] == ["read", "approved"]
    shown = listed(highest, ENTRIES, form__id__exact=museum.form.pk, state__exact="approved")
    assert [entry.pk for entry in shown] == [entries[2].pk]


@pytest.mark.parametrize(("public_list", "is_offered"), [("none", False), ("replied", False), ("approved", True)])
def test_entries_of_forms_without_such_a_list_need_no_approval(highest, museum, public_list, is_offered):
    Form.objects.update(public_list=public_list)
    entry = add(museum.form, "Ann", state=State.NEW)
    text = highest.get(place(ENTRIES, "change", entry.pk)).content.decode()
    assert (place(ENTRIES, "action", "approve") in text) == is_offered
    act(highest, ENTRIES, "approve", entry)
    assert Entry.objects.get().state == (State.APPROVED if is_offered else State.NEW)
    assert ("Everybody can read it in the public list." in text) == (public_list != "none")


def test_approved_entries_are_counted(highest, museum):
    add(museum.form, "Ann")
    add(museum.form, "Bob", state=State.SPAM)
    (form,) = listed(highest, FORMS)
    assert form.counts == (1, 0)


def test_the_list_is_set_with_the_form(highest, museum):
    address = place(FORMS, "change", museum.form.pk)
    sent = posted_by(highest.get(address)) | {"public_list": "replied", "page_size": "12", "field-3-is_listed": "on"}
    del sent["field-0-is_listed"]
    before = number_of(museum.site)
    rows_of = highest.post(address, sent).context_data["rows"]
    wrong = [error for row in rows_of for error in row.errors.get("is_listed", [])]
    assert wrong == ["Files and sensitive fields cannot be in the public list."] * 3
    for place_of_field in (5, 6, 7):
        del sent[f"field-{place_of_field}-is_listed"]
    highest.post(address, sent)
    museum.form.refresh_from_db()
    assert (museum.form.public_list, museum.form.page_size) == ("replied", 12)
    listed_keys = set(museum.form.fields.filter(is_listed=True).values_list("key", flat=True))
    assert listed_keys == {"topics", "day", "email", "note"} and number_of(museum.site) != before
    assert [entry.changed for entry in noted("form.changed")] == [["fields", "pageSize", "publicList"]]


@pytest.mark.parametrize("size", ["0", str(MAX_PAGE + 1), ""])
def test_a_page_of_the_list_has_a_usual_size(highest, museum, size):
    address = place(FORMS, "change", museum.form.pk)
    sent = posted_by(highest.get(address)) | {"page_size": size}
    assert highest.post(address, sent).context_data["form"].errors["page_size"]


def test_a_field_that_others_have_listed_is_a_change_since(museum):
    before = services.stamp_of(museum.form)
    museum.form.fields.filter(key="email").update(is_listed=True)
    assert services.stamp_of(museum.form) != before

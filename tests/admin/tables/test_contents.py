"""Contents from and to tables: what the preview says is what is stored, or nothing is."""

import json
from datetime import datetime

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.text import capfirst

from contents.admin.tables import content_columns
from contents.models import Content, ContentBody, ContentChange, ContentSchedule, CustomField
from core.models import PendingImport
from core.tables.columns import match
from core.tables.reading import read_table
from tests.admin.pages.browsing import noted
from tests.admin.tables.files import (
    address,
    csv_file,
    export,
    preview_of,
    problems_of,
    sent_csv,
    sent_xlsx,
    stored,
    upload,
    xlsx_file,
)
from tests.admin.world import administrator_with
from tests.cases import each_once
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db
PAGE = "contents_content"


@world
def channel():
    return ChannelFactory(channel_name="News")


def of(channel):
    """The query of the channel's list."""
    return f"?site__id__exact={channel.site_id}&channel__id__exact={channel.pk}"


def look(browser, channel, *rows, **options):
    """The preview of a file for the channel."""
    file = options.get("file") or csv_file(*rows)
    answer, place = upload(browser, PAGE, file, of(channel), channel=channel.pk)
    assert answer.status_code == 302, answer.context["form"].errors
    return browser.get(place), place


def store(browser, place, **sent):
    return browser.post(place, {"import": "1"} | sent)


def test_what_the_list_shows_is_exported_with_the_chosen_columns(highest, channel):
    first = ContentFactory(channel=channel, title="港口开放", content="<p>全文；\r\n第二行</p>", is_top=True)
    ContentFactory(title="Of another site")
    columns = ["title", "content", "is_top", "add_date", "channel_name", "id"]
    assert sent_csv(export(highest, PAGE, columns, of(channel))) == [
        ["id", "title", "content", "isTop", "addDate", "channelName"],
        [str(first.pk), "港口开放", "<p>全文；\r\n第二行</p>", "True", f"{first.add_date:%Y-%m-%d %H:%M:%S}", "News"],
    ]
    (entry,) = noted("content.exported")
    assert entry.site_id == channel.site_id
    assert entry.details["filters"] == ["channel__id__exact", "site__id__exact"]


def test_custom_fields_of_the_site_are_columns(highest, channel):
    CustomField.objects.create(site=channel.site, name="videoLength", folded_name="videolength", label="Length")
    made = ContentFactory(channel=channel, settings_xml='{"videoLength": "3:20"}')
    assert sent_csv(export(highest, PAGE, ["id", "custom:videoLength"], of(channel), headings="words")) == [
        ["ID", "Length"],
        [str(made.pk), "3:20"],
    ]
    answer, place = look(highest, channel, ["id", "length"], [made.pk, "4:00"])
    assert preview_of(answer) == {"wrong": 0, "new": 0, "changed": 1, "unchanged": 0}
    assert store(highest, place).status_code == 302
    assert Content.objects.get(pk=made.pk).settings_xml == '{"videoLength":"4:00"}'


def test_a_custom_field_that_is_too_large_is_told_by_its_column(highest, channel, settings):
    settings.CMS_MAX_CUSTOM_FIELD_BYTES = 2048
    CustomField.objects.create(site=channel.site, name="note", folded_name="note")
    large = "x" * 3000
    made = ContentFactory(channel=channel, settings_xml=json.dumps({"note": large}))
    answer, _place = look(highest, channel, ["id", "title", "note"], [made.pk, "New", large], ["", "a", large])
    assert preview_of(answer) == {"wrong": 1, "new": 0, "changed": 1, "unchanged": 0}
    ((column, sentence),) = problems_of(answer)[3]
    assert (column, sentence.startswith("“note” is too large. ")) == ("note", True)


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_what_was_exported_changes_nothing_when_it_comes_back(highest, channel, form):
    ContentFactory(channel=channel, title="=1+1", content="<p>a</p>\r\n- b;=c", summary="'=d", author="+86", tags="@x")
    ContentFactory(channel=channel, title="港口", content="", link_url="https://example.org/?a=1")
    names = [name for name, _label in highest.get(address(f"{PAGE}_export")).context["form"].fields["columns"].choices]
    answer = export(highest, PAGE, names, of(channel), form=form)
    file = SimpleUploadedFile("back again", b"".join(answer.streaming_content))
    preview, _place = look(highest, channel, file=file)
    assert problems_of(preview) == {}
    assert preview_of(preview) == {"wrong": 0, "new": 0, "changed": 0, "unchanged": 2}


def test_a_cell_is_no_formula(highest, channel):
    ContentFactory(channel=channel, title='=HYPERLINK("http://example.org")', author=" +1", source="a;=b")
    (_headings, cells) = sent_csv(export(highest, PAGE, ["title", "author", "source"], of(channel)))
    assert sorted(cells) == sorted(['\'=HYPERLINK("http://example.org")', "' +1", "'a;'=b"])
    answer = export(highest, PAGE, ["title"], of(channel), form="xlsx")
    assert sent_xlsx(answer)[1] == ['=HYPERLINK("http://example.org")']


def test_a_table_makes_and_changes_contents_after_a_preview(highest, channel):
    old = ContentFactory(channel=channel, title="Old", summary="stays", content="<p>stays</p>")
    answer, place = look(highest, channel, ["ID", "标题", "Is Top"], [old.pk, "Newer", "是"], ["", "Fresh", "False"])
    assert preview_of(answer) == {"wrong": 0, "new": 1, "changed": 1, "unchanged": 0}
    assert list(Content.objects.values_list("title", flat=True)) == ["Old"]
    answer = store(highest, place)
    assert stored(answer) == {"wrong": 0, "new": 1, "changed": 1, "unchanged": 0}
    old.refresh_from_db()
    assert (old.title, old.is_top, old.summary, old.body.text) == ("Newer", True, "stays", "<p>stays</p>")
    fresh = Content.objects.get(title="Fresh")
    assert (fresh.channel_id, fresh.add_user_name, fresh.is_checked) == (channel.pk, "harriet", False)
    # The history has what was, the audit that it was done; the file is gone.
    assert ContentChange.objects.get(content=old).version == 2
    assert [entry.details["created"] for entry in noted("content.imported")] == [1]
    assert not PendingImport.objects.exists()


def test_of_two_clicks_the_second_stores_nothing(highest, channel):
    _answer, place = look(highest, channel, ["title"], ["Once"])
    first, second = store(highest, place), store(highest, place)
    # It leads to what came of the first, and so does whoever goes back.
    assert second["Location"] == first["Location"] == highest.get(place)["Location"]
    assert Content.objects.filter(title="Once").count() == 1


def test_what_somebody_changed_since_the_preview_is_told_and_not_overwritten(highest, channel):
    one, other = ContentFactory(channel=channel, title="One"), ContentFactory(channel=channel, title="Other")
    _answer, place = look(highest, channel, ["id", "title"], [one.pk, "Mine"], [other.pk, "Mine too"])
    Content.objects.filter(pk=other.pk).update(title="Somebody else's", version=5)
    answer = store(highest, place, leave_out="on")
    assert answer.status_code == 200
    assert [row.number for row in answer.context["preview"].rows if row.is_stale] == [3]
    assert list(Content.objects.order_by("pk").values_list("title", flat=True)) == ["One", "Somebody else's"]
    # The preview now shows the new state, and that may be confirmed.
    assert store(highest, place).status_code == 302
    assert list(Content.objects.order_by("pk").values_list("title", flat=True)) == ["Mine", "Mine too"]


WRONG = {
    "no title": (["title", "summary"], ["  ", "a"], "title", "Enter a title."),
    "a long title": (["title"], ["x" * 256], "title", "At most 255 characters; this has 256."),
    "no date": (
        ["title", "addDate"],
        ["a", "soon"],
        "content date",
        "Write a date and time such as 2026-11-20 09:30:00.",
    ),
    "no flag": (["title", "isTop"], ["a", "perhaps"], "pinned", "Write True or False."),
    "a script": (
        ["title", "linkUrl"],
        ["a", "javascript:x()"],
        "link",
        "An address must not begin with javascript: or data:.",
    ),
    "a long tag": (["title", "tags"], ["a", "x" * 256], "tags", "A name can have at most 255 characters and no comma."),
    "no number": (["id", "title"], ["seven", "a"], "ID", "Enter a whole number."),
    "no such number": (["id", "title"], ["999999", "a"], "ID", "This site has no content item with this ID."),
    "a row cut short": (
        ["title", "summary", "tags"],
        ["a", "b"],
        "",
        "The row has 2 cells, but the heading row has 3.",
    ),
    "a cut text": (
        ["title", "summary"],
        ["a", "x" * 32767],
        "summary",
        "A spreadsheet program has truncated this text.",
    ),
    "a written picture": (
        ["title", "content"],
        ["a", '<img src="data:image/png;base64,AAAA">'],
        "body",
        "A picture is embedded in the text itself; upload it instead.",
    ),
    "a nested body": (
        ["title", "content"],
        ["a", "<b>" * 500],
        "body",
        "Parts of the text are nested too deeply. Paste it again as plain text.",
    ),
}


@pytest.mark.parametrize("headings,cells,column,sentence", WRONG.values(), ids=WRONG)
def test_a_wrong_row_is_told_by_number_column_and_reason(highest, channel, headings, cells, column, sentence):
    right = ["Right" if heading == "title" else "" for heading in headings]
    answer, place = look(highest, channel, headings, right, cells)
    ((told_column, told_sentence),) = problems_of(answer)[3]
    assert (told_column, told_sentence.startswith(sentence)) == (column, True)
    assert store(highest, place).status_code == 200  # all or nothing
    assert not Content.objects.exists()
    assert store(highest, place, leave_out="on").status_code == 302
    assert [content.title for content in Content.objects.all()] == ["Right"]


def test_reasons_are_told_in_the_language_of_the_page(highest, channel):
    highest.cookies["cms_language"] = "zh-hans"
    answer, _place = look(highest, channel, ["标题", "置顶"], ["a", "maybe"])
    ((column, _sentence),) = problems_of(answer)[2]
    assert column == "置顶"


@pytest.mark.parametrize("make", [csv_file, xlsx_file])
@pytest.mark.parametrize(
    "text",
    [
        "<p title=\"font-family:Arial,'-apple-system',sans-serif\">hi</p>",
        "a,'=b' and ;'-c",
        "a\n'- b",
        "'quoted', 'too'",
    ],
)
def test_apostrophes_of_others_stay(highest, channel, make, text):
    _answer, place = look(highest, channel, file=make(["title", "summary"], ["x", text]))
    store(highest, place)
    assert Content.objects.get(channel=channel).summary == text


def test_a_workbook_has_no_apostrophes_of_ours(highest, channel):
    _answer, place = look(highest, channel, file=xlsx_file(["title"], ["'-tis the season"]))
    store(highest, place)
    assert Content.objects.get(channel=channel).title == "'-tis the season"


def test_an_exported_csv_saved_as_a_workbook_changes_nothing(highest, channel):
    ContentFactory(channel=channel, title="=1+1", summary="- a\n- b;=c", author="'=d")
    rows = sent_csv(export(highest, PAGE, ["id", "title", "summary", "author"], of(channel)))
    preview, _place = look(highest, channel, file=xlsx_file(*rows))
    assert preview_of(preview) == {"wrong": 0, "new": 0, "changed": 0, "unchanged": 1}


def test_dates_of_custom_fields_keep_their_spelling(highest, channel):
    for kind in ("date", "day"):
        CustomField.objects.create(site=channel.site, name=kind, folded_name=kind, kind=kind)
    stored = {"date": "2026-12-10 19:00", "day": "2026-09-18"}
    content = ContentFactory(channel=channel, settings_xml=json.dumps(stored))
    head = ["id", "date", "day"]
    file = xlsx_file(head, [content.pk, datetime(2026, 12, 10, 19), datetime(2026, 9, 18)])
    assert preview_of(look(highest, channel, file=file)[0])["unchanged"] == 1
    _answer, place = look(highest, channel, head, [content.pk, "2026/12/10 20:00", "2026/9/19"])
    store(highest, place)
    content.refresh_from_db()
    assert json.loads(content.settings_xml) == {"date": "2026/12/10 20:00", "day": "2026-09-19"}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026/11/28 下午 3:04", datetime(2026, 11, 28, 15, 4)),
        ("2026年11月28日", datetime(2026, 11, 28)),
        ("2026年11月28日 9时05分", datetime(2026, 11, 28, 9, 5)),
        ("2026-1-2", datetime(2026, 1, 2)),
        ("2026/1/5 9:30", datetime(2026, 1, 5, 9, 30)),
        ("2026.1.5 9:30:01", datetime(2026, 1, 5, 9, 30, 1)),
        ("Saturday, November 28, 2026", datetime(2026, 11, 28)),
    ],
)
def test_dates_are_read_as_programs_write_them(highest, channel, written, expected):
    _answer, place = look(highest, channel, ["title", "addDate"], ["a", written])
    store(highest, place)
    assert Content.objects.get().add_date == expected


@pytest.mark.parametrize("written", ["5/6/2026", "2026-13-01", "2026年2月30日", "soon"])
def test_texts_that_are_no_date_or_could_be_two_are_wrong(highest, channel, written):
    answer, _place = look(highest, channel, ["title", "addDate"], ["a", written])
    told = "Write a date and time such as 2026-11-20 09:30:00."
    assert [[sentence for _name, sentence in found] for found in problems_of(answer).values()] == [[told]]


def test_chinese_commas_separate_the_names_of_a_table(highest, channel):
    ContentFactory(channel=channel, tags="红，蓝")
    content = ContentFactory(channel=channel, title="old", tags="红，蓝,c")
    rows = [
        ["", "a", "标签一，标签二、红", "甲，乙"],
        ["", "b", f"{'x' * 200}，{'y' * 200}", ""],
        ["", "c", "红，蓝,新", ""],
    ]
    rows.append([content.pk, "old", "红，蓝,c", ""])
    answer, place = look(highest, channel, ["id", "title", "tags", "groupNameCollection"], *rows)
    assert preview_of(answer) == {"wrong": 0, "new": 3, "changed": 0, "unchanged": 1}
    store(highest, place)
    found = Content.objects.filter(title__in="abc").order_by("title").values_list("tags", "group_name_collection")
    assert list(found) == [
        ("标签一,标签二,红", "甲,乙"),
        (f"{'x' * 200},{'y' * 200}", ""),
        ("红，蓝,新", ""),
    ]


def test_a_formula_without_result_clears_nothing(highest, channel):
    content = ContentFactory(channel=channel, summary="IMPORTANT")
    file = xlsx_file(["id", "title", "summary"], [content.pk, "New", '=CONCATENATE("x","y")'])
    preview, _place = look(highest, channel, file=file)
    told = "The formula has no stored result. Open the file in a spreadsheet program and save it."
    assert problems_of(preview) == {2: [("summary", told)]}


def test_the_preview_names_what_cleaning_removes_from_each_row(highest, channel):
    frame = '<p>a</p><iframe src="http://films.example/1"></iframe>'
    preview, _place = look(highest, channel, ["title", "content"], ["x", frame], ["y", "<p>b</p>"])
    told = {row.number: row.notes for row in preview.context["preview"].rows}
    assert told == {2: [("body", "Removed from the text for security reasons: iframe.")], 3: []}


def test_the_share_code_of_a_film_stays_in_a_table(highest, channel):
    frame = '<iframe src="//player.example/player.html?bvid=BV1" allowfullscreen="true"></iframe>'
    preview, place = look(highest, channel, ["title", "content"], ["x", frame])
    assert [row.notes for row in preview.context["preview"].rows] == [[]]
    store(highest, place)
    assert 'src="https://player.example/player.html?bvid=BV1"' in ContentBody.objects.get().text


def test_a_body_is_cleaned_as_the_desk_does(highest, channel):
    _answer, place = look(highest, channel, ["title", "body"], ["a", "<p onclick='x()'>b<script>c()</script></p>"])
    store(highest, place)
    assert ContentBody.objects.get().text == "<p>b</p>"


def test_texts_beside_the_body_are_cleaned_too(highest, channel):
    hostile = "a < b<img src=x onerror=ran()>"
    _answer, place = look(highest, channel, ["title", "summary", "author"], [hostile, hostile, hostile])
    store(highest, place)
    (made,) = Content.objects.all()
    assert {made.title, made.summary, made.author} == {'a < b<img src="x">'}


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("<script>ran()</script>", "This text consists of markup that is not allowed here; enter a text without it."),
        ("<b>" + "x" * 250, "At most 255 characters; this has 257."),
    ],
)
def test_a_title_that_cleaning_makes_unfit_is_refused(highest, channel, title, told):
    preview, _place = look(highest, channel, ["title"], [title])
    assert problems_of(preview) == {2: [("title", told)]}


@each_once(
    ("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le"]),
    ("separator", [",", ";", "\t"]),
)
def test_files_of_every_spreadsheet_are_read(highest, channel, encoding, separator):
    file = csv_file(["标题", "摘要"], ["港口, 开放", "第一行\n第二行"], encoding=encoding, separator=separator)
    _answer, place = look(highest, channel, file=file)
    store(highest, place)
    (made,) = Content.objects.all()
    assert (made.title, made.summary) == ("港口, 开放", "第一行\n第二行")


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("\ntitle;summary\na;b, c\n", "b, c"),
        (" \r\n\r\ntitle\tsummary\r\na\tb;c\r\n", "b;c"),
        ("title;Summary, short;Body, long, x\na;b;c\n", ""),
        ("title,summary\na,b;c;d\n\nx,\n", "b;c;d"),
        ('title;summary;x\na;"b, c, d, e";\n', "b, c, d, e"),
        ("title\na; b, c\n", ""),
        ("title\n", None),
    ],
)
def test_the_separator_is_the_one_that_fits_the_rows(text, summary):
    if summary is None:
        with pytest.raises(ValidationError):
            read_table(text.encode())
        return
    table = read_table(text.encode())
    row = dict(zip(table.headings, table.rows[0][1], strict=False))
    assert (row["title"].partition(";")[0], row.get("summary", "")) == ("a", summary)


def test_headings_can_be_corrected(highest, channel):
    answer, place = look(highest, channel, ["Überschrift", "title"], ["Right", "Wrong"])
    answer = highest.post(place, {"match": "1", "match-0": "title", "match-1": ""}, follow=True)
    assert preview_of(answer)["new"] == 1
    store(highest, place)
    assert [content.title for content in Content.objects.all()] == ["Right"]
    _again, place = look(highest, channel, ["a", "b"], ["c", "d"])
    refused = highest.post(place, {"match": "1", "match-0": "title", "match-1": "title"})
    assert "Two headings refer to the same column." in refused.content.decode()


def test_a_row_of_a_workbook_may_leave_out_blank_cells_at_its_end(highest, channel):
    old = ContentFactory(channel=channel, title="Old", tags="a")
    answer, place = look(highest, channel, file=xlsx_file(["id", "title", "tags", "source"], [old.pk, "Newer"]))
    assert preview_of(answer) == {"wrong": 0, "new": 0, "changed": 1, "unchanged": 0}
    store(highest, place)
    assert Content.objects.filter(pk=old.pk).values_list("title", "tags")[0] == ("Newer", "")


def test_labels_of_the_form_are_headings(highest, channel):
    form = highest.get(address(f"{PAGE}_add", channel=channel.pk)).context["form"]
    others = {"body": "content", "groups": "group_name_collection"}
    columns = {others.get(name, name): str(field.label) for name, field in form.fields.items()}
    read = content_columns(channel.site_id)
    for column in read:
        if column.name in columns:
            assert capfirst(str(column.label)) == columns[column.name]
            assert match([columns[column.name]], read) == [column.name]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Content date", "add_date"),
        ("Date of the content", "add_date"),
        ("内容日期", "add_date"),
        ("added", "add_date"),
        ("添加时间", "add_date"),
        ("Highlighted", "is_color"),
        ("coloured", "is_color"),
        ("醒目", "is_color"),
        ("isColor", "is_color"),
        ("ID", "id"),
        ("Number", "id"),
        ("编号", "id"),
        ("Publish at", "publish_at"),
        ("发布时间", "publish_at"),
        ("Withdraw at", "unpublish_at"),
        ("Colours", ""),
        ("", ""),
    ],
)
def test_headings_of_this_and_earlier_versions_are_read(heading, name):
    assert match([heading], content_columns()) == [name]


def test_headings_that_are_not_read_are_told_at_the_top(highest, channel):
    answer, place = look(highest, channel, ["title", "Colour", "channel", "left out because"], ["a", "red", "News", ""])
    unread = answer.context["unread"]
    assert (unread["told"], unread["others"]) == (["channel"], ["Colour"])
    above, _rows = answer.content.decode().split('class="preview-rows"')
    assert "Ignored headings: <strong>Colour</strong>" in above
    assert "Headings of columns that an import does not change: <strong>channel</strong>" in above
    answer = highest.post(place, {"match": "1", "match-0": "", "match-1": "title"}, follow=True)
    assert answer.context["unread"]["others"] == ["title"]


def test_a_file_can_be_given_up(highest, channel):
    _answer, place = look(highest, channel, ["title"], ["a"])
    assert highest.post(place, {"give_up": "1"}).status_code == 302
    assert (PendingImport.objects.count(), Content.objects.count()) == (0, 0)


def test_kept_files_are_encrypted_belong_to_one_and_end(highest, channel):
    _answer, place = look(highest, channel, ["title"], ["Confidential words"])
    (kept,) = PendingImport.objects.all()
    assert b"Confidential" not in bytes(kept.data)
    colleague = Client()
    colleague.force_login(AdministratorFactory())
    assert colleague.get(place).status_code == 302
    assert colleague.post(place, {"import": "1"}).status_code == 302
    assert not Content.objects.exists()
    PendingImport.objects.update(created_at="2020-01-01 00:00:00")
    assert highest.get(place).status_code == 302
    look(highest, channel, ["title"], ["b"])
    assert PendingImport.objects.count() == 1


def test_a_site_administrator_reads_and_writes_own_sites_only(channel):
    foreign = ContentFactory(title="Foreign")
    own = ContentFactory(channel=channel, title="Own")
    browser = Client()
    browser.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(channel.site_id)))
    answer, _place = look(browser, channel, ["id", "title"], [foreign.pk, "Taken"])
    assert list(problems_of(answer)) == [2]
    other = foreign.channel
    assert upload(browser, PAGE, csv_file(["title"], ["a"]), of(other), channel=other.pk)[0].status_code == 200
    assert [row[0] for row in sent_csv(export(browser, PAGE, ["title"]))] == ["title", own.title]
    assert len(sent_csv(export(browser, PAGE, ["title"], of(other)))) == 1


@pytest.mark.parametrize(
    "rights,counts",
    [
        (["add"], {"wrong": 2, "new": 1, "changed": 0, "unchanged": 0}),
        (["change"], {"wrong": 3, "new": 0, "changed": 0, "unchanged": 0}),
        (["change", "approve"], {"wrong": 2, "new": 0, "changed": 1, "unchanged": 0}),
        (["add", "change", "approve"], {"wrong": 0, "new": 2, "changed": 1, "unchanged": 0}),
    ],
)
def test_rights_decide_row_by_row(channel, rights, counts):
    old = ContentFactory(channel=channel, is_checked=True)
    browser = Client()
    browser.force_login(administrator_with("contents.view_content", *(f"contents.{each}_content" for each in rights)))
    rows = [old.pk, old.title, "False"], ["", "New", "False"], ["", "New and approved", "True"]
    answer, _place = look(browser, channel, ["id", "title", "isChecked"], *rows)
    assert preview_of(answer) == counts


def test_nobody_imports_without_a_right(channel):
    browser = Client()
    browser.force_login(administrator_with("contents.view_content"))
    assert browser.get(address(f"{PAGE}_import")).status_code == 404
    assert browser.get(address(f"{PAGE}_export")).status_code == 200


def test_the_number_of_statements_does_not_grow_with_the_preview(highest, channel, django_assert_max_num_queries):
    made = [ContentFactory(channel=channel) for _ in range(60)]
    _answer, place = look(highest, channel, ["id", "title", "body"], *([each.pk, "x", "y"] for each in made))
    with django_assert_max_num_queries(30):
        assert preview_of(highest.get(place))["changed"] == 60


def test_a_workbook_ends_at_its_rows(highest, channel, monkeypatch):
    monkeypatch.setattr("core.tables.export.XLSX_ROWS", 1)
    for _ in range(2):
        ContentFactory(channel=channel)
    answer = export(highest, PAGE, ["title"], of(channel), form="xlsx")
    assert "A workbook may have at most 1 rows." in answer.content.decode()
    assert noted("content.exported") == []


def test_long_lists_are_written_in_parts(highest, channel, monkeypatch):
    monkeypatch.setattr("core.tables.export.ROWS", 2)
    made = [ContentFactory(channel=channel).pk for _ in range(5)]
    rows = sent_csv(export(highest, PAGE, ["id"], of(channel)))
    assert [row[0] for row in rows] == ["id", *map(str, made)]


@pytest.mark.parametrize("levels,right,is_allowed", [(3, 1, False), (3, 2, False), (3, 3, True), (1, 1, True)])
@pytest.mark.parametrize("is_checked", [True, False])
def test_a_table_approves_as_far_as_the_rights_reach(levels, right, is_allowed, is_checked):
    site = SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": levels})
    old = ContentFactory(channel=ChannelFactory(site=site), is_checked=not is_checked)
    rights = [f"contents.{each}_content" for each in ("view", "change", f"approve{right}")]
    browser = Client()
    browser.force_login(administrator_with(*rights))
    answer, place = look(browser, old.channel, ["id", "isChecked"], [old.pk, str(is_checked)])
    assert preview_of(answer)["changed"] == int(is_allowed)
    store(browser, place, leave_out="on")
    assert Content.objects.get(pk=old.pk).is_checked is (is_checked if is_allowed else not is_checked)


def test_bodies_are_read_a_few_at_a_time(highest, channel, monkeypatch):
    monkeypatch.setattr("contents.storing.batches._MAX", 25)
    texts = ["x" * 10, "y" * 10, "z" * 40, "", "v" * 10]
    made = [ContentFactory(channel=channel, content=text).pk for text in texts]
    with CaptureQueriesContext(connection) as captured:
        rows = sent_csv(export(highest, PAGE, ["id", "content"], of(channel)))
    assert rows[1:] == [[str(pk), text] for pk, text in zip(made, texts, strict=True)]
    assert sum('."text"' in each["sql"] and "LENGTH" not in each["sql"].upper() for each in captured) == 3
    # In another order, with changes of some.
    wanted = [(made[4], "new"), (made[2], texts[2]), (made[0], "<p>other</p>"), (made[3], "")]
    answer, place = look(highest, channel, ["id", "body"], *wanted)
    assert preview_of(answer) == {"wrong": 0, "new": 0, "changed": 2, "unchanged": 2}
    shown = [(each.before, each.after) for row in answer.context["preview"].rows for each in row.differences]
    assert shown[:2] == [(texts[4], "new"), (texts[0], "<p>other</p>")]
    store(highest, place)
    assert [ContentBody.objects.get(pk=pk).text for pk in made] == ["<p>other</p>", texts[1], texts[2], "", "new"]


# ---- schedules


def test_times_of_publication_are_exported_and_come_back(highest, channel):
    content = ContentFactory(channel=channel)
    ContentSchedule.objects.create(content=content, site_id=content.site_id, publish_at=datetime(2199, 1, 1, 8))
    ContentFactory(channel=channel)
    exported = sent_csv(export(highest, PAGE, ["id", "publish_at", "unpublish_at"], of(channel)))
    assert exported[0] == ["id", "publishAt", "unpublishAt"]
    assert [str(content.pk), "2199-01-01 08:00:00", ""] in exported
    answer, _place = look(highest, channel, *exported)
    assert preview_of(answer)["unchanged"] == 2


def test_times_of_publication_are_imported_and_past_ones_ignored(highest, channel):
    content = ContentFactory(channel=channel)
    rows = [
        ["id", "title", "publishAt", "unpublishAt"],
        [content.pk, "Other", "2199/1/1 8:00", "2199-02-01"],
        ["", "New", "2199-03-01 00:00:00", ""],
        ["", "Late", "2001-01-01", ""],
    ]
    answer, place = look(highest, channel, *rows)
    assert preview_of(answer) == {"wrong": 0, "new": 2, "changed": 1, "unchanged": 0}
    assert store(highest, place).status_code == 302
    times = ContentSchedule.objects.order_by("pk").values_list("content__title", "publish_at", "unpublish_at")
    assert list(times) == [
        ("Other", datetime(2199, 1, 1, 8), datetime(2199, 2, 1)),
        ("New", datetime(2199, 3, 1), None),
    ]
    assert not Content.objects.filter(is_checked=True).exists()


def test_times_that_make_no_sense_or_need_more_rights_are_told(client, channel, highest):
    approved = ContentFactory(channel=channel, is_checked=True)
    rows = [
        ["id", "title", "publishAt", "unpublishAt"],
        [approved.pk, "a", "2199-01-01", ""],
        ["", "b", "2199-01-01", "2198-01-01"],
    ]
    answer, _place = look(highest, channel, *rows)
    assert preview_of(answer)["wrong"] == 2
    writer = administrator_with("contents.view_content", "contents.add_content", "contents.change_content")
    client.force_login(writer)
    answer, _place = look(client, channel, ["title", "publishAt"], ["c", "2199-01-01"])
    assert preview_of(answer)["wrong"] == 1


def test_a_custom_field_of_that_name_keeps_the_column(highest, channel):
    CustomField.objects.create(site=channel.site, name="publishAt", folded_name="publishat")
    content = ContentFactory(channel=channel)
    _answer, place = look(highest, channel, ["id", "publishAt"], [content.pk, "2199-01-01"])
    assert store(highest, place).status_code == 302
    assert Content.objects.get().settings_xml == '{"publishAt":"2199-01-01"}'
    assert not ContentSchedule.objects.exists()
